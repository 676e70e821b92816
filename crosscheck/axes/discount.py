"""The divisor of the gain at each rank."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, Stage, View

__all__ = ["DISCOUNT", "Discount"]


class Discount(StrEnum):
    """Divisor of the gain at rank i.

    A logarithm of i + 1; the logarithm of i to base b if that is above 1, or else 1; i itself; or none.
    ``jarvelin`` is b = 2: 1 at ranks 1 and 2, then log2(i). ``ln-jarvelin`` is ln(i), and 1 at rank 1 only.
    """

    LOG2 = "log2(i+1)"
    JARVELIN = "jarvelin"
    LN_JARVELIN = "ln-jarvelin"
    LN = "ln(i+1)"
    JARVELIN_3 = "jarvelin-3"
    JARVELIN_10 = "jarvelin-10"
    LOG10 = "log10(i+1)"
    RANK = "rank"
    NONE = "none"


def _gate(view: View) -> Mask:
    judged = view.unordered
    return view.over_all_topics(judged.count(judged.topic[judged.rel > 0]) > 0)


def _options(view: View) -> Sequence[AxisValue]:
    # In a ratio of two sums the base of a plain logarithm cancels.
    plain_log = [] if view.family.ratio else [Discount.LN, Discount.LOG10]
    rest = [Discount.RANK, Discount.NONE, Discount.LOG2, Discount.JARVELIN_3, Discount.JARVELIN_10]
    return [Discount.JARVELIN, Discount.LN_JARVELIN, *plain_log, *rest]


DISCOUNT = Axis(
    name="discount",
    default=Discount.LOG2,
    stage=Stage.FORMULA,
    position=4,
    weighs=True,
    label="discount",
    priority=17,
    summary="gains are discounted by another function of the rank",
    phrases={
        Discount.LOG2: "the gain at rank i is divided by log2(i + 1)",
        Discount.JARVELIN: "the gain at rank i is divided by log2(i), and by 1 at rank 1",
        Discount.LN_JARVELIN: "the gain at rank i is divided by ln(i), and by 1 at rank 1",
        Discount.LN: "the gain at rank i is divided by ln(i + 1)",
        Discount.JARVELIN_3: "the gain at rank i is divided by the logarithm of i to base 3 from rank 3 on",
        Discount.JARVELIN_10: "the gain at rank i is divided by log10(i) from rank 10 on",
        Discount.LOG10: "the gain at rank i is divided by log10(i + 1)",
        Discount.RANK: "the gain at rank i is divided by i",
        Discount.NONE: "the gain is not discounted by rank",
    },
    contrast="the discount is {found} instead of {base}",
    verb="discounts by {found}, not by {base}",
    short={
        Discount.LOG2: "log2(rank + 1)",
        Discount.JARVELIN: "1 at rank 1, then log2(rank)",
        Discount.LN_JARVELIN: "1 at rank 1, then ln(rank)",
        Discount.LN: "ln(rank + 1)",
        Discount.JARVELIN_3: "1 above rank 3, then log3(rank)",
        Discount.JARVELIN_10: "1 above rank 10, then log10(rank)",
        Discount.LOG10: "log10(rank + 1)",
        Discount.RANK: "the rank",
        Discount.NONE: "1 at every rank",
    },
    cited={Discount.LOG2: "log2(i+1) discount", Discount.NONE: "no discount"},
    prose="""\
trec_eval divides the gain at rank i by log2(i + 1). Järvelin and Kekäläinen's first form has a base b: ranks
above b are not discounted, and from rank b on the gain is divided by the logarithm of the rank to that base.
With b = 2 that leaves ranks 1 and 2 alone; some code uses the natural logarithm from rank 2 on.
""",
    example=Example(
        qrels=("1 0 a 1", "1 0 b 0"),
        run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
        values=(("nDCG", "", 0.6309), ("nDCG", "discount=jarvelin", 1.0)),
        says="nDCG = {} with log2(i + 1); {} with log2(i), which does not discount rank 2.",
    ),
    way_out="name the discount next to the number.",
    needs="relevant documents at several ranks below the first",
    tried=_options,
    gate=_gate,
)
