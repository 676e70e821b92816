"""An audit that agrees says which kinds of change to the reference its fresh inputs would show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from crosscheck.auditing import audit
from crosscheck.auditing import kinds_of_change as coverage
from crosscheck.auditing import session as auditor
from crosscheck.auditing.calls import Call, parse_call
from crosscheck.auditing.kinds_of_change import KINDS, Coverage, kinds_for, showing, until_covered
from crosscheck.auditing.metric import Asked, Asking
from crosscheck.backends import guarded, outcomes
from crosscheck.backends.base import Options
from crosscheck.backends.native import native_values
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.explain import space
from crosscheck.harness.document import document_of
from crosscheck.inputs.queries import Line, Probe, Query, numbered, ranked
from crosscheck.inputs.realistic import extreme_probes, fresh_probes
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import parse_measure
from crosscheck.report import RenderOptions, render
from tests.auditing import audited
from tests.auditing.metrics import by_score, precision
from tests.cli.command import crosscheck
from tests.programs.metrics import bugs, reference
from tests.programs.metrics.reference import Rules, values_of
from tests.support.kept import Kept

BASE = Conventions()


def some(names: Iterable[str]) -> str:
    """Kinds of change in lines."""
    return "\n".join(names)


def never_shown(measure: str, *seeds: int) -> str:
    """The kinds that no fresh input shows: changes of something that the measure does not read."""
    parsed, said = parse_measure(measure), set()
    for seed in seeds:
        probes = [*extreme_probes(seed, levels=True), *fresh_probes(seed, parsed.cutoff)]
        found = {name: len(of) for name, of in showing(KINDS, probes, parsed, BASE, means=False).items()}
        assert sum(0 < number < 3 for number in found.values()) <= 3  # further inputs are asked for these
        said.add(some(name for name, number in found.items() if not number))
    (one,) = said
    return one


def impossible(call: str) -> str:
    """The kinds that cannot be wrong of what a metric is handed."""
    possible = {kind.name for kind in kinds_for(parse_call(call) if call else None)}
    return some(kind.name for kind in KINDS if kind.name not in possible)


def first_shown(name: str, changed: Rules) -> str:
    """The first three inputs that a kind of change shows on: those on which a metric with these rules differs
    from one without a change."""
    measure = parse_measure("nDCG@10")
    probes = sorted(fresh_probes(0, 10), key=lambda probe: probe.size)
    # Where the only document is lost, there is no value, or one of an empty list.
    probes = [p for p in probes if all(query.judged and len(query.lines) > 1 for _, query in p.queries)]
    (kind,) = (kind for kind in KINDS if kind.name == name)
    expected: list[Probe] = []
    for probe in probes:
        qrels = {id: dict(query.judged) for id, query in probe.queries}
        run = {id: {line.docno: line.score for line in query.lines} for id, query in probe.queries}
        right, wrong = (values_of(rules, "nDCG", 10, qrels, run) for rules in (Rules(), changed))
        expected += [
            probe
            for id, value in right.items()
            if id not in wrong or not math.isclose(value, wrong[id], rel_tol=0, abs_tol=1e-6)
        ]
        if len(expected) >= 3:
            break
    assert showing([kind], probes, measure, BASE)[name] == expected[:3]
    return some(f"{probe.about}, {len(probe.queries)} queries" for probe in expected[:3])


@dataclass
class Known:
    """trec_eval's values, from a metric that is as slow or exact as it says."""

    measure: Measure
    one_by_one: bool = False
    call: Call | None = None
    backend = SimpleNamespace(seconds=0.0, budget=math.inf)

    @property
    def first(self) -> MeasureValues:
        return MeasureValues({b"1": 0.0}, None, "", one_by_one=self.one_by_one)

    def ask(self, probe: Probe) -> Asked:
        values = native_values(Rankings(probe.run, probe.qrels), self.measure, BASE, "")
        return Asked(probe, replace(values, one_by_one=self.one_by_one), self.measure)


def first_set(known: Known, fresh: Callable[..., Any] = fresh_probes) -> tuple[Asking, list[Asked]]:
    """The answers on the first set of fresh inputs, as an audit asks for them."""
    metric = Asking(known, 1.0)  # type: ignore[arg-type]
    probes = fresh(0, known.measure.cutoff, few=known.one_by_one)
    return metric, list(metric.answers(probes))


