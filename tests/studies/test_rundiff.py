"""Claims about crosscheck.studies.rundiff: planted damage is named, and the parts sum to the difference."""

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from crosscheck.native import evaluate
from crosscheck.studies.rundiff import RundiffMeasure, rundiff
from tests.studies.examples import Run, original

MEASURES = ["nDCG@10", "AP", "RR", "P@10"]


def by_score(row: dict[str, float]) -> list[str]:
    return sorted(row, key=lambda doc: -row[doc])


#: Kind of damage -> what it makes of a run; documents: others in place of one in five.
DAMAGE: dict[str, Callable[[Run, random.Random], Run]] = {
    "queries": lambda run, rng: {q: row for q, row in run.items() if int(q) % 5},
    "depth": lambda run, rng: {q: {d: row[d] for d in by_score(row)[:7]} for q, row in run.items()},
    "score-format": lambda run, rng: {q: {d: round(s, 1) for d, s in row.items()} for q, row in run.items()},
    "ties": lambda run, rng: {
        q: row | dict.fromkeys(by_score(row)[:10], max(row.values())) for q, row in run.items()
    },
    "documents": lambda run, rng: {
        q: {(f"new{d}" if rng.random() < 0.2 else d): s for d, s in row.items()} for q, row in run.items()
    },
    "order": lambda run, rng: {
        q: {d: s + rng.uniform(-0.2, 0.2) for d, s in row.items()} for q, row in run.items()
    },
}


def summed(found: RundiffMeasure) -> bool:
    """Whether the parts sum to the difference, as floats and as exact numbers."""
    parts = [float(part.part) for part in found.parts]
    exact = sum(map(Fraction, parts), Fraction(0))
    return sum(parts) == found.difference == exact == Fraction(found.ours) - Fraction(found.theirs)


@pytest.mark.parametrize("turned", [False, True], ids=["in ours", "in theirs"])
@pytest.mark.parametrize("kind", DAMAGE)
def test_planted_damage_is_named_and_nothing_else_is(kind, turned):
    """One kind of damage in either run: every part has its name, and the parts sum exactly."""
    qrels, run = original(7)
    damaged = DAMAGE[kind](run, random.Random(3))
    theirs, ours = (damaged, run) if turned else (run, damaged)
    document = rundiff(qrels, theirs, ours, MEASURES)
    assert any(one.parts for one in document.measures)
    assert document.notes == []
    assert ";" not in document.summary  # it is no slip in writing a run
    for one in document.measures:
        assert {part.property for part in one.parts} <= {kind}
        assert summed(one)
        values = evaluate(qrels, ours, [one.measure])
        assert one.ours == pytest.approx(sum(row[one.measure] for row in values.values()) / len(values))


def test_all_damage_at_once_sums_exactly():
    """Every property has a part, in the stated order; the printed parts sum to the printed difference."""
    qrels, run = original(8)
    damaged = run
    for damage in DAMAGE.values():
        damaged = damage(damaged, random.Random(5))
    document = rundiff(qrels, run, damaged, MEASURES)
    assert document.summary.endswith(f" and {len(document.measures[0].parts) - 3} more.")
    order = ["queries", "depth", "documents", "ties", "order", "score-format"]
    for one in document.measures:
        assert summed(one)
        found = [part.property for part in one.parts]
        assert {"queries", "documents"} <= set(found)
        assert [name for name in order if name in found][:3] == found[:3]
        printed = [round(float(part.after), 4) - round(float(part.before), 4) for part in one.parts]
        assert sum(printed) == pytest.approx(round(float(one.ours), 4) - round(float(one.theirs), 4))


def test_parts_of_means_of_different_size_sum_exactly():
    """A third, a seventh and most of one: their differences are no doubles, yet the parts sum."""
    names = [f"d{i:02d}" for i in range(30)]
    qrels = {str(q): {"d00": 1} for q in range(7)}

    def at(place: int) -> dict[str, float]:
        ranked = [*names[1:place], "d00", *names[place:]]
        return {doc: 100.0 - i for i, doc in enumerate(ranked)}

    theirs = {str(q): at(3 + 4 * q) for q in range(5)}
    ours = {str(q): at(1 if q % 3 else 28 - q) for q in range(7)}
    (found,) = rundiff(qrels, theirs, ours, ["RR"]).measures
    assert summed(found)
    assert [part.property for part in found.parts] == ["queries", "order"]
    assert [part.most for part in found.parts] == [["5", "6"], ["4", "2", "1", "0", "3"]]
