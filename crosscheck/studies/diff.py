"""Two results of the same comparisons: what changed from the earlier to the later one."""

from collections import Counter
from typing import ClassVar, Literal, TypeAlias

from msgspec import Struct, field

from crosscheck.errors import ArgumentError, count, in_short
from crosscheck.harness.document import made_by
from crosscheck.report.kinds import DocumentKind
from crosscheck.report.page import Id, Page, Section, Status
from crosscheck.report.tables import table
from crosscheck.results import Comparison, Document, identity
from crosscheck.studies.base import STUDY_VERSION, StudyDocument, study_page

ChangeKind: TypeAlias = Literal[
    "new", "gone", "other cause", "other outcome", "other strength", "other values", "added", "left out"
]
_BAD = ("mismatch", "error")


class Change(Struct, frozen=True):
    """A comparison whose result differs between an earlier and a later document.

    Attributes:
        change: the kind of change:
            ``new``: a mismatch or error now, but not before;
            ``gone``: a mismatch or error before, a match now;
            ``other outcome``: the outcome changed in any other way;
            ``other cause``: the same outcome, but different labels or conventions;
            ``other strength``: the same cause, but a different strength;
            ``other values``: only values or means differ;
            ``added``: only in the later document, and neither a mismatch nor an error;
            ``left out``: only in the earlier document.
        before, after: the outcome, with labels and strength for a mismatch; null if the document does not
            have the comparison.
    """

    change: ChangeKind
    case: str
    run: str
    measure: str
    candidate: str
    before: str | None
    after: str | None


class VersionChange(Struct, frozen=True):
    """A program or package whose version changed. The version is null in a document without the program."""

    name: str
    before: str | None
    after: str | None


class DiffDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck diff``, as written to JSON: two result documents, compared.

    Attributes:
        before, after: names of the two documents.
        comparisons: number of comparisons that are in at least one of the documents.
        changes: the changes in the order of the later document; comparisons that it does not have are last.
    """

    _rows: ClassVar[str] = "changes"

    study: Literal["diff"] = "diff"
    before: str
    after: str
    comparisons: int
    changes: list[Change]
    versions: list[VersionChange]
    summary: str
    notes: list[str] = field(default_factory=list)


def diff(
    before: Document, after: Document, *, names: tuple[str, str] = ("the earlier result", "the later result")
) -> DiffDocument:
    """Compare two results of ``crosscheck run``, comparison by comparison.

    Args:
        names: names of the two results, for the document.

    Returns:
        The document, with the comparisons that differ between the results, and the programs whose versions
        differ. Nothing is recomputed. Values are equal only if all their bits are.
    """
    for one in (before, after):
        if not isinstance(one, Document):
            hint = "give documents that crosscheck.run returned; the command crosscheck diff takes files"
            raise ArgumentError(f"{in_short(one)} is no result of crosscheck run", hint=hint)
    old, new = ({identity(c): c for c in document.comparisons} for document in (before, after))
    both = {key: (old.get(key), new.get(key)) for key in {**new, **old}}
    kinds = {key: kind for key, sides in both.items() if (kind := _change(*sides))}
    changes = [Change(kind, *key, *map(_outcome, both[key])) for key, kind in kinds.items()]
    then, later = _versions(before), _versions(after)
    versions = {name: (then.get(name), later.get(name)) for name in {**then, **later}}
    interrupted = [w for w, one in (("earlier", before), ("later", after)) if not one.complete]
    return DiffDocument(
        **made_by(),
        before=names[0],
        after=names[1],
        comparisons=len(both),
        changes=changes,
        versions=[VersionChange(name, *of) for name, of in versions.items() if of[0] != of[1]],
        summary=_summary(len(both), changes),
        notes=[f"The {which} result is of a run that was interrupted." for which in interrupted],
    )


def _change(was: Comparison | None, now: Comparison | None) -> ChangeKind | None:
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
    """The values that were compared; None for an error, where older results lack the reference's mean."""
    if c.outcome not in ("match", "mismatch"):
        return None
    return c.mean, [(cell.query, cell.reference_value, cell.candidate_value) for cell in c.cells]


def _outcome(c: Comparison | None) -> str | None:
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


#: Kinds of change in words, where the kind alone says too little.
_WORDS: dict[str, str] = {
    "new": "newly differing",
    "gone": "no longer differing",
    "left out": "no longer compared",
    "added": "newly compared",
}


def _summary(comparisons: int, changes: list[Change]) -> str:
    if not changes:
        return f"No change in {count(comparisons, 'comparison')}."
    kinds = Counter(change.change for change in changes)
    counts = ", ".join(f"{number:,} {_WORDS.get(kind, kind)}" for kind, number in kinds.most_common())
    return f"{len(changes):,} of {count(comparisons, 'comparison')} changed: {counts}."


def _page(document: DiffDocument) -> Page:
    """The changes between two results, then the programs with another version."""
    place = ("@case / run", lambda change: f"{change.case} / {change.run}")
    said = ("change", lambda change: _WORDS.get(change.change, change.change))
    fields = (said, place, "@measure", "@tool=candidate", "@before", "@after")
    changes = table("", document.changes, *fields, limit=100, noun="change")
    versions = table("", document.versions, "@name", "@before", "@after", limit=100, noun="version")
    return study_page(
        document,
        ("From ", Id(document.before), " to ", Id(document.after)),
        Section("Comparisons that changed", [changes]),
        Section("Programs that changed", [versions]),
        status=Status.UNEXPECTED if document.changes else Status.AGREE,
    )


#: The command ``crosscheck diff`` is in ``crosscheck/cli/files.py``, because it also compares saved values.
STUDY = DocumentKind("diff", DiffDocument, _page, STUDY_VERSION)
