"""Confirmation on a folder of cases: does the fingerprint predict what the metric says there?"""

from __future__ import annotations

import os
from collections.abc import Iterator

from crosscheck.auditing.asking import Subject
from crosscheck.auditing.record import Confirmation
from crosscheck.compare.differ import align, equal
from crosscheck.conventions import Conventions
from crosscheck.errors import BackendError, CrosscheckError
from crosscheck.formats.cases import find_cases
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.measures.evaluate import evaluate
from crosscheck.model import MeasureValues, Qrels, Run
from crosscheck.rankings.judged import Rankings

__all__ = ["confirm_on"]

#: Larger cases tell nothing more and take their time.
_MOST_QUERIES, _MOST_LINES = 10, 5000


def confirm_on(subject: Subject, folder: str, found: Conventions, tolerance: float) -> Confirmation:
    """Ask the metric about every small case of a folder and compare with what the conventions predict.

    Cases that cannot be read, or that hold more than ten queries, are left out.

    Raises:
        InputError: the folder holds no case.
    """
    confirmed, failed, differs = 0, 0, list[str]()
    for name, qrels, run in _inputs(folder):
        answer = subject.answer(qrels, run)
        if isinstance(answer, BackendError):
            failed += 1
        elif _predicted(subject, qrels, run, answer, found, tolerance):
            confirmed += 1
        else:
            differs.append(name)
    return Confirmation(confirmed, confirmed + len(differs), failed, differs)


def _inputs(folder: str) -> Iterator[tuple[str, Qrels, Run]]:
    for case in find_cases([folder]):
        for path in case.runs:
            try:
                qrels, run = read_qrels(case.qrels), read_run(path)
            except CrosscheckError:
                continue
            small = len(run.topics) <= _MOST_QUERIES and len(run.docnos) <= _MOST_LINES
            if small and set(run.topics) & set(qrels.topics):
                yield f"{case.name}/{os.path.basename(path)}", qrels, run


def _predicted(
    subject: Subject, qrels: Qrels, run: Run, answer: MeasureValues, found: Conventions, tolerance: float
) -> bool:
    rankings = Rankings(run, qrels)
    try:
        ours = evaluate(rankings, subject.measure, found)
    except CrosscheckError:
        return False
    theirs = align(answer, rankings.pairing.universe)
    if not answer.values and answer.mean is not None:
        return ours.mean is not None and abs(ours.mean - answer.mean) <= tolerance
    same = equal(ours.values, theirs.values, tolerance, answer.decimals)
    return bool((ours.present == theirs.present).all() and same[theirs.present].all())
