"""Comparing a metric's answers with the predictions of conventions, and sorting the wrong values by kind."""

import math
import os
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from ctypes import c_float
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from crosscheck.audit_records import Confirmation
from crosscheck.auditing.metric import Asked, AuditedMetric
from crosscheck.auditing.targets import ONE_FOR_EACH
from crosscheck.auditing.words import queries_in
from crosscheck.axes.ids import DUPLICATES, Duplicates
from crosscheck.axes.ties import Ties
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.explain.evidence import PROOF_TOLERANCE, SINGLE, TOLERANCES, growth, of_no_query
from crosscheck.explain.labels import CROSS_QUERY_LEAK
from crosscheck.explain.ties import TieOrders, ends_of_mean
from crosscheck.formats.cases import find_cases
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.inputs.queries import Probe, Query, numbered, ranked
from crosscheck.inputs.realistic import highest_level, ordinary

#: Relative error of rounding to single precision; number of wrong values that may show a systematic offset.
_ROUNDED, _MANY = 2.0**-24, 20
#: Maximum number of wrong values, on the smallest inputs, for which the metric is called with single queries.
_ALONE = 12


#: What is said of a metric that gives no value and no error.
GIVES_NONE = "it gives no value"


def said_of(asked: Asked) -> str:
    """The first line of the metric's error on an input for which it gave no value, or :data:`GIVES_NONE`."""
    return GIVES_NONE if asked.error is None else asked.error.splitlines()[0]


class Checked(Struct, frozen=True, kw_only=True):
    """The result of comparing a metric's answers with predictions.

    Attributes:
        inputs: number of compared values and means.
        met: number of values and means that are as predicted.
        differs: one answer for each wrong value that is not in ``leaks``.
        leaks: one answer for each wrong value that is as predicted if the metric is called with the query
            alone.
        refused: the answers on ordinary inputs for which the metric gave no value.
        withheld: the answers on unusual inputs for which the metric gave no value.
        tolerance: tolerance of the comparisons.
    """

    inputs: int
    met: int
    differs: list[Asked]
    leaks: list[Asked]
    refused: list[Asked]
    withheld: list[Asked]
    tolerance: float


class _Compared(NamedTuple):
    """One value of a metric, compared with the predicted value.

    Attributes:
        asked: the answer, with an input that reads this value.
        ours: the predicted value; NaN if the metric failed.
        query_by_query: whether the metric computes each query separately, so that others should not matter.
    """

    asked: Asked
    ours: float | None
    query_by_query: bool

    @property
    def missing(self) -> bool:
        """Whether there is no value, but one is predicted."""
        return self.asked.value is None and self.ours is not None

    def same(self, tolerance: float) -> bool:
        """Whether the value is as predicted."""
        if tolerance > min(TOLERANCES):  # errors of single precision add up along a list
            lines = max(len(query.lines) for _, query in self.asked.probe.queries)
            tolerance *= float(growth(np.array(lines)))
        return self.asked.is_value(self.ours, tolerance)


def check(
    subject: AuditedMetric,
    asked: Sequence[Asked],
    conventions: Conventions,
    tolerance: float,
    base: Conventions | None = None,
) -> Checked:
    """Compare the metric's answers, every value and the mean, with the predictions of conventions.

    Args:
        subject: the metric, which is called again with single queries of inputs with wrong values.
        conventions: the metric's conventions; base: the reference's, where these may not be right.
        tolerance: tolerance of the search for conventions. A wider tolerance is used if fewer values differ
            within it, unless all wrong values are too low, or all too high: that is a deviation, not
                rounding.
    """
    values = [value for one in asked for value in _unmet(one, conventions)]
    refused = [value.asked for value in values if value.missing]
    unmet = [value for value in values if not value.missing]
    inputs = sum(len(one.given.values.keys() & one.read) + (one.given.mean is not None) for one in asked)
    wider = [t for t in TOLERANCES if t >= tolerance]
    tolerance = min(wider, key=lambda t: sum(not value.same(t) for value in unmet))
    if tolerance > min(TOLERANCES) and _one_sided(unmet):
        tolerance = min(TOLERANCES)
    wrong = sorted((v for v in unmet if not v.same(tolerance)), key=lambda v: v.asked.alone.probe.size)
    expected = list(dict.fromkeys((conventions, base or conventions)))
    leaky = any(one.leaks for one in asked)  # then any mean may depend on data of an earlier query
    leaks = [
        (leaky and value.asked.probe.reads is None) or _leaks(subject, value, expected, tolerance)
        for value in wrong[:_ALONE]
    ]
    leaks += [2 * sum(leaks) > len(leaks)] * (len(wrong) - len(leaks))
    return Checked(
        inputs=inputs,
        met=inputs - len(wrong),
        differs=[value.asked for value, leak in zip(wrong, leaks, strict=True) if not leak],
        leaks=[value.asked for value, leak in zip(wrong, leaks, strict=True) if leak],
        refused=[one for one in refused if should_answer(one)],
        withheld=[one for one in refused if not should_answer(one)],
        tolerance=tolerance,
    )


