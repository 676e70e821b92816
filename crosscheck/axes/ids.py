"""Axes of ids: documents that occur twice, documents with the id of their query, and the comparison of
ids."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from crosscheck.axes.base import Axis, AxisValue, Mask, PassedAs, Stage, Value, View

if TYPE_CHECKING:
    from crosscheck.model import IdArray


class Duplicates(Value):
    """Handling of a docno that occurs twice in one ranking: it is an error; or the first line, the last line,
    or each line of the document counts."""

    ERROR = "error", "a document that occurs twice is refused", ""
    FIRST = "first", "the first line of a document that occurs twice counts", ""
    LAST = "last", "the last line of a document that occurs twice counts", ""
    EACH = "each", "a document that occurs twice counts twice", ""


def _duplicates_gate(view: View) -> Mask:
    if view.run.unique:
        return view.nowhere
    return view.where_rankings(lambda docnos: len(set(docnos.tolist())) < len(docnos))


DUPLICATES: Axis[Duplicates] = Axis(
    default=Duplicates.ERROR,
    stage=Stage.READ,
    priority=27,
    summary="the first, the last or each line of a document that occurs twice in a ranking counts",
    contrast="{found} (reference: {base})",
    prose="""\
trec_eval refuses a run with a document twice under one query. Tools that read it into a dictionary keep the
last line (pytrec_eval, ranx), others the first, and data-frame joins count it each time (trectools,
cwl_eval), which makes AP larger than 1.""",
    run=("1 Q0 a 1 3.0 tag", "1 Q0 b 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
    means=(
        ("RR", "duplicates=last", 0.5),
        ("RR", "duplicates=first", 1.0),
        ("AP", "duplicates=each", 1.6667),
    ),
    says="RR = {} by the last line of a, {} by its first; AP = {} where both count.",
    way_out="write each document once.",
    needs="documents that occur twice, relevant ones among them",
    tried=lambda view: [Duplicates.EACH, Duplicates.FIRST, Duplicates.LAST],
    gate=_duplicates_gate,
    fixed_when_passed=PassedAs.LEVELS | PassedAs.DICT,
)


class IdenticalIds(Value):
    """Handling of a retrieved document whose docno is the id of its own query."""

    KEPT = "kept", "documents with the id of their own query stay"
    REMOVED = "removed", "documents with the id of their own query are removed"


IDENTICAL_IDS: Axis[IdenticalIds] = Axis(
    default=IdenticalIds.KEPT,
    stage=Stage.READ,
    priority=26,
    summary="a document with the id of its own query is removed from the ranking",
    prose="""\
