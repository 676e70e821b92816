"""The unit of the values: fractions, or percentages."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Stage

__all__ = ["PERCENT", "UNIT", "Unit"]

#: The number 1 as a percentage.
PERCENT = 100.0


class Unit(StrEnum):
    """The unit in which values are given: as fractions, or multiplied by 100."""

    FRACTION = "fraction"
    PERCENT = "percent"


UNIT = Axis(
    name="unit",
    default=Unit.FRACTION,
    stage=Stage.FORMULA,
    position=16,
    label="percentage",
    priority=15,
    summary="values are multiplied by 100",
    phrases={
        Unit.FRACTION: "values are fractions",
        Unit.PERCENT: "values are percentages",
    },
    contrast="the values are {found} instead of {base}",
    verb="gives {found}, not {base}",
    short={Unit.FRACTION: "fractions", Unit.PERCENT: "percentages"},
    prose="""\
Papers, leaderboards and the tools made for them print 45.3 where trec_eval prints 0.4530. Two such numbers
agree as soon as both are in the same unit.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(("RR", "", 0.5), ("RR", "unit=percent", 50.0)),
        says="RR = {} as a fraction, {} as a percentage.",
    ),
    way_out="divide by 100 before comparing.",
    needs="any relevant document that was retrieved",
    matters=lambda family: family.aggregate == "mean",
)