def should_answer(one: Asked) -> bool:
    """Whether any metric should have a value: on ordinary input, and for each query of a list."""
    return ordinary(one.probe) or ONE_FOR_EACH in (one.error or "")


def _one_sided(compared: Iterable[_Compared]) -> bool:
    """Whether many values are wrong, all too low or all too high, by more than rounding to single precision
    explains. (A metric may add a small number to a denominator.)"""
    too_high: list[bool] = []
    for asked, ours, _ in (value for value in compared if not value.same(min(TOLERANCES))):
        theirs = asked.value
        if theirs is not None and ours is not None:
            beyond = abs(theirs - ours) > _ROUNDED * abs(ours)
            if beyond or (asked.probe.reads is not None and c_float(theirs).value != theirs):
                too_high.append(theirs > ours)
    return len(too_high) >= _MANY and len(set(too_high)) == 1


def _unmet(asked: Asked, conventions: Conventions) -> Iterator[_Compared]:
    """Each value of the metric that is not exactly as conventions predict, with the prediction; the answer
    itself if the metric failed. Nothing if the conventions do not allow the input."""
    probe, answer = asked.probe, asked.given
    if asked.error is not None:
        yield _Compared(asked, math.nan, False)
        return
    evidence = asked.evidence(conventions, min(TOLERANCES))
    recomputer = evidence.recomputer
    try:
        ours = recomputer.evaluated(conventions)
    except CrosscheckError:
        return
    cells, mean = evidence.met(ours, exactly=True)
    if answer.values or answer.mean is None:
        for i in np.flatnonzero(~cells & ~evidence.rounded_otherwise(conventions)).tolist():
            topic = recomputer.topics[i]
            value = float(ours.values[i]) if ours.present[i] else None
            yield _Compared(replace(asked, probe=replace(probe, reads=topic.decode())), value, True)
    if answer.mean is not None and not mean and probe.reads is None and not asked.undefined:
        if ours.mean is None and of_no_query(answer.mean):
            return
        yield _Compared(asked, ours.mean, answer.one_by_one)


def unmet(asked: Asked, conventions: Conventions, tolerance: float) -> list[Probe]:
    """For each wrong value of the metric, the input as a probe that reads this value. Missing values are left
    out."""
    wrong = (value for value in _unmet(asked, conventions) if not value.same(tolerance))
    return [value.asked.probe for value in wrong if value.asked.value is not None]


def _leaks(subject: AuditedMetric, wrong: _Compared, sets: Sequence[Conventions], tolerance: float) -> bool:
    """Whether a wrong value shows that data leaks from one query into another: the query that the probe reads
    has the value that some of these conventions predict if the metric is called with this query alone. For a
    wrong mean, every query must have its predicted value alone."""
    probe = wrong.asked.probe
    if len(probe.queries) == 1 or not wrong.query_by_query:
        return False
    ids: Sequence[str] = [id for id, _ in probe.queries] if probe.reads is None else [probe.reads]
    sets = sets[:1] if probe.reads is None else sets  # alone, a query does not show how means are taken
    if subject.call is not None and "max_grade" in subject.call.words:
        # The call passes the highest level of all queries, so that a query alone may be called differently.
        highest = highest_level(probe)
        if any(highest_level(probe.of(id)) != highest for id in ids):
            return False
    for alone in (subject.ask(replace(probe.of(id), reads=probe.reads)) for id in ids):
        if all([v for v in _unmet(alone, c) if not v.same(tolerance)] for c in sets):
            return False
        if probe.reads is not None and alone.is_value(wrong.asked.value, tolerance):
            return False
    return True


#: Maximum numbers of queries and of lines of a run; larger cases add no information and take longer.
_MOST_QUERIES, _MOST_LINES = 10, 5000