def covered(known: Known, fresh: Callable[..., Any] = fresh_probes) -> tuple[list[Asked], Coverage]:
    metric, asked = first_set(known, fresh)
    return asked, until_covered(metric, asked, BASE, tolerance=1e-9, seed=0)


def test_few_inputs_are_asked_until_they_cover_all():
    """A metric that computes each query separately gets a small set, and what shows the other kinds."""
    (first, few), (all_of, whole) = (covered(Known(parse_measure("AP"), one)) for one in (True, False))
    (none,) = {some(found.without_effect) for found in (few, whole)}
    assert none == never_shown("AP", 0)
    for found in (few, whole):
        assert (found.caught, found.missed) == (len(kinds_for(None)) - len(none.splitlines()), [])
    assert few.asked
    size, all_size = (
        sum(one.probe.size for one in some if one.probe.about != "a list of thousands of documents")
        for some in ((*first, *few.asked), all_of)
    )
    assert size < all_size / 2


def probe(*relevant: str) -> Probe:
    """Queries of three documents, of which these are relevant."""
    lines = tuple(Line(f"d{i}", i, 10.0 - i) for i in (1, 2, 3))
    queries = (Query(tuple((f"d{i}", 1) for i in of), lines) for of in relevant)
    return Probe("", tuple((f"q{number}", query) for number, query in enumerate(queries, 1)), None)


def shown_by(measure: str, *probes: Probe) -> str:
    """The kinds of change that queries of these inputs show, and for each of these queries which input."""
    found = showing(KINDS, probes, parse_measure(measure), BASE)
    return some(f"{name}: {[*map(probes.index, of)]}" for name, of in found.items() if of)


def in_parts(error: type[BackendError], *relevant: str) -> str:
    """The queries of the answers on an input that a metric answers in parts of at most two."""

    class Slow(Known):
        def ask(self, probe: Probe) -> Asked:
            asked = super().ask(probe)
            return asked if len(probe.queries) < 3 else Asked(probe, error("no answer"), self.measure)

    asking = Asking(Slow(parse_measure("NumRel")), 1.0)  # type: ignore[arg-type]
    return some(" ".join(dict(one.probe.queries)) for one in asking.answers([probe(*relevant)]))


def test_what_a_measure_has_is_known_from_more_than_one_set(monkeypatch):
    """A kind that the first set never shows is looked for in other sets, and asked until it shows."""

    def poor(seed: int, cutoff: int | None, *, few: bool = False) -> tuple[Probe, ...]:
        probes = fresh_probes(seed, cutoff, few=few)
        return probes if seed else tuple(p for p in probes if "similar ids" not in p.about)

    (kind,) = (kind for kind in KINDS if kind.name == "query ids were read in lower case")
    assert not any(showing([kind], poor(0, 10), parse_measure("nDCG@10"), BASE).values())
    monkeypatch.setattr(coverage, "fresh_probes", poor)
    _, found = covered(Known(parse_measure("nDCG@10")), poor)
    assert some(found.without_effect) == never_shown("nDCG@10", 1)
    assert found.missed == []


def test_a_kind_that_no_asked_input_shows_is_missed(monkeypatch):
    """A kind that affects the measure on small inputs of which none is asked is not caught."""

    def poor(seed: int, cutoff: int | None, *, few: bool = False) -> tuple[Probe, ...]:
        return tuple(p for p in fresh_probes(seed, cutoff, few=few) if few or "similar ids" not in p.about)

    monkeypatch.setattr(coverage, "fresh_probes", poor)
    monkeypatch.setattr(coverage, "_MOST_SETS", 2)
    _, found = covered(Known(parse_measure("nDCG@10")), poor)
    assert "query ids were read in lower case" in found.missed


def test_inputs_that_are_the_same_to_a_metric_are_asked_once():
    """What is handed over for each asked query is handed over once."""
    _, asked = first_set(Known(parse_measure("P@5"), call=parse_call("f(gains, k)")))
    lists = []
    for one in asked:
        for _, query in one.probe.queries:
            found = by_score({line.docno: line.score for line in query.lines})
            lists.append(tuple(max(dict(query.judged).get(docno, 0), 0) for docno in found))
    assert len(lists) == len(set(lists))
    assert len(lists) > 100


