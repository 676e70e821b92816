"""Properties beside an audit and by themselves: what is said, what it costs, and who is not condemned."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from crosscheck.auditing import properties
from crosscheck.auditing.calls import parse_call
from crosscheck.auditing.targets import CalledFunction
from crosscheck.errors import BackendError
from crosscheck.inputs.laws import Setting, try_properties
from crosscheck.model import MeasureValues, Qrels, Run
from tests.auditing.audited import defined, found
from tests.cli.command import crosscheck
from tests.programs.metrics.registry import METRICS
from tests.support.kept import Kept

RECALL = """\
def recall(ranked_ids, relevant_ids, k=10):
    return sum(docno in relevant_ids for docno in ranked_ids[:k]) / len(relevant_ids)
"""


def called(*more: str, source: str = RECALL) -> str:
    """The properties of a function ``recall`` by the command, and its exit code."""
    Path("m.py").write_text(source, "utf-8")
    done = crosscheck(Path(), "audit", "m.py:recall", "--properties", "--quiet", *more)
    return f"{done.out}exit code {done.code}"


def lacks(source: str, call: str, measure: str | None = None) -> str:
    """What a function lacks, and the smallest inputs that show it; a program prints their values."""
    function, said = defined(source), list[str]()
    target = CalledFunction(f"m:{function.__name__}", parse_call(call), function, isolated=False)
    for finding in properties(target, measure).properties:
        if finding.holds == "no":
            expected = f", expected {finding.expected}" * bool(measure) + ", a surprise" * finding.surprising
            said.append(f"{finding.name}{expected}: {finding.says}")
            assert finding.inputs
            if finding.name != "repeatable":
                printed: list[Any] = []
                exec(finding.python, {"print": printed.append})
                for one, value in zip(finding.inputs, printed, strict=True):
                    assert (value[one.query] if isinstance(value, dict) else value) == one.value
                    said.append(f"  {one.value}: {'; '.join((one.qrels + one.run).splitlines())}")
    return "\n".join(said)


EXAMPLES = Kept(__file__, called=called, found=found)
REPORTED = Kept(__file__, part=".reported", lacks=lacks)
test_properties_and_what_they_add_to_an_audit = EXAMPLES.test()
test_a_reported_bug_is_found_by_a_property = REPORTED.test()


#: One faithful metric of each way to call one and, where its parameters say it, of each measure; no frames.
FAITHFUL = {
    m.way or m.measure: m for m in METRICS if m.kind == "faithful" and "frames" not in f"{m.way} {m.name}"
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("metric", FAITHFUL.values(), ids=str)
def test_a_faithful_metric_lacks_nothing_that_its_measure_has(metric):
    """No "no" that the measure has not; a document twice, which the measure refuses, may raise a value."""
    report = properties(metric.target, metric.measure, call=metric.call)
    assert not any(f.surprising for f in report.properties)
    assert {f.name for f in report.properties if f.holds == "no" != f.expected} <= {"duplicates"}
    known = [f for f in report.properties if f.expected in ("yes", "no")]
    assert len(known) >= 9  # ranks alone show no more
    assert all(f.holds == f.expected for f in known)


def tried(
    answer: Callable[[Run], MeasureValues | BackendError], seconds: float = 60.0, slow: float = 0.0
) -> tuple[dict[str, str], list[int]]:
    """What is found of each property of a metric, and how many queries each call of it holds."""
    calls: list[int] = []

    def ask(qrels: Qrels, run: Run) -> MeasureValues | BackendError:
        calls.append(len(run.topics))
        time.sleep(slow)
        return answer(run)

    setting = Setting(5, 1, values=True, means=False)
    every = try_properties(ask, setting, 0, as_seen=lambda probe: probe, seconds=seconds)
    return {one.of.name: one.status for one in every}, calls


def ones(run: Run) -> MeasureValues:
    return MeasureValues(dict.fromkeys(run.topics, 1.0), None, "")


@pytest.mark.parametrize(
    ("value", "bounded"), [(1 + 9e-7, "yes"), (1 + 1.1e-6, "no"), (-9e-7, "yes"), (-1.1e-6, "no")]
)
def test_a_millionth_is_what_single_precision_may_lose(value, bounded):
    found, _ = tried(lambda run: MeasureValues(dict.fromkeys(run.topics, value), None, ""))
    assert (found["bounded"], found["repeatable"]) == (bounded, "yes")


def test_few_calls():
    """Queries are asked about together: some hundred inputs in a few dozen calls."""
    found, calls = tried(ones)
    assert (found["bounded"], found["reads-ranks"]) == ("yes", "no")
    assert len(calls) <= 75
    assert sum(calls) >= 400


def test_a_slow_metric_has_a_budget():
    """A property for which there is no time is untried, and nothing is said of it."""
    begin = time.perf_counter()
    found, calls = tried(ones, seconds=0.2, slow=0.05)
    assert time.perf_counter() - begin < 2.0
    assert len(calls) <= 6
    assert found["repeatable"] == "yes"
    assert {found[name] for name in ("docnos", "best", "reads-missed")} == {"untried"}


def test_a_metric_that_refuses_everything_is_soon_left_alone():
    """Three refusals are enough to know what becomes of a property's inputs."""
    found, calls = tried(lambda run: BackendError("no"))
    assert {*found.values()} == {"refused", "unseen"}
    assert len(calls) <= 200


def test_one_refused_query_does_not_hide_the_others():
    """A call that fails for one of its queries is asked again in parts."""

    def without_ties(run: Run) -> MeasureValues | BackendError:
        for first, last in pairwise(run.offsets):
            scores = run.scores[first:last].tolist()
            if len(scores) > 3 and len(set(scores)) < len(scores):
                return BackendError("tied")
        return ones(run)

    found, _ = tried(without_ties)
    assert (found["repeatable"], found["tied-lines"]) == ("yes", "yes")