def confirm_on(
    subject: AuditedMetric, folders: Sequence[str], conventions: Conventions, tolerance: float
) -> list[tuple[str, Checked]]:
    """Compare a metric with the predictions of conventions on each small case of some folders.

    Left out are cases that cannot be read, that contain ids that are not UTF-8, or whose run has more than 10
    queries or 5,000 lines, or no judged query.

    Returns:
        (``case/run``, result) pairs.

    Raises:
        InputError: a folder contains no case.
    """
    asked = ((probe.about, [subject.ask(probe)]) for probe in _inputs(folders))
    return [(name, check(subject, answers, conventions, tolerance)) for name, answers in asked]


def record_of(done: list[tuple[str, Checked]]) -> Confirmation:
    """The record of a confirmation, from the results of :func:`confirm_on`."""
    answered = [(name, checked) for name, checked in done if checked.inputs]
    differs = [name for name, of in answered if of.differs or of.leaks or of.refused or of.withheld]
    of = len(answered)
    return Confirmation(confirmed=of - len(differs), of=of, failed=len(done) - of, differs=differs)


def _inputs(folders: Sequence[str]) -> Iterator[Probe]:
    """Yield the small cases of the folders as inputs, each named ``case/run``."""
    for case in find_cases(folders):
        for path in case.runs:
            name = f"{case.name}/{os.path.basename(path)}"
            with suppress(CrosscheckError, UnicodeDecodeError):
                qrels, run = read_qrels(case.qrels), read_run(path)
                small = len(run.topics) <= _MOST_QUERIES and len(run.docnos) <= _MOST_LINES
                if small and set(run.topics) & set(qrels.topics):
                    queries = queries_in(qrels, run, "utf-8").items()
                    yield Probe(name, tuple((topic.decode(), query) for topic, query in queries), None)


LEAK = CROSS_QUERY_LEAK.label


def _leaky() -> Iterator[Probe]:
    """Yield three inputs of two queries on which metrics that mix up queries give a wrong mean.

    First, both queries retrieve the same two documents, and a different one is relevant to each. Second, the
    same with a third document that is relevant to both, for metrics that leave out queries without a relevant
    document among the first R. Third, only the second query has a relevant document, for metrics that divide
    by zero in the first query.
    """
    for more in ((), (("c", 1),)):
        queries = [ranked("ab", [("a", a), ("b", 1 - a), *more]) for a in (1, 0)]
        yield numbered("the same documents under two queries", queries)
    queries = [ranked("a", [("a", 0)]), ranked("ab", [("a", 1), ("b", 0)])]
    yield numbered("no relevant document in the first of two queries", queries)


def leak_of(subject: AuditedMetric) -> Asked | None:
    """The first answer whose mean shows that queries influence each other; None if there is none.

    Only a backend that computes each query alone, and the mean from all queries, can show this.
    """
    return next((asked for asked in map(subject.ask, _leaky()) if asked.leaks), None)


#: Number of inputs on which some order of tied documents must give exactly the value, to name ties as cause.
_FEWEST = 3


class ArbitraryTies:
    """Compares values that no conventions predict with the values of all orders of the tied documents.

    Attributes:
        exact: number of inputs on which some order gives exactly the value.
        undecided: number of inputs with too many orders to test, and a value between those of the worst and
            the best order.

    Args:
        conventions: the conventions of the metric, except the order of tied documents.
    """

    def __init__(self, subject: AuditedMetric, conventions: Conventions) -> None:
        self._subject, self._found = subject, conventions
        self.exact = self.undecided = 0

    def explain(self, differs: Iterable[Asked], more: Iterable[Probe]) -> bool:
        """Whether some order of tied documents explains each of these values, and gives several of them
        exactly. If too few are exact, the metric is called on the inputs in ``more`` as well."""
        if not all(map(self.explains, differs)):
            return False
        for probe in more:
            if self.exact >= _FEWEST:
                break
            asked = self._subject.ask(probe)
            predicted = asked.value is None or asked.is_value(asked.predicted(self._found), SINGLE)
            if not (predicted or self.explains(asked)):
                return False
        return self.exact >= _FEWEST

    def explains(self, asked: Asked) -> bool:
        """Whether some order of tied documents explains a value; counts it as ``exact`` or ``undecided``."""
        asked = asked.of_query
        evidence, reads = asked.evidence(self._found), asked.probe.reads
        situation, observed = evidence.recomputer, evidence.observed
        bounded = situation.allows(Ties.WORST) and situation.allows(Ties.BEST)
        if not asked.given.values and observed.mean is not None:
            ends, room = ends_of_mean(situation), PROOF_TOLERANCE
            given = None if ends and ends[0] - room <= observed.mean <= ends[1] + room else False
        elif not np.array_equal(observed.present, situation.evaluated(self._found).present):
            return False
        elif reads is None:
            ours, theirs = situation.mean_of(observed.values), observed.mean
            return ours is not None and theirs is not None and abs(ours - theirs) <= PROOF_TOLERANCE
        else:
            given = TieOrders(situation, observed).give(situation.topics.index(reads.encode()))
        if given is None and bounded:
            self.undecided += 1  # the value lies between those of the worst and the best order
            return True
        self.exact += given is True
        return given is True

    @property
    def words(self) -> str:
        """The result as a sentence for the report."""
        more = f"{self.undecided:,} further inputs have too many orders to test"
        undecided = f"; {more}" if self.undecided else ""
        return (
            f"the metric orders tied documents by no known rule: on {self.exact:,} inputs, some order of the"
            f" tied documents gives exactly its value{undecided}. Sorts that are not stable do this, such as"
            " numpy's argsort by default, and the order may differ by processor"
        )


