"""Two results of the same comparisons: what changed from the earlier to the later one."""

from __future__ import annotations

from collections import Counter

from crosscheck.errors import count
from crosscheck.harness.environment import environment
from crosscheck.results import Comparison, Document
from crosscheck.studies.named_runs import TOOL
from crosscheck.study_records.changes import Change, ChangeKind, DiffDocument, VersionChange

__all__ = ["compare_results"]

_BAD = ("mismatch", "error")


def compare_results(
    before: Document, after: Document, *, names: tuple[str, str] = ("the earlier result", "the later result")
) -> DiffDocument:
    """Compare two results of ``crosscheck run``, comparison by comparison.

    Args:
        names: names of the two results, for the document.

    Returns:
        The document, with the comparisons that differ between the results and the programs with other
        versions. Nothing is recomputed; values count as the same only if all bits are.
    """
    old, new = _comparisons(before), _comparisons(after)
    changes: list[Change] = []
    for key in {**new, **old}:
        was, now = old.get(key), new.get(key)
        kind = _kind(was, now)
        if kind is not None:
            changes.append(Change(kind, *key, _told(was), _told(now)))
    then, later = _versions(before), _versions(after)
    return DiffDocument(
        tool=TOOL,
        environment=environment(),
        before=names[0],
        after=names[1],
        comparisons=len({**new, **old}),
        changes=changes,
        versions=[
            VersionChange(name, then.get(name), later.get(name))
            for name in {**then, **later}
            if then.get(name) != later.get(name)
        ],
        summary=_summary(len({**new, **old}), changes),
        notes=[
            f"The {which} result is of a run that was interrupted."
            for which, document in (("earlier", before), ("later", after))
            if not document.complete
        ],
    )


def _comparisons(document: Document) -> dict[tuple[str, str, str, str], Comparison]:
    return {(c.case, c.run, c.measure, c.candidate): c for c in document.comparisons}


def _kind(was: Comparison | None, now: Comparison | None) -> ChangeKind | None:
    if now is None:
        return "left out"
    if (was is None or was.outcome not in _BAD) and now.outcome in _BAD:
        return "new"
    if was is None:
        return "added"
    if was.outcome != now.outcome:
        return "gone" if was.outcome in _BAD and now.outcome == "match" else "other outcome"
    one, other = was.diagnosis, now.diagnosis
    if (one and (one.causes, one.conventions)) != (other and (other.causes, other.conventions)):
        return "other cause"
    if (one and one.strength) != (other and other.strength):
        return "other strength"
    return None if _values(was) == _values(now) else "other values"


def _values(c: Comparison) -> object:
    return c.mean, [(cell.query, cell.reference_value, cell.candidate_value) for cell in c.cells]


def _told(c: Comparison | None) -> str | None:
    if c is None or c.diagnosis is None:
        return None if c is None else c.outcome
    return f"{c.outcome}: {' + '.join(c.diagnosis.causes) or 'unexplained'} ({c.diagnosis.strength})"


def _versions(document: Document) -> dict[str, str]:
    """Versions that the values may depend on: crosscheck, Python, the platform, packages and backends."""
    about = document.environment
    return {
        document.tool.name: document.tool.version,
        "Python": about.python,
        "platform": about.platform,
        "reference": document.reference,
        **about.packages,
        **{f"backend {b.id}": b.version if b.available else "not available" for b in document.backends},
    }


def _summary(comparisons: int, changes: list[Change]) -> str:
    if not changes:
        return f"No change in {count(comparisons, 'comparison')}."
    kinds = Counter(change.change for change in changes)
    counts = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
    return f"{len(changes):,} of {count(comparisons, 'comparison')} changed: {counts}."
