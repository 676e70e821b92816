"""Tools by measures, and how often each tool agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crosscheck.report.comparisons import identity, saved, status, tally
from crosscheck.report.page import Id, Matrix, MatrixCell, Status, Table
from crosscheck.report.tables import Field, table
from crosscheck.results import Comparison, Document

#: The statuses that a report shows first, in this order; below, all statuses in their order.
TROUBLE = (Status.UNEXPECTED, Status.STALE, Status.ERROR, Status.DIFFERS)
_ORDER = (*TROUBLE, Status.KNOWN, Status.AGREE, Status.UNSUPPORTED)


def matrix(document: Document, anchors: dict[tuple[str, str, str, str], str]) -> Matrix:
    """The worst status of each tool on each measure, with the number of queries that differ; measures of the
    most runs come first."""
    own = saved(document)
    fold = dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > 3 else {}
    found: dict[tuple[str, str], list[Comparison]] = {}
    for c in document.comparisons:
        found.setdefault((fold.get(c.candidate, c.candidate), c.measure), []).append(c)
    rows, columns = ([Id(name) for name in dict.fromkeys(key[part] for key in found)] for part in (0, 1))
    runs = Counter(measure for _, _, measure in {(c.case, c.run, c.measure) for c in document.comparisons})
    columns.sort(key=lambda measure: -runs[measure])
    cells = [[_cell(found.get((tool, m), []), anchors) for m in columns] for tool in rows]
    return Matrix("Tools and measures", rows, columns, cells)


def _cell(found: Sequence[Comparison], anchors: dict[tuple[str, str, str, str], str]) -> MatrixCell | None:
    if not found:
        return None
    worst = min(found, key=urgency)
    queries = sum(c.mismatches + c.missing for c in found if status(c) is status(worst))
    return MatrixCell(status(worst), f"{queries:,} q" if queries else "", anchors.get(identity(worst), ""))


def agreement(document: Document) -> Table:
    """A table of how often each candidate agrees; several candidates with saved numbers share one row."""
    own = saved(document)
    versions = {b.id: f"{b.id} {b.version}".rstrip() for b in document.backends}
    fold = dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > 1 else {}
    counts: dict[str, Counter[Status]] = {}
    for name, found in tally(document).items():
        counts.setdefault(fold.get(name, versions.get(name, name)), Counter()).update(found)
    fields: list[Field] = [
        *(("!", lambda row: min(row[1], key=_ORDER.index)), ("@tool", lambda row: row[0])),
        ("#compared", lambda row: row[1].total()),
    ]
    used = {Status.AGREE}.union(*counts.values())
    times = [_times(wanted) for wanted in Status if wanted in used]
    return table("", list(counts.items()), *fields, *times, limit=6, noun="tool")


def _times(wanted: Status) -> Field:
    loud = wanted in (Status.UNEXPECTED, Status.STALE, Status.ERROR)
    return f"#{wanted.upper() if loud else wanted}", lambda row: row[1][wanted]


def urgency(comparison: Comparison) -> int:
    """The position of a comparison's status in the order of reports; 0 comes first."""
    return _ORDER.index(status(comparison))
