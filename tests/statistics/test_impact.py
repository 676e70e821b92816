"""What changes when systems are measured another way."""

import math
from itertools import combinations
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.model import MeasureValues
from crosscheck.statistics import paired
from crosscheck.statistics.impact import impact
from crosscheck.statistics.paired import compare_all
from tests.support.kept import examples

scipy_stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")


def values(*numbers: float, **held: float) -> MeasureValues:
    """Values of queries 00, 01, ..., or of those that are named."""
    numbered = {b"%02d" % i: v for i, v in enumerate(numbers)}
    return MeasureValues(numbered | {q.encode(): v for q, v in held.items()}, None, "test")


@pytest.mark.parametrize("seed", range(5))
def test_swaps_and_significance_are_those_of_means_and_of_the_comparison_of_systems(seed):
    """Of six systems of slightly different quality, pairs swap if their means change order, and appear or
    vanish if their corrected t-tests cross the level; the order of systems and queries has no say."""
    random = np.random.default_rng(seed)
    difficulty = random.random(30)
    old = {f"s{i}": difficulty + 0.05 * i * random.random(30) for i in range(6)}
    new = {name: of + 0.1 * random.random() + 0.05 * random.random(30) for name, of in old.items()}
    sides = [{name: values(*of.tolist()) for name, of in side.items()} for side in (old, new)]
    turned = [
        {n: replace(side[n], values=dict(reversed(side[n].values.items()))) for n in reversed(side)}
        for side in sides
    ]
    before, after = ({name: of.mean() for name, of in side.items()} for side in (old, new))
    swapped = {
        frozenset((a, b))
        for a, b in combinations(old, 2)
        if (before[a] - before[b]) * (after[a] - after[b]) < 0
    }
    significant = []
    for side in sides:
        compared = compare_all({name: held.values for name, held in side.items()})
        levels = {frozenset((c.a, c.b)): c.tests[2].p_holm for c in compared}
        assert None not in levels.values()
        significant.append({pair for pair, p in levels.items() if p is not None and p < 0.05})
    lost, won = significant[0] - significant[1], significant[1] - significant[0]
    found, again = (impact(*both, measure="M") for both in (sides, turned))
    for one in (found, again):
        assert {frozenset((s.better, s.worse)) for s in one.swaps} == swapped
        tau = scipy_stats.kendalltau([*before.values()], [*after.values()]).statistic
        assert one.tau.value == pytest.approx(tau, abs=1e-12)
        assert [one.reference_significant, one.candidate_significant] == [*map(len, significant)]
        kinds = {frozenset((c.a, c.b)): c.change for c in one.significance if c.change != "reversed"}
        assert kinds == dict.fromkeys(lost, "vanished") | dict.fromkeys(won, "appeared")
        assert one.affected == bool(one.swaps or one.significance)
        assert [q.query for q in one.queries] == [q.query for q in found.queries]


def side(**levels: tuple[float, float]) -> dict[str, MeasureValues]:
    """Systems by their level, and how far their queries are from it."""
    return {
        name: values(*(level + (i + ord(name)) % 7 / 100 + spread * (-1) ** i for i in range(22)))
        for name, (level, spread) in levels.items()
    }


def told(before: dict[str, MeasureValues], after: dict[str, MeasureValues], **more: Any) -> list[str]:
    """All that is said of a change, but p-values; other orders of the systems change none of it."""
    found = impact(before, after, measure="M", names=("old", "new"), **more)
    again = impact(dict(reversed(before.items())), after, measure="M", names=("old", "new"), **more)
    assert (again.swaps, again.tau) == (found.swaps, found.tau)
    numbers = [s.reference_value for s in found.systems] + [q.total for q in found.queries]
    assert not any(n is not None and math.isnan(n) for n in numbers)
    moves = (
        f"{s.run}: {s.reference_value} to {s.candidate_value}, {s.changed} changed" for s in found.systems
    )
    return [
        found.summary,
        f"significant: {found.reference_significant}, {found.candidate_significant}",
        f"affected: {found.affected}; {found.changed} of {found.values} values; {len(found.queries)} queries:"
        + "".join(f" {query.query}" for query in found.queries),
        f"systems: {'; '.join(moves)}",
        *(
            f"{s.better} over {s.worse} {s.change}, {s.lead} to {s.trail}: {' '.join(s.queries)}"
            for s in found.swaps
        ),
        *(f"{s.a} and {s.b} {s.change}: {' '.join(s.queries)}" for s in found.significance),
        *found.notes,
    ]


def without_scipy(*sides: dict[str, MeasureValues]) -> list[str]:
    with patch("crosscheck.statistics.impact.find_spec", lambda name: None):
        return told(*sides)


#: The summary, the swaps, the queries that make them, and what cannot be told, with its reason.
test_what_is_said_of_a_change = examples(globals(), None, paired)
