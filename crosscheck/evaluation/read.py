"""The first stage: selects the lines of the input that count and the ids that are equal, before anything is
ranked."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from crosscheck.axes.base import Stage
from crosscheck.axes.ids import DUPLICATES, IDENTICAL_IDS, IDS, Duplicates, IdenticalIds, Ids
from crosscheck.axes.judging import UNIVERSE, Universe
from crosscheck.axes.ties import SPECIAL_SCORES, SpecialScores
from crosscheck.conventions import Conventions
from crosscheck.errors import InputError
from crosscheck.formats.grouping import Grouping, group, identifiers
from crosscheck.model import BoolArray, FloatArray, IdArray, Qrels, Run
from crosscheck.rankings.changed_inputs import only_rows, with_rows
from crosscheck.rankings.pairing import JudgedPool


def reads_all(run: Run, conventions: Conventions) -> bool:
    """Whether these conventions read the run and its qrels unchanged.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
    """
    c = conventions
    if not run.unique and c[DUPLICATES] is Duplicates.ERROR:
        raise InputError(
            "a document occurs twice under one query",
            path=run.source,
            expected="each document once per query under duplicates=error, as in trec_eval",
            hint="other conventions accept such a run: duplicates=first, last or each",
        )
    if not run.unique and c[DUPLICATES] is not Duplicates.EACH:
        return False
    if c[UNIVERSE] is Universe.APPENDED:
        return False
    return c.of(Stage.READ).changed <= {DUPLICATES, UNIVERSE}


def as_read_by(run: Run, pool: JudgedPool, conventions: Conventions) -> tuple[Run, JudgedPool]:
    """Run and qrels as a tool with these conventions reads them.

    Uses the axes ``ids``, ``duplicates``, ``identical_ids``, ``special_scores`` and ``universe``, in this
    order. A query remains even if all its documents are removed. Documents that only ``ids`` makes equal
    count once, by their last line, unless ``duplicates`` says otherwise.
    """
    if conventions[IDS] is not Ids.EXACT:
        run, qrels = _same_ids(run, pool.qrels, conventions[IDS])
        pool = JudgedPool(qrels)
    if not run.unique and conventions[DUPLICATES] is not Duplicates.EACH:
        run = _once(run, first=conventions[DUPLICATES] is Duplicates.FIRST)
    if conventions[IDENTICAL_IDS] is IdenticalIds.REMOVED:
        run = only_rows(run, ~has_own_id(run))
    match conventions[SPECIAL_SCORES]:
        case SpecialScores.NONPOSITIVE_DROPPED:
            run = only_rows(run, np.asarray(run.scores > 0))
        case SpecialScores.NAN_KEEPS_PLACE:
            run = replace(run, scores=_sorted_by_python(run))
        case SpecialScores.NAN_LAST:
            pass
    if conventions[UNIVERSE] is Universe.APPENDED:
        run = _with_unretrieved(run, pool)
    return run, pool


def has_own_id(run: Run) -> BoolArray:
    """Mask of the rows whose docno is the id of their own query."""
    return np.asarray(run.docnos == identifiers(list(run.topics))[run.topic_numbers])


def _with_unretrieved(run: Run, pool: JudgedPool) -> Run:
    """The run with the judged documents that a query did not retrieve appended to its lines, with a score of
    0 and the next ranks."""
    in_qrels = pool.places(run.topics)
    judged = np.flatnonzero(in_qrels >= 0)
    topic, rows = pool.rows(in_qrels[judged])
    new = np.ones(len(pool.qrels.docnos), np.bool_)
    new[pool.find(run, in_qrels).entries] = False
    topic, rows = judged[topic[new[rows]]], rows[new[rows]]
    before, number = len(run.docnos), len(rows)
    if not number:
        return run
    sizes = np.bincount(topic, minlength=len(run.topics))
    order = np.insert(np.arange(before), run.offsets[topic + 1], np.arange(before, before + number))
    ranks = run.ranks
    if ranks is not None:
        last = np.zeros(len(run.topics), np.int64)
        np.maximum.at(last, run.topic_numbers, ranks)
        place = np.arange(1, number + 1) - (np.cumsum(sizes) - sizes)[topic]
        ranks = np.concatenate((ranks, last[topic] + place))[order]
    return replace(
        run,
        offsets=run.offsets + np.concatenate(([0], np.cumsum(sizes))),
        docnos=np.concatenate((run.docnos, pool.qrels.docnos[rows]))[order],
        scores=np.concatenate((run.scores, np.zeros(number)))[order],
        ranks=ranks,
        lines=np.concatenate((run.lines, run.lines.max(initial=-1) + 1 + np.arange(number)))[order],
    )


def _once(run: Run, *, first: bool) -> Run:
    """The run with each document once, at its first line, with the score and rank of its first or last line,
    as in a dictionary that is overwritten."""
    kept = np.ones(len(run.docnos), np.bool_)
    source = np.arange(len(run.docnos))
    for start, end in zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        seen: dict[bytes, int] = {}
        for row, docno in enumerate(run.docnos[start:end].tolist(), start):
            place = seen.setdefault(docno, row)
            kept[row] = place == row
            if not first:
                source[place] = row
    ranks = None if run.ranks is None else run.ranks[source]
    return replace(only_rows(replace(run, scores=run.scores[source], ranks=ranks), kept), unique=True)


def _sorted_by_python(run: Run) -> FloatArray:
    """Replacement scores that order the rows of topics with a NaN as Python's descending sort does."""
    scores = run.scores.copy()
    odd = np.isnan(scores)
    for start, end in zip(run.offsets[:-1].tolist(), run.offsets[1:].tolist(), strict=True):
        if odd[start:end].any():
            rows = sorted(range(start, end), key=scores.tolist().__getitem__, reverse=True)
            scores[rows] = np.arange(len(rows), 0, -1)
    return scores


def _same_ids(run: Run, qrels: Qrels, ids: Ids) -> tuple[Run, Qrels]:
    groups, docnos = _regrouped(run, ids)
    run = replace(with_rows(run, groups.order, groups.offsets, groups.topics, docnos), unique=False)
    groups, docnos = _regrouped(qrels, ids)
    qrels = with_rows(qrels, groups.order, groups.offsets, groups.topics, docnos)
    last = {of: row for row, of in enumerate(zip(qrels.topic_numbers.tolist(), docnos.tolist(), strict=True))}
    kept = np.zeros(len(docnos), np.bool_)
    kept[list(last.values())] = True
    return run, only_rows(qrels, kept)


def _regrouped(table: Run | Qrels, ids: Ids) -> tuple[Grouping, IdArray]:
    topics = [ids.of_query(topic) for topic in table.topics]
    groups = group(table.offsets[:-1], topics, len(table.docnos))
    listed = groups.apply(table.docnos).tolist()
    forms = {docno: ids.normalised(docno) for docno in set(listed)}  # many queries hold the same documents
    return groups, identifiers([forms[docno] for docno in listed])
