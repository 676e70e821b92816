"""Audits of metrics whose faults are known: what each one is named, and with what evidence."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import floor
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from msgspec.structs import replace

from crosscheck.audit_records import Where
from crosscheck.auditing import audit
from crosscheck.auditing.checking import _Compared, _one_sided
from crosscheck.auditing.metric import Asked, native_answer
from crosscheck.auditing.where import Places, _features
from crosscheck.conventions import Conventions
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain.search import Search
from crosscheck.inputs.queries import Line, Probe, Query, ranked
from crosscheck.inputs.realistic import fresh_probes
from crosscheck.model import Measure, MeasureValues, Qrels, Run
from crosscheck.names import parse_measure
from tests.auditing import metrics
from tests.auditing.audited import found
from tests.auditing.metrics import Judged, Ranked
from tests.programs.metrics.calls import CALLS, target_of
from tests.support.kept import Kept
from tests.support.oracle import Oracle, Parametric, Row
from tests.targets import s2, s4


def ordered_by(
    order: Callable[[dict[str, float]], list[str]], **changes: str
) -> Callable[[Judged, Ranked], object]:
    """nDCG@5 of rankings in this order, with other conventions changed."""

    def metric(qrels: Judged, run: Ranked) -> dict[str, float]:
        ranked = {
            query: [Row(docno, i, -i) for i, docno in enumerate(order(scores))]
            for query, scores in run.items()
        }
        return Oracle(changes).evaluate(qrels, ranked, "nDCG@5")[0]

    return metric


class Printing(Parametric):
    """A program that prints four decimals."""

    def evaluate(self, qrels: Qrels, run: Run, measures: Sequence[Measure]) -> dict[Measure, MeasureValues]:
        (values,) = super().evaluate(qrels, run, measures).values()
        printed = {topic: round(value, 4) for topic, value in values.values.items()}
        return {measures[0]: replace(values, values=printed, mean=None, decimals=4)}


@cache
def answers() -> list[Asked]:
    """trec_eval's values of P@5 on fresh inputs."""
    measure, base = parse_measure("P@5"), Conventions()
    return [Asked(p, native_answer(p.qrels, p.run, measure, base), measure) for p in fresh_probes(0, 5)]


@cache
def places(*passed: str) -> Places:
    """Places of P@5, if these parts of the input are passed."""
    return Places(5, passed)


def place(wrong: Iterable[Probe], *passed: str) -> str:
    """Where values are that are wrong on these inputs, if these parts of the input are passed."""
    return told(places(*passed).where(answers(), [*wrong], Conventions()))


def separated(wrong: int, of: int) -> str:
    """Where so many of these values are wrong, whose queries alone have an unjudged document."""
    made = []
    for number in range(of):
        lines = (Line("a", 1, 2.0), Line("b", 2, 1.0))[: 1 + (number < wrong)]
        probe = Probe("", (("1", Query((("a", 1),), lines)),), "1")
        made.append(Asked(probe, MeasureValues({b"1": 0.2}, None, ""), parse_measure("P@5")))
    return told(Places(5, ()).where(made, [one.probe for one in made[:wrong]], Conventions()))


def told(found: Where | None) -> str:
    if found is None:
        return "nowhere"
    said = f"{found.wrong} of {found.of} {found.of_what} with {' and '.join(found.conditions)}"
    return said + f", {found.wrong_elsewhere} elsewhere" * bool(found.wrong_elsewhere)


def queries(wrong: Callable[[Query], object]) -> list[Probe]:
    """The queries for which this holds."""
    return [replace(one.probe, reads=q) for one in answers() for q, of in one.probe.queries if wrong(of)]


def some(holds: Callable[[Query], object], number: int, elsewhere: int = 0) -> list[Probe]:
    """So many of the queries for which this holds, and of the others."""
    return [*queries(holds)[:number], *queries(lambda query: not holds(query))[::40][:elsewhere]]


def negative(query: Query) -> bool:
    """Whether a query has negative scores."""
    return any(line.score < 0 for line in query.lines)


def several() -> list[Probe]:
    """The inputs of several queries."""
    return [one.probe for one in answers() if len(one.probe.queries) > 1]


def hits(query: Query) -> list[int]:
    """The ranks of the relevant documents of a query."""
    ranked, level = metrics.by_score({line.docno: line.score for line in query.lines}), dict(query.judged)
    return [rank for rank, docno in enumerate(ranked, 1) if level.get(docno, 0) > 0]


