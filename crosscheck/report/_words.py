"""The sentences that every report shares: conventions, evidence and the verdict, in plain English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields

from crosscheck.conventions import AxisValue, Conventions
from crosscheck.report._escape import clip
from crosscheck.report._figures import count, short
from crosscheck.report._groups import Group, Status, tally
from crosscheck.results import Document, TieInterval

__all__ = [
    "as_expected",
    "cause_list",
    "convention",
    "evidence",
    "in_axis_order",
    "interval_words",
    "setting",
    "settings",
    "verdict",
]

_TIED = "documents with equal scores"

#: axis -> value -> what a tool with that value does. ``{n}`` stands for a number.
_SENTENCES: dict[str, dict[str, str]] = {
    "order": {
        "score": "documents are ranked by score",
        "rank-column": "documents are ranked by the rank column, whatever their scores",
        "input": "documents are ranked in the order of the run file, whatever their scores",
    },
    "ties": {
        "docid-desc": f"{_TIED} are ordered by docno, highest first",
        "docid-asc": f"{_TIED} are ordered by docno, lowest first",
        "input": f"{_TIED} keep the order of the run file",
        "reverse-input": f"{_TIED} take the reverse order of the run file",
        "rank-column": f"{_TIED} are ordered by the rank column",
        "best": f"{_TIED} take the order that gives the highest value",
        "worst": f"{_TIED} take the order that gives the lowest value",
        "average": f"{_TIED} take every order, and the values are averaged",
        "group-end": f"{_TIED} are one group, and precision is taken behind it",
        "quicksort": f"{_TIED} stand as numba's quicksort leaves them, shuffled from 16 documents on",
        "quicksort-twice": f"{_TIED} stand as numba's quicksort leaves them when it runs twice",
    },
    "score_precision": {
        "float32": "scores are compared in single precision (float32)",
        "float64": "scores are compared in double precision (float64)",
    },
    "special_scores": {
        "nan-last": "every score counts, and a NaN score stands last",
        "nan-keeps-place": "a NaN score keeps its place in the sort",
        "nonpositive-dropped": "documents with a score of 0 or below count as not retrieved",
    },
    "duplicates": {
        "error": "a document that stands twice in a ranking is refused",
        "first": "of a document that stands twice in a ranking the first line counts",
        "last": "of a document that stands twice in a ranking the last line counts",
        "each": "a document that stands twice in a ranking counts twice",
    },
    "identical_ids": {
        "kept": "a document with the id of its own query stays in the ranking",
        "removed": "a document with the id of its own query is taken out",
    },
    "ids": {
        "exact": "ids are compared byte for byte",
        "case": "ids are compared without regard to letter case",
        "strip": "ids are compared without the blanks around them",
        "int": "ids are compared as integers: 01 is 1",
    },
    "universe": {
        "qrels": "all judged documents exist, retrieved or not",
        "retrieved": "only the retrieved documents exist",
    },
    "depth": {
        "none": "every retrieved document counts",
        "n": "only the first {n} documents of a query count",
    },
    "unjudged": {
        "nonrelevant": "documents without a judgement count as not relevant",
        "removed": "documents without a judgement are removed from the ranking",
        **{
            f"level-{n}": f"documents without a judgement count as judged at relevance level {n}"
            for n in range(5)
        },
    },
    "judged_depth": {
        "none": "bpref looks at all judged documents of a ranking",
        "n": "bpref looks at the first {n} judged documents only, unjudged ones not counted",
    },
    "negatives": {
        "unjudged": "a negative relevance level counts as not judged",
        "nonrelevant": "a negative relevance level counts as judged not relevant",
        "relevant": "bpref takes a negative relevance level for relevant where it is retrieved",
    },
    "relevance_level": {"n": "a document is relevant from relevance level {n} on"},
    "gain": {
        "linear": "the gain of a document is its relevance level",
        "exponential": "the gain of a document is 2^level - 1, not its level",
        "binary": "the gain of every relevant document is 1, whatever its level",
    },
    "discount": {
        "log2(i+1)": "the gain at rank i is divided by log2(i + 1)",
        "jarvelin": "the gain at rank i is divided by log2(i), and by 1 at rank 1",
        "ln-jarvelin": "the gain at rank i is divided by ln(i), and by 1 at rank 1",
        "ln(i+1)": "the gain at rank i is divided by ln(i + 1)",
        "rank": "the gain at rank i is divided by i",
        "none": "the gain is not discounted by rank",
    },
    "ideal": {
        "qrels": "the ideal ranking is made of all judged documents, cut at k",
        "retrieved": "the ideal ranking is made of the retrieved documents only",
        "hits-returned": "the ideal ranking is cut at the number of retrieved documents",
        "max-grade": "the ideal ranking has the highest level of the qrels at every rank",
        "untruncated": "the ideal ranking is made of all judged documents and not cut at k",
    },
    "precision_denominator": {
        "k": "precision at k divides by k",
        "min(k,retrieved)": "precision at k divides by the documents retrieved where they are fewer than k",
        "judged": "precision at k divides by the judged documents among the first k",
    },
    "recall_denominator": {
        "R": "recall divides by the number of relevant documents",
        "min(R,k)": "recall at k divides by k where more than k documents are relevant",
        "retrieved-R": "recall divides by the number of relevant documents in the run",
    },
    "ap_denominator": {
        "R": "average precision divides by the number of relevant documents",
        "retrieved-relevant": "average precision divides by the number of relevant documents retrieved",
        "min(R,k)": "average precision at k divides by k where more than k documents are relevant",
    },
    "rprec_denominator": {
        "R": "R-precision divides by R",
        "min(R,retrieved)": "R-precision divides by the documents retrieved where they are fewer than R",
    },
    "rr_cutoff": {
        "none": "reciprocal rank looks at the whole ranking",
        "n": "reciprocal rank is 0 where the first relevant document is below rank {n}",
    },
    "bpref_form": {
        "trec_eval": "bpref counts 1 per retrieved relevant document where nothing is judged not relevant",
        "zero-when-no-nonrelevant": "bpref is 0 where nothing is judged not relevant",
        "nan-when-no-nonrelevant": "bpref is NaN where nothing is judged not relevant and something relevant "
        "is retrieved",
        "over-R": "bpref divides by R instead of min(N, R)",
        "bpref-10": "bpref counts the first 10 + R documents judged not relevant",
    },
    "recall_points": {
        "floor+0.9": "recall point p asks for floor(p * R + 0.9) relevant documents",
        "round": "recall point p asks for p * R relevant documents, rounded",
        "exact": "recall point p asks for the fewest relevant documents that reach it",
    },
    "geometric_floor": {
        "max": "a geometric mean counts every value below 0.00001 as 0.00001",
        "replace-zero": "a geometric mean counts 0 as 0.00001, and other values as they are",
        "none": "a geometric mean is 0 where one value is 0",
    },
    "missing_queries": {
        "dropped": "judged queries without results have no value",
        "zero": "judged queries without results count as 0",
        "nan": "judged queries without results are NaN (not a number), and so is the mean",
        "nan-without-hits": "queries that found nothing relevant are NaN (not a number), and so is the mean",
        "dropped-without-hits": "queries that found nothing relevant have no value",
        "dropped-without-relevant": "queries whose whole ranking holds nothing relevant have no value",
    },
    "no_relevant": {
        "zero": "queries without relevant documents score 0",
        "one": "queries without relevant documents score 1",
        "skip": "queries without relevant documents have no value",
        "nan": "queries without relevant documents score NaN (not a number)",
    },
    "query_set": {
        "run-and-qrels": "the mean or sum is over the queries that have a value",
        "qrels": "the mean or sum is over all judged queries",
        "run": "the mean or sum is over all queries of the run",
    },
    "rounding": {"none": "values are not rounded", "n": "values are rounded to {n} decimals"},
}


def convention(axis: str, value: AxisValue) -> str:
    """What a tool with this axis value does, in words; ``axis = value`` where nobody wrote a sentence."""
    sentences = _SENTENCES.get(axis, {})
    if isinstance(value, int) and "n" in sentences:
        return sentences["n"].replace("{n}", str(value))
    return sentences.get("none" if value is None else str(value), setting(axis, value))


def setting(axis: str, value: AxisValue) -> str:
    """An axis value as it is typed on the command line: ``ties=rank-column``."""
    return f"{axis}={'none' if value is None else value}"


def settings(conventions: Mapping[str, AxisValue]) -> str:
    """Changed axes as they are typed on the command line, separated by commas."""
    return ",".join(setting(axis, value) for axis, value in in_axis_order(conventions))


def in_axis_order(conventions: Mapping[str, AxisValue]) -> list[tuple[str, AxisValue]]:
    """Changed axes in the order of :class:`~crosscheck.conventions.Conventions`, unknown ones last."""
    position = {field.name: index for index, field in enumerate(fields(Conventions))}
    return sorted(conventions.items(), key=lambda item: (position.get(item[0], len(position)), item[0]))


def cause_list(causes: list[str]) -> str:
    """Labels joined for reading; a mismatch without any is unexplained."""
    return " + ".join(causes) or "unexplained"


def evidence(group: Group) -> str:
    """How sure the explanation is, and on how many queries it was tested; empty without a diagnosis."""
    if group.diagnosis is None:
        return ""
    diagnoses = [c.diagnosis for c in group.comparisons if c.diagnosis]
    held = sum(d.reproduced for d in diagnoses)
    total = sum(d.of for d in diagnoses)
    values = f"{held:,} of {count(total, 'query')}"
    if len(diagnoses) > 1:
        values += f" (summed over {len(diagnoses):,} comparisons)"
    match group.diagnosis.strength:
        case "proved":
            what = "these conventions reproduce" if group.conventions else "this explains"
            return f"proved: {what} {values}"
        case "per-query":
            return f"per query: {values} can be reproduced, but not all by the same conventions"
        case "interval":
            return f"not proved: some order of the tied documents could give these values, on {values}"
        case "none":
            rest = "the mean is not" if held == total else "the others are not"
            return f"none: {values} can be reproduced, {rest}"


def interval_words(ties: TieInterval) -> str:
    """What the order of tied documents can make of a value."""
    text = f"any order of the tied documents gives {short(ties.worst)} to {short(ties.best)}"
    return text if ties.expected is None else f"{text}, {short(ties.expected)} on average"


def as_expected(document: Document) -> bool:
    """Whether numbers were compared, every comparison came out as expected, and none was left out."""
    return document.complete and _compared(document) and not _surprises(_totals(document))


def _compared(document: Document) -> bool:
    return any(c.outcome in ("match", "mismatch") for c in document.comparisons)


def verdict(document: Document) -> str:
    """The result of the whole run in a few sentences."""
    totals = _totals(document)
    head = (
        "" if document.complete else "Interrupted: the comparisons that are not listed here were not made. "
    )
    absent = [backend.id for backend in document.backends if not backend.available]
    tail = f" Not available here, and so not compared: {', '.join(map(clip, absent))}." if absent else ""
    if not document.comparisons:
        return f"{head}Inconclusive: nothing was compared.{tail}"
    compared = totals.total()
    match, known, unsupported = (totals[s] for s in (Status.MATCH, Status.KNOWN, Status.UNSUPPORTED))
    agrees = "agrees" if 1 in (match, compared) else "agree"
    parts = [f"{match:,} of {count(compared, 'comparison')} {agrees}"]
    if known:
        parts.append(f"{known:,} came out as declared")
    if unsupported:
        parts.append(
            f"{unsupported:,} {'asks' if unsupported == 1 else 'ask'} for a measure the candidate lacks"
        )
    surprises = _surprises(totals)
    if surprises:
        head += f"Not as expected: {_joined(surprises)}. "
    else:
        head += "As expected. " if _compared(document) else "Inconclusive: no two numbers were compared. "
    return f"{head}{_joined(parts)}.{tail}"


def _surprises(totals: Counter[Status]) -> list[str]:
    found = []
    if n := totals[Status.UNEXPECTED]:
        found.append(f"{count(n, 'comparison')} {'differs' if n == 1 else 'differ'} without being declared")
    if n := totals[Status.STALE]:
        found.append(f"{count(n, 'declared difference')} no longer {'happens' if n == 1 else 'happen'}")
    if n := totals[Status.ERROR]:
        found.append(f"{count(n, 'comparison')} failed")
    return found


def _totals(document: Document) -> Counter[Status]:
    return sum(tally(document).values(), Counter())


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
