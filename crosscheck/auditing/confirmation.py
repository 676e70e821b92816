"""Confirmation on a folder of cases: whether the conventions predict the metric's values there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import pairwise

from crosscheck.audit_records import Confirmation
from crosscheck.auditing.asking import ask
from crosscheck.auditing.audited_metric import AuditedMetric
from crosscheck.auditing.checking import Checked, check
from crosscheck.conventions import Conventions
from crosscheck.errors import CrosscheckError
from crosscheck.formats.cases import find_cases
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Qrels, Run
from crosscheck.probes.probe import Line, Probe, Query

__all__ = ["as_probe", "confirm_on", "record_of"]

#: Larger cases add no information and take longer.
_MOST_QUERIES, _MOST_LINES = 10, 5000


def confirm_on(
    subject: AuditedMetric, folders: Sequence[str], found: Conventions, tolerance: float
) -> list[tuple[str, Checked]]:
    """Evaluate the metric on each small case of some folders; the results as (``case/run``, results) pairs.

    Left out are cases that cannot be read, that hold ids that are not UTF-8, or whose run has more than 10
    queries or 5,000 lines, or no judged query.

    Raises:
        InputError: a folder holds no case.
    """
    return [
        (name, check(subject, ask(subject, [probe]), found, tolerance)) for name, probe in _inputs(folders)
    ]


def record_of(done: list[tuple[str, Checked]]) -> Confirmation:
    """The record of a confirmation, from the results of :func:`confirm_on`."""
    answered = [(name, checked) for name, checked in done if checked.inputs]
    differs = [name for name, checked in answered if not checked.all_met]
    return Confirmation(
        confirmed=len(answered) - len(differs),
        of=len(answered),
        failed=len(done) - len(answered),
        differs=differs,
    )


def _inputs(folders: Sequence[str]) -> Iterator[tuple[str, Probe]]:
    for case in find_cases(folders):
        for path in case.runs:
            name = f"{case.name}/{os.path.basename(path)}"
            try:
                qrels, run = read_qrels(case.qrels), read_run(path)
                small = len(run.topics) <= _MOST_QUERIES and len(run.docnos) <= _MOST_LINES
                if small and set(run.topics) & set(qrels.topics):
                    yield name, as_probe(name, qrels, run)
            except (CrosscheckError, UnicodeDecodeError):
                continue


def as_probe(name: str, qrels: Qrels, run: Run) -> Probe:
    """The input of a case as a probe that reads the mean.

    Raises:
        UnicodeDecodeError: an id is not UTF-8.
    """
    judged: dict[bytes, list[tuple[str, int]]] = {}
    for topic, (a, b) in zip(qrels.topics, pairwise(qrels.offsets.tolist()), strict=True):
        docnos = [docno.decode() for docno in qrels.docnos[a:b].tolist()]
        judged[topic] = list(zip(docnos, qrels.rels[a:b].tolist(), strict=True))
    lines: dict[bytes, list[Line]] = {}
    for topic, (a, b) in zip(run.topics, pairwise(run.offsets.tolist()), strict=True):
        ranks = range(1, b - a + 1) if run.ranks is None else run.ranks[a:b].tolist()
        docnos = [docno.decode() for docno in run.docnos[a:b].tolist()]
        lines[topic] = list(map(Line, docnos, ranks, run.scores[a:b].tolist()))
    queries = tuple(
        (topic.decode(), Query(tuple(judged.get(topic, ())), tuple(lines.get(topic, ()))))
        for topic in sorted({*judged, *lines})
    )
    return Probe(name, queries, None)
