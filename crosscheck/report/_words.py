"""The sentences that every report shares: conventions, evidence and the verdict, in plain English."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from crosscheck.axes import axes
from crosscheck.axes.base import AxisValue
from crosscheck.errors import count
from crosscheck.report._escape import clip
from crosscheck.report._figures import short
from crosscheck.report._groups import Group
from crosscheck.report._statuses import status
from crosscheck.report.page import Status
from crosscheck.results import Document, TieInterval


def convention(axis: str, value: AxisValue) -> str:
    """The behaviour under this axis value, in words; ``axis = value`` where the axis is not known."""
    known = axes().get(axis)
    return (known and known.phrase(value)) or setting(axis, value)


def setting(axis: str, value: AxisValue) -> str:
    """An axis value as it is typed on the command line: ``ties=rank-column``."""
    return f"{axis}={'none' if value is None else value}"


def settings(conventions: Mapping[str, AxisValue]) -> str:
    """Changed axes as they are typed on the command line, separated by commas."""
    return ",".join(setting(axis, value) for axis, value in in_axis_order(conventions))


def in_axis_order(conventions: Mapping[str, AxisValue]) -> list[tuple[str, AxisValue]]:
    """Changed axes in the order of an evaluation, unknown ones last."""
    position = {axis: index for index, axis in enumerate(axes())}
    return sorted(conventions.items(), key=lambda item: (position.get(item[0], len(position)), item[0]))


def changes(conventions: Mapping[str, AxisValue]) -> str:
    """Changed axes as they are typed, each with the behaviour in words."""
    return "; ".join(f"{setting(*one)} ({convention(*one)})" for one in in_axis_order(conventions))


def cause_list(causes: list[str]) -> str:
    """Labels joined by plus signs; ``unexplained`` if there are none."""
    return " + ".join(causes) or "unexplained"


def evidence(group: Group) -> str:
    """The strength of the explanation and the number of queries it reproduces; empty without a diagnosis."""
    if group.diagnosis is None:
        return ""
    strength = group.diagnosis.strength
    diagnoses = [c.diagnosis for c in group.comparisons if c.diagnosis and c.diagnosis.strength == strength]
    held, total = sum(d.reproduced for d in diagnoses), sum(d.of for d in diagnoses)
    fits, tried = sum(d.fits for d in diagnoses), sum(d.tried for d in diagnoses)
    values = reproduced(held, total)
    if len(diagnoses) > 1:
        values += f" (summed over {len(diagnoses):,} comparisons)"
    what = "these conventions reproduce" if group.conventions else "this explains"
    match strength:
        case "proved":
            return f"proved: {what} {values}"
        case "consistent" if tried and total:
            sets = f"{fits:,} of {tried:,} sets of conventions {'does' if fits == 1 else 'do'}"
            return f"consistent, not proved: {what} {values}; {sets}"
        case "consistent":
            return f"consistent, not proved: {what} {values}; another reason is not excluded"
        case "per-query":
            return f"per query: {values} can be reproduced, but not all by the same conventions"
        case "none" if not total:
            return f"none: {values}, cannot be reproduced"
        case "none":
            rest = "the mean is not" if held == total else "the others are not"
            return f"none: {values} can be reproduced, {rest}"


def reproduced(held: int, total: int) -> str:
    """The number of reproduced queries of all compared ones, in words; or that there is only a mean."""
    return f"{held:,} of {count(total, 'query')}" if total else "the mean, the only number there is"


def interval_words(ties: TieInterval) -> str:
    """The range of a value over the orders of tied documents, in words."""
    text = f"any order of the tied documents gives {short(ties.worst)} to {short(ties.best)}"
    return text if ties.expected is None else f"{text}, {short(ties.expected)} on average"


def as_expected(document: Document) -> bool:
    """Whether numbers were compared, every comparison came out as expected, and none was left out."""
    return document.complete and _compared(document) and not _surprises(document)


def _compared(document: Document) -> bool:
    return any(c.outcome in ("match", "mismatch") for c in document.comparisons)


_MISSING = "the comparisons that are not listed here were not made"


def verdict(document: Document) -> str:
    """The result of the whole run in a few sentences."""
    totals = Counter(map(status, document.comparisons))
    head = "" if document.complete else f"Interrupted: {_MISSING}. "
    absent = ", ".join(clip(backend.id) for backend in document.backends if not backend.available)
    tail = f" Not available here, and so not compared: {absent}." if absent else ""
    if not document.comparisons:
        return f"{head}Inconclusive: nothing was compared.{tail}"
    compared, match = totals.total(), totals[Status.AGREE]
    informing = sum(c.informs and status(c) in (Status.DIFFERS, Status.ERROR) for c in document.comparisons)
    parts = [
        f"{match:,} of {count(compared, 'comparison')} {'agrees' if 1 in (match, compared) else 'agree'}",
        *_some(totals[Status.KNOWN], "came out as declared"),
        *_some(totals[Status.UNSUPPORTED], "ask{s} for a measure the candidate lacks"),
        *_some(informing, "differ{s} in a tool that nobody named, which informs and fails nothing"),
    ]
    if surprises := _surprises(document):
        head += f"Not as expected: {_joined(surprises)}. "
    else:
        head += "As expected. " if _compared(document) else "Inconclusive: no two numbers were compared. "
    return f"{head}{_joined(parts)}.{tail}"


def _surprises(document: Document) -> list[str]:
    totals = Counter(status(c) for c in document.comparisons if not c.informs)
    return [
        *_some(totals[Status.UNEXPECTED], "comparison{p} differ{s} without being declared"),
        *_some(totals[Status.STALE], "declared difference{p} no longer happen{s}"),
        *_some(totals[Status.ERROR], "comparison{p} failed"),
    ]


def _some(number: int, said: str) -> list[str]:
    """A number with words about it, as a list; empty for 0.

    In the words, ``{p}`` stands for the plural ending of a noun, ``{s}`` for that of a singular verb.
    """
    one = number == 1
    return [f"{number:,} {said.format(p='' if one else 's', s='s' if one else '')}"] if number else []


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
