"""Ids that are spelt differently and treated as the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Handed, Mask, Stage, View

__all__ = ["IDS", "Ids", "meet"]


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
        return _FORMS[self](identifier)


def _folded(identifier: bytes) -> bytes:
    if identifier.isascii():
        return identifier.lower()
    return identifier.decode("utf-8", "surrogateescape").lower().encode("utf-8", "surrogateescape")


def _stripped(identifier: bytes) -> bytes:
    return identifier.removeprefix(b"\xef\xbb\xbf").strip()


def _as_integer(identifier: bytes) -> bytes:
    if identifier[:1] not in b"+-0":
        return identifier  # as most ids; no integer has another form without a sign or zeros
    whole = len(identifier) < 1000 and re.fullmatch(rb"[+-]?[0-9]+", identifier)
    return b"%d" % int(identifier) if whole else identifier


#: The forms in which ids of documents are compared.
_FORMS: dict[Ids, Callable[[bytes], bytes]] = {
    Ids.EXACT: bytes,
    Ids.CASE: _folded,
    Ids.STRIP: _stripped,
    Ids.INT: _as_integer,
    Ids.QUERY_SUFFIX: bytes,
}


def meet(form: Callable[[bytes], bytes], every: set[bytes]) -> bool:
    """Whether ids with different bytes become equal."""
    changed = [other for identifier in every if (other := form(identifier)) != identifier]
    return len(set(changed)) < len(changed) or not every.isdisjoint(changed)


def _options(view: View) -> Sequence[AxisValue]:
    def found() -> list[AxisValue]:
        docnos = {*view.run.docnos.tolist(), *view.qrels.docnos.tolist()}
        topics = {*view.run.topics, *view.qrels.topics}
        rules = (Ids.CASE, Ids.INT, Ids.STRIP, Ids.QUERY_SUFFIX)
        return [ids for ids in rules if meet(_FORMS[ids], docnos) or meet(ids.of_query, topics)]

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
        Ids.STRIP: "ids are compared without the blanks around them",
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
    settled_by=Handed.LEVELS,
)