Where queries are documents of the collection (ArguAna, Quora), a run finds the query itself first. BEIR
removes a document with the id of its query from the run before it calls trec_eval; trec_eval has no such
rule.""",
    qrels=("7 0 a 1",),
    run=("7 Q0 7 1 2.0 tag", "7 Q0 a 2 1.0 tag"),
    means=(("RR", "", 0.5), ("RR", "identical_ids=removed", 1.0)),
    says="RR = {}; {} once document 7 is taken out.",
    way_out="remove such documents when writing the run.",
    needs="retrieved documents that have the id of their query",
    gate=lambda view: view.own_ids,
    fixed_when_passed=PassedAs.ONE_QUERY,
)


_BLANKS = (b" ", b"\t", b"\n", b"\r", b"\f", b"\v")
#: An integer; one with a sign or a leading zero.
_INTEGER, _ODD_INTEGER = re.compile(rb"[+-]?[0-9]+"), re.compile(rb"[+\-0][0-9]+")
#: Number of ids that are examined at once.
_CHUNK = 1 << 16


class Ids(Value):
    """The rule by which two ids, of queries or documents, are the same.

    ``exact``: equal bytes. ``case``: equal without regard to letter case. ``strip``: equal without blanks
    around them. ``int``: equal integers (``01`` and ``1``). ``query-suffix``: for ids of queries, equal parts
    after the last hyphen (``2010-12`` and ``12``); ids of documents are compared by bytes.
    """

    EXACT = "exact", "ids are compared byte for byte"
    CASE = "case", "ids are compared without regard to letter case"
    STRIP = "strip", "blanks around ids do not count"
    INT = "int", "ids are compared as integers"
    QUERY_SUFFIX = "query-suffix", "only the part after the last hyphen of a query id counts"

    def of_query(self, identifier: bytes) -> bytes:
        """The form of a query id. Two ids are the same if their forms are equal."""
        return identifier.rpartition(b"-")[2] if self is Ids.QUERY_SUFFIX else self.normalised(identifier)

    def normalised(self, identifier: bytes) -> bytes:
        """The form of a docno. Two docnos are the same if their forms are equal.

        ``int`` leaves ids unchanged that are not integers or have a thousand bytes or more. ``strip`` also
        removes a byte order mark.
        """
        match self:
            case Ids.EXACT | Ids.QUERY_SUFFIX:
                return identifier
            case Ids.CASE:
                text = identifier.decode("utf-8", "surrogateescape")
                return text.lower().encode("utf-8", "surrogateescape")
            case Ids.STRIP:
                return identifier.removeprefix(b"\xef\xbb\xbf").strip()
            case Ids.INT:
                whole = len(identifier) < 1000 and _INTEGER.fullmatch(identifier)
                return b"%d" % int(identifier) if whole else identifier


def meet(form: Callable[[bytes], bytes], every: set[bytes]) -> bool:
    """Whether two of these ids have the same form."""
    return len(set(map(form, every))) < len(every)


def candidates(columns: Iterable[IdArray]) -> set[Ids]:
    """The rules that may make some of these docnos the same, judged by the characters in the docnos.

    For most runs there is no such rule, and then the docnos, of which there may be many, need not be
    compared.
    """
    rules: set[Ids] = set()
    capital = small = False
    for column in columns:
        for start in range(0, len(column), _CHUNK):
            ids = column[start : start + _CHUNK]
            # For ids of fixed width, the text is read without making an object for each id.
            text = ids.tobytes() if ids.dtype.kind == "S" else b"".join(ids.tolist())
            foreign = not text.isascii()
            capital |= foreign or text != text.lower()
            small |= foreign or text != text.upper()
            if foreign or any(blank in text for blank in _BLANKS):
                rules.add(Ids.STRIP)
            heads = ids.astype("S1")
            signed = ids[(heads == b"+") | (heads == b"-") | (heads == b"0")]
            if any(map(_ODD_INTEGER.fullmatch, signed.tolist())):
                rules.add(Ids.INT)
    return rules | {Ids.CASE} if capital and small else rules


def _ids_options(view: View) -> Sequence[AxisValue]:
    def columns() -> Iterator[IdArray]:
        yield from (run.docnos for run in view.runs())
        yield view.qrels.docnos

    def found() -> list[AxisValue]:
        possible = candidates(columns())
        docnos = {docno for ids in columns() for docno in ids.tolist()} if possible else set()
        topics = set(view.topics)
        alike = {ids for ids in Ids if ids in possible and meet(ids.normalised, docnos)}
        rules = (Ids.CASE, Ids.INT, Ids.STRIP, Ids.QUERY_SUFFIX)
        return [ids for ids in rules if ids in alike or meet(ids.of_query, topics)]

    return [*view.rankings.kept.once("ids that meet", found), Ids.EXACT]


def _ids_gate(view: View) -> Mask:
    meet = len(_ids_options(view)) > 1 or view.conventions[IDS] is not Ids.EXACT
    return view.everywhere if meet else view.nowhere


IDS: Axis[Ids] = Axis(
    default=Ids.EXACT,
    stage=Stage.READ,
    label="id-normalisation",
    priority=28,
    summary="ids of queries or documents that are spelt differently are treated as the same",
    contrast="{found} (reference: {base})",
    prose="""\
trec_eval compares ids byte by byte. Hugging Face evaluate and MS MARCO's script read query ids as integers,
so 01 and 1 are one query; databases and loaders change letter case or trim blanks. gdeval reads 2010-12 as
query 12. If a tool reports its values under the changed ids, these are matched by the same rules.""",
    qrels=("1 0 DocA 1",),
    run=("1 Q0 doca 1 2.0 tag", "1 Q0 DocB 2 1.0 tag"),
    means=(("RR", "", 0.0), ("RR", "ids=case", 1.0)),
    says="RR = {} byte for byte; {} without regard to letter case.",
    way_out="write the ids of the collection unchanged.",
    needs="ids that differ in letter case, in leading zeros, or in blanks around them",
    matters=lambda family: True,
    tried=_ids_options,
    gate=_ids_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.LEVELS,
)
