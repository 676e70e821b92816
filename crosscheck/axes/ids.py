"""Ids that are spelt differently and treated as the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View

if TYPE_CHECKING:
    from crosscheck.model import IdArray

__all__ = ["IDS", "Ids", "candidates", "meet"]

_BLANKS = (b" ", b"\t", b"\n", b"\r", b"\f", b"\v")
#: An integer with a sign or a leading zero.
_ODD_INTEGER = re.compile(rb"[+\-0][0-9]+")
#: Number of ids that are searched at once.
_CHUNK = 1 << 16


class Ids(StrEnum):
    """Comparison of two ids (of queries or documents).

    Exact bytes; without regard to letter case; without the blanks around them; as integers (``01`` is ``1``);
    or, for queries only, by the part after the last hyphen (``2010-12`` is ``12``).
    """

    EXACT = "exact"
    CASE = "case"
    STRIP = "strip"
    INT = "int"
    QUERY_SUFFIX = "query-suffix"

    def of_query(self, identifier: bytes) -> bytes:
        """The form in which two ids of queries are compared."""
        return identifier.rpartition(b"-")[2] if self is Ids.QUERY_SUFFIX else self.normalised(identifier)

    def normalised(self, identifier: bytes) -> bytes:
        """The form in which two ids of documents are compared.

        ``int`` leaves ids that are not integers, or have a thousand digits, unchanged. ``strip`` also removes
        a byte order mark.
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
                whole = len(identifier) < 1000 and re.fullmatch(rb"[+-]?[0-9]+", identifier)
                return b"%d" % int(identifier) if whole else identifier


def meet(form: Callable[[bytes], bytes], every: set[bytes]) -> bool:
    """Whether two of the ids ``every`` have the same form."""
    return len(set(map(form, every))) < len(every)


def candidates(columns: Iterable[IdArray]) -> set[Ids]:
    """The rules that may make ids of documents equal, judged by the characters that occur in the ids.

    For most runs there is no such rule, so that their ids, which can be many, need not be compared.
    """
    found: set[Ids] = set()
    capital = small = False
    for column in columns:
        for start in range(0, len(column), _CHUNK):
            ids = column[start : start + _CHUNK]
            # Without building every id, where they are of fixed width.
            text = ids.tobytes() if ids.dtype.kind == "S" else b"".join(ids.tolist())
            foreign = not text.isascii()
            capital |= foreign or text != text.lower()
            small |= foreign or text != text.upper()
            if foreign or any(blank in text for blank in _BLANKS):
                found.add(Ids.STRIP)
            heads = ids.astype("S1")
            signed = ids[(heads == b"+") | (heads == b"-") | (heads == b"0")]
            if any(map(_ODD_INTEGER.fullmatch, signed.tolist())):
                found.add(Ids.INT)
    return found | {Ids.CASE} if capital and small else found


def _options(view: View) -> Sequence[AxisValue]:
    def columns() -> Iterator[IdArray]:
        yield from (run.docnos for run in view.runs())
        yield view.qrels.docnos

    def found() -> list[AxisValue]:
        possible = candidates(columns())
        docnos = {docno for ids in columns() for docno in ids.tolist()} if possible else set()
        topics = set(view.topics)
        rules = (Ids.CASE, Ids.INT, Ids.STRIP, Ids.QUERY_SUFFIX)
        return [
            ids
            for ids in rules
            if (ids in possible and meet(ids.normalised, docnos)) or meet(ids.of_query, topics)
        ]

    return [*view.remembered("ids that meet", found), Ids.EXACT]


def _gate(view: View) -> Mask:
    meet = len(_options(view)) > 1 or view.conventions[IDS] is not Ids.EXACT
    return view.everywhere if meet else view.nowhere


IDS = Axis(
    name="ids",
    default=Ids.EXACT,
    stage=Stage.READ,
    position=4,
    label="id-normalisation",
    priority=28,
    summary="ids of queries or documents that are spelt differently are treated as the same",
    phrases={
        Ids.EXACT: "ids are compared byte for byte",
        Ids.CASE: "ids are compared without regard to letter case",
        Ids.STRIP: "ids are compared without the blanks, or a byte order mark, around them",
        Ids.INT: "ids are compared as integers: 01 is 1",
        Ids.QUERY_SUFFIX: "query ids are compared by the part after their last hyphen: 2010-12 is 12",
    },
    short={
        Ids.STRIP: "blanks around ids do not count",
        Ids.INT: "ids are compared as integers",
        Ids.QUERY_SUFFIX: "only the part after the last hyphen of a query id counts",
    },
    prose="""\
trec_eval compares ids byte by byte. Hugging Face evaluate and MS MARCO's script read query ids as integers,
so 01 and 1 are one query; databases and loaders change letter case or trim blanks. gdeval reads 2010-12 as
query 12. If a tool reports its values under the changed ids, these are matched by the same rules.
""",
    example=Example(
        qrels=("1 0 DocA 1",),
        run=("1 Q0 doca 1 2.0 tag", "1 Q0 DocB 2 1.0 tag"),
        values=(("RR", "", 0.0), ("RR", "ids=case", 1.0)),
        says="RR = {} byte for byte; {} without regard to letter case.",
    ),
    way_out="write the ids of the collection unchanged.",
    needs="ids that differ in letter case, in leading zeros, or in blanks around them",
    matters=lambda family: True,
    tried=_options,
    gate=_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.LEVELS,
)