_MIXED = 3


class DuplicateHandling(Struct, frozen=True):
    """A metric's treatment of documents that occur twice; without fields, that of a metric not asked.

    Attributes:
        values: values of the axis ``duplicates`` that predict every answer; ``error`` if the metric fails on
            all these inputs; empty if no value fits.
        example: the answer to the first such input that the metric accepts, and that tells the values apart
            if one does; None if it accepts none.
        experiments: number of inputs.
    """

    values: tuple[Duplicates, ...] = ()
    example: Asked | None = None
    experiments: int = 0

    def added_to(self, conventions: Conventions) -> Conventions:
        """The conventions with the likeliest value of ``duplicates``; unchanged if theirs fits, or none."""
        fits = not self.values or conventions[DUPLICATES] in self.values
        return conventions if fits else conventions.with_changes(duplicates=self.values[0])


def duplicate_handling(
    subject: AuditedMetric, found: Conventions, tolerance: float, seed: int
) -> DuplicateHandling:
    """Find out how the metric treats documents that occur twice.

    Args:
        found: the metric's conventions on all other axes.
        tolerance: tolerance within which values are compared.
        seed: seed of the random inputs.
    """
    queries = _with_repeats(random.Random(seed), subject.measure.cutoff or 5)
    probes = (numbered("a document that occurs twice", [query], subject.reads) for query in queries)
    asked = list(map(subject.ask, probes))
    taken = [one for one in asked if one.error is None]
    if not taken:
        return DuplicateHandling((Duplicates.ERROR,), None, len(asked))

    each, *others = known = [
        found.with_changes(duplicates=v) for v in (Duplicates.EACH, Duplicates.FIRST, Duplicates.LAST)
    ]
    predicting = [
        conventions[DUPLICATES]
        for conventions in known * (len(taken) == len(asked))
        if all(one.is_value(one.predicted(conventions), tolerance) for one in asked)
    ]
    # The example shows which it is, if one does, and by a value above 0, if one does so.
    telling = (one for one in taken if one.predicted(each) not in map(one.predicted, others))
    example = max(telling, key=lambda one: bool(one.value), default=taken[0])
    return DuplicateHandling(tuple(predicting), example, len(asked))


def _with_repeats(rng: random.Random, cutoff: int) -> Iterator[Query]:
    """Yield queries in which a document occurs twice: a relevant document, a nonrelevant one, a document on
    both sides of the cutoff, and random ones."""
    beyond = [f"d{i}" for i in range(cutoff)]
    for docnos, relevant in (
        ("aba", "a"),
        ("bba", "a"),
        (["a", *beyond[1:], "a", "b"], "ab"),
        (["b", "b", *beyond[2:], "a"], "a"),
    ):
        yield ranked(docnos, [(docno, 3 * (docno in relevant)) for docno in sorted(set(docnos))], first=99)
    for _ in range(_MIXED):
        docnos = rng.choices("abcdefg", k=rng.randint(4, cutoff + 3))
        yield ranked(docnos, [("a", 3), *((docno, rng.randint(0, 3)) for docno in "bcdh")], first=99)
