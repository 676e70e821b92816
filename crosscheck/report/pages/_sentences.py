"""A finding in one sentence: which tool, what it does, how far its number is off, and where."""

from __future__ import annotations

from crosscheck.axes import axes
from crosscheck.conventions import AxisValue
from crosscheck.errors import count
from crosscheck.report.comparisons import Bundle, differing, printed, status, whole, worst
from crosscheck.report.page import Id, Status, Text
from crosscheck.report.tables import contrast
from crosscheck.report.words import cause_list, in_axis_order, lines, listed
from crosscheck.results import Comparison, Diagnosis, TiedDocument

#: Most measures named besides the one whose numbers are given.
_MEASURES = 4


def finding(group: Bundle) -> Text:
    """The sentence of a group of comparisons, with the query and the document that show the difference."""
    first = group.first
    tool = Id(first.candidate)
    match status(first):
        case Status.STALE:
            gone = first.message or "a declared difference no longer happens"
            return (tool, *_where(group), f": {gone}.")
        case Status.ERROR:
            failed = next(iter(lines(first.message or "")), "") or "it failed without a message"
            return (tool, " failed on ", *_where(group), ": ", failed)
        case _ if first.outcome != "mismatch":
            return (tool, *_where(group), f": {first.outcome}, which is not as declared.")
    does = _does(first.diagnosis) if first.diagnosis else None
    why = first.diagnosis.explanation if first.diagnosis else ""
    told: tuple[str, ...] = (does,) if does else ("differs by ", Id(cause_list(group.causes)), _clause(why))
    if group.causes in ([], ["unexplained"]):
        told = ("differs, and no known convention explains it",)
    if first.diagnosis and not first.diagnosis.trusted:
        told = ("differs, and no cause is named",)
    sure = f"; {group.strength}" if first.diagnosis and group.strength != "none" else ""
    said = (tool, " ", *told, ": ", *_means(first), f" ({_queries(first)}{sure}).")
    return (*said, *_example(first), *_also(group))


def _does(diagnosis: Diagnosis) -> str | None:
    """The behaviour of the tool as verbs of a sentence; None unless conventions explain all differences."""
    if not whole(diagnosis) or not diagnosis.conventions:
        return None
    reference = diagnosis.reference_conventions
    said = [_verb(axis, value, reference) for axis, value in in_axis_order(diagnosis.conventions)]
    return " and ".join(verb for verb in said if verb) if all(said) else None


def _verb(name: str, value: AxisValue, reference: dict[str, AxisValue]) -> str | None:
    axis = axes().get(name)
    return axis.does(reference[name], value) if axis is not None and name in reference else None


def _clause(explanation: str) -> str:
    """The first clause of an explanation, in brackets and without the caveats that follow."""
    first = explanation.partition("; ")[0].removesuffix(".")
    return f" ({first})" if first else ""


def _means(c: Comparison) -> tuple[str, ...]:
    if c.mean.match:
        return Id(c.measure), " has the same mean, but not the same queries"
    mean = contrast(c.mean.reference_value, c.mean.candidate_value, printed(c))
    return Id(c.measure), f" {mean.candidate} instead of {mean.reference}"


def _queries(c: Comparison) -> str:
    if not c.queries:
        return "only means were compared"
    said = differing(c)
    return "only the mean" if said == "mean only" else f"{said} {'query' if c.queries == 1 else 'queries'}"


def _example(c: Comparison) -> tuple[str, ...]:
    """The most different query, and the document that shows why."""
    cells = [cell for _, cell in worst(Bundle((c,)))]
    shown = next((cell for cell in cells if cell.documents), next(iter(cells), None))
    if shown is None:
        return ()
    if shown.documents:
        told = shown.documents[0]
        level = "unjudged " if told.rel is None else "relevant " if told.rel > 0 else "nonrelevant "
        return (" Query ", Id(shown.query), f": {level}document ", Id(told.docno), f" {_change(told)}.")
    values = contrast(shown.reference_value, shown.candidate_value, printed(c))
    return (" Query ", Id(shown.query), f": {values.candidate} instead of {values.reference}.")


def _change(d: TiedDocument) -> str:
    """A verb phrase about a document: how its rank changes, or what it adds to the value at the same rank."""
    before, after = d.reference_rank, d.candidate_rank
    if before is None or after is None:
        return f"is left out, from rank {before:,}" if before is not None else f"comes in at rank {after:,}"
    if before != after:
        return f"moves from rank {before:,} to {after:,}"
    if d.reference_adds is None or d.candidate_adds is None:
        return f"stays at rank {before:,}"
    told = contrast(d.reference_adds, d.candidate_adds)
    return f"at rank {before:,} adds {told.candidate} instead of {told.reference}"


def _also(group: Bundle) -> tuple[str, ...]:
    """A sentence that names the other measures and runs with the same finding; nothing if there are none."""
    rest = group.comparisons[1:]
    if not rest:
        return ()
    others = [m for m in dict.fromkeys(c.measure for c in rest) if m != group.first.measure]
    cases = len({(c.case, c.run) for c in group.comparisons})
    where = f" in {count(cases, 'run')}" if cases > 1 else ""
    if not others:
        return (f" The same{where}.",)
    return (" Also ", *listed(others, _MEASURES), f"{where}.")


def _where(group: Bundle) -> tuple[str, ...]:
    measures = list(dict.fromkeys(c.measure for c in group.comparisons))
    runs = list(dict.fromkeys((c.case, c.run) for c in group.comparisons))
    one = (" of ", Id(" / ".join(runs[0])))
    place = (f" in {count(len(runs), 'run')}",) if len(runs) > 1 else one
    head = () if status(group.first) is Status.ERROR else (", ",)
    return (*head, *listed(measures, _MEASURES), *place)
