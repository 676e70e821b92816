"""A document that occurs twice in one ranking."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Mask, PassedAs, Stage, View

__all__ = ["DUPLICATES", "Duplicates"]


class Duplicates(StrEnum):
    """Handling of a docno that occurs twice in one ranking: it is an error, or its first, its last, or each
    of its lines counts."""

    ERROR = "error"
    FIRST = "first"
    LAST = "last"
    EACH = "each"


def _gate(view: View) -> Mask:
    if view.unique:
        return view.nowhere
    return view.where_rankings(lambda docnos: len(set(docnos.tolist())) < len(docnos))


DUPLICATES = Axis(
    name="duplicates",
    default=Duplicates.ERROR,
    stage=Stage.READ,
    position=2,
    label="duplicates",
    priority=27,
    summary="of a document that occurs twice in a ranking the first, the last or each line counts",
    phrases={
        Duplicates.ERROR: "a document that occurs twice in a ranking is refused",
        Duplicates.FIRST: "of a document that occurs twice in a ranking the first line counts",
        Duplicates.LAST: "of a document that occurs twice in a ranking the last line counts",
        Duplicates.EACH: "a document that occurs twice in a ranking counts twice",
    },
    short={
        Duplicates.ERROR: "a document that occurs twice is refused",
        Duplicates.FIRST: "of a document that occurs twice the first line counts",
        Duplicates.LAST: "of a document that occurs twice the last line counts",
        Duplicates.EACH: "a document that occurs twice counts twice",
    },
    cited=dict.fromkeys(Duplicates, ""),  # it says nothing of runs with each document once
    prose="""\
trec_eval refuses a run with a document twice under one query. Tools that read it into a dictionary keep the
last line (pytrec_eval, ranx), others the first, and data-frame joins count it each time (trectools,
cwl_eval), which makes AP larger than 1.
""",
    example=Example(
        qrels=("1 0 a 1",),
        run=("1 Q0 a 1 3.0 tag", "1 Q0 b 2 2.0 tag", "1 Q0 a 3 1.0 tag"),
        values=(
            ("RR", "duplicates=last", 0.5),
            ("RR", "duplicates=first", 1.0),
            ("AP", "duplicates=each", 1.6667),
        ),
        says="RR = {} by the last line of a, {} by its first; AP = {} where both count.",
    ),
    way_out="write each document once.",
    needs="documents that occur twice, relevant ones among them",
    tried=lambda view: [Duplicates.EACH, Duplicates.FIRST, Duplicates.LAST],
    gate=_gate,
    fixed_when_passed=PassedAs.LEVELS | PassedAs.DICT,
)