def case(**files: str) -> str:
    """A folder with a given case."""
    Path("case").mkdir()
    for name, text in files.items():
        Path("case", name).write_text(text)
    return "case"


NAMES = {"found": found, "target_of": target_of, "crc32": crc32, "np": np, "s2": s2, "CALLS": CALLS}
AUDITS = Kept(__file__, within=(globals(), NAMES), TARGETS=Path(__file__).parents[1] / "targets")
STATE = Kept(__file__, part=".state", within=(globals(), NAMES))
PLACES = Kept(__file__, part=".where", within=(globals(),), _features=_features, ranked=ranked)
#: The board has the audits of many more tools, and tests/programs/test_board.py makes some of them again.
USUAL = (
    '/ k, 2), "P@5")',
    "def fails_on_arrays",
    "not_one_document",
    "float(not retrieved)",
    "def of_the_top",
    'conventions strength example")',
    "def zipped",
)
test_what_an_audit_finds = AUDITS.test(usual=USUAL)
OF_STATE = (
    *("with_noise", "wrong_on_magic", "by_query_id", 'only="verdict'),
    *("def ties_drawn", "def kept_for_every_cutoff"),
)
test_what_an_audit_finds_beside_the_values_of_queries = STATE.test(usual=OF_STATE)
test_where_values_are_wrong = PLACES.test()


def one_rank_less(ranked_ids: list[str], relevant_ids: list[str], k: int) -> float:
    return len(set(ranked_ids[: k - 1]) & set(relevant_ids)) / k


def test_what_shows_a_convention_may_be_that_there_is_no_value():
    made = audit(s4.MetricsCalculator.ndcg_at_k, "nDCG@5")
    seen = [(of.axis, of.input, of.seen) for of in made.fingerprint if of.value == "skip"]
    assert seen == [("no_relevant", "no relevant document", None)]


def half_up(gains: list[int]) -> float:
    return floor(1000 * metrics.reciprocal_rank(gains) + 0.5) / 1000


@pytest.mark.whole
def test_halves_that_are_rounded_up_are_rounding():
    """RR = 0.0625 of rank 16 is 0.062 in C and numpy."""
    made = audit(half_up, "RR", call="f(gains)")
    assert (made.causes, made.strength, made.fresh_inputs_met) == (["rounding"], "proved", made.fresh_inputs)


def of_43_documents(gains: list[int]) -> float:
    return metrics.reciprocal_rank(gains[:43])


@pytest.mark.whole
def test_lists_are_made_that_tell_one_cut_from_a_rounder_one():
    """On the inputs of every audit, a cut at 50 documents has the same values."""
    made = audit(of_43_documents, "RR", call="f(gains)")
    assert (made.conventions, made.strength) == ({"rr_cutoff": 43}, "proved")


def test_what_an_audit_knows_dies_with_it():
    """No search, and no rankings of its inputs, outlive an audit, whose memo caches they hold."""
    gc.collect()
    before = [o for o in gc.get_objects() if isinstance(o, Search | Rankings)]
    assert audit(one_rank_less, "P@5", call="f(ranked_ids, relevant_ids, k)").verdict == "deviates"
    gc.collect()
    known = {id(o) for o in before}
    assert [o for o in gc.get_objects() if isinstance(o, Search | Rankings) and id(o) not in known] == []


@pytest.mark.parametrize(
    ("low", "high", "rounded", "one_sided"),
    [(20, 0, 0, True), (19, 0, 0, False), (20, 1, 0, False), (0, 0, 20, False)],
)
def test_twenty_values_off_in_one_direction_are_no_lack_of_precision(low, high, rounded, one_sided):
    """``P/(k + 1e-6)`` is too low everywhere, rounding is not; nineteen values can be so by chance."""
    query = Query((("d1", 1),), tuple(Line(f"d{i}", i, 10.0 - i) for i in range(1, 4)))
    probe, measure = Probe("", (("1", query),), "1"), parse_measure("P@1")
    values = [
        _Compared(Asked(probe, MeasureValues({b"1": given}, None, "metric"), measure), 0.7, True)
        for given in [0.7 - 2e-7] * low + [0.7 + 2e-7] * high + [float(np.float32(0.7))] * rounded
    ]
    assert _one_sided(values) is one_sided