def test_what_the_battery_passed_counts():
    """With few possible arguments, no fresh input shows a kind that the inputs before have shown."""
    known = Known(parse_measure("Success@5"), call=parse_call("f(ranks, k)"))
    asking = Asking(known, 1.0)  # type: ignore[arg-type]
    lists = (ranked("abcde"[:n], [("abcde"[n - 1], 1)], 5) for n in range(1, 6))
    assert len([*asking.answers([numbered("the last is relevant", lists)])]) == 1
    assert until_covered(asking, [], BASE, tolerance=1e-9, seed=0).missed == []


@contextmanager
def second_by_second() -> Iterator[None]:
    """A clock by which every call in this process takes a second, and the search no time."""
    ticks = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(guarded, "time", SimpleNamespace(perf_counter=lambda: float(next(ticks))))
        patch.setattr(space, "process_time", lambda: 0.0)
        patch.setattr(auditor, "process_time", lambda: 0.0)
        yield


def ends_late(levels: Sequence[int], k: int) -> float:
    return precision(levels, k) + (len(levels) > 5000)


def of_found(levels: Sequence[int], k: int) -> float:
    return sum(level > 0 for level in levels[:k]) / max(1, min(k, len(levels)))


def in_time(metric: Callable[[Sequence[int], int], float], budget: int, call: str | None) -> str:
    """The verdict on a metric of which each call takes a second."""
    seen: list[str] = []
    called = lambda gains, k: metric(gains, k)  # noqa: E731
    with second_by_second():
        found = audit(called, "P@5", call=call, options=Options(budget=budget), progress=seen.append)
    assert seen[-1].startswith(f"experiment {len(seen)}, ")
    assert f" of {budget} s: " in seen[-1]
    assert len(seen) <= budget
    shown = ", ".join([found.verdict, *found.causes, f"strength {found.strength}"])
    examples = ", ".join(one.cause for one in found.counterexamples)
    return "\n".join([shown, f"examples: {examples}", *filter(None, [found.message]), *found.notes])


def within(changed: AbstractContextManager[Any], made: Callable[[], str]) -> str:
    with changed:
        return made()


def command(*more: str) -> str:
    """What the command says first of a precision, and its exit code."""
    Path("slow.py").write_text("def p(gains, k):\n    return sum(g > 0 for g in gains[:k]) / k\n")
    done = crosscheck(Path(), "audit", "slow.py:p", "-m", "P@5", "--quiet", *more)
    said, _, _ = done.out.partition("\n\n")
    return f"{said}\nexit code {done.code}"


def first_lines(*changes: dict[str, Any]) -> str:
    """The first lines of an audit that agrees, with some of its fields changed."""
    made = audit(precision, "P@5", call="f(gains, k)", options=audited.PATIENT)
    every = (render(document_of(replace(made, **of)), "text", RenderOptions(width=500)) for of in changes)
    return some(text.partition("\n")[0] for text in every)


EXAMPLES = Kept(__file__, never_shown=never_shown, impossible=impossible)
INPUTS = Kept(__file__, part=".inputs", within=(globals(), vars(outcomes)))
SHOWN = Kept(__file__, part=".rules", within=(vars(reference), vars(bugs), globals()))
BUDGETS = Kept(__file__, part=".budgets", within=(globals(),))
AUDITS = Kept(__file__, part=".audits", within=(globals(),), found=audited.found, patch=patch)
test_kinds_that_nothing_shows = EXAMPLES.test(one_in=6)
test_kinds_that_an_input_shows_and_parts_of_it = INPUTS.test()
test_a_kind_changes_what_it_says = SHOWN.test()
test_an_audit_ends_with_its_budget = BUDGETS.test(one_in=2)
test_what_an_audit_says_of_what_was_not_covered = AUDITS.test()


def test_the_search_ends_with_the_budget(monkeypatch):
    """Where every set of conventions takes a second: what it has not found is not said to be nothing."""
    ticks = count()
    for clock in ("monotonic", "process_time"):
        monkeypatch.setattr(space, clock, lambda: float(next(ticks)))
    found = audit(lambda gains, k: of_found(gains, k), "P@5", call="f(gains, k)", options=Options(budget=60))
    assert (found.verdict, found.causes, found.strength) == ("deviates", ["unexplained"], "none")
    assert found.doubt == "the time limit of 60 s was reached"
    assert next(ticks) < 200
