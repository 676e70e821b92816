"""Removal of the first document of every ranking."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Stage

__all__ = ["FIRST_RESULT", "FirstResult"]


class FirstResult(StrEnum):
    """Whether the first document of a ranking counts or is removed before ranks are counted."""

    COUNTED = "counted"
    SKIPPED = "skipped"


FIRST_RESULT = Axis(
    name="first_result",
    default=FirstResult.COUNTED,
    stage=Stage.JUDGE,
    position=6,
    label="first-result",
    priority=45,
    summary="the first document of every ranking is left out, as if it were the query itself",
    phrases={
        FirstResult.COUNTED: "the first document of a ranking counts",
        FirstResult.SKIPPED: "the first document of a ranking is left out, and the others move up",
    },
    contrast="{found}",
    prose="""\
If the query is a document of the collection, it finds itself first. BEIR removes the document with the id of
the query; MTEB's skip_first_result removes the first document, whatever it is, before the cutoff, in tasks
with that setting.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 1"),
        run=("1 Q0 a 1 3.0 tag", "1 Q0 x 2 2.0 tag", "1 Q0 b 3 1.0 tag"),
        values=(("RR", "", 1.0), ("RR", "first_result=skipped", 0.5)),
        says="RR = {}; {} where a is left out and b is second.",
    ),
    way_out="remove the query itself from the run, by its id.",
    needs="relevant documents at the first rank and below it",
)
