"""The summary over queries: mean, median or micro average."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from crosscheck.axes.base import Axis, AxisValue, Example, Mask, PassedAs, Stage, View

__all__ = ["AVERAGING", "Averaging"]

#: With fewer values the median equals the mean.
_FEWEST = 3


class Averaging(StrEnum):
    """The mean over queries, their median, or ``micro``: the sum of numerators over the sum of denominators.

    ``micro`` applies to measures that are a sum over documents divided by a number (P, R, AP, Rprec, nDCG,
    ...); others keep the mean.
    """

    MEAN = "mean"
    MEDIAN = "median"
    MICRO = "micro"


def _options(view: View) -> Sequence[AxisValue]:
    # If all queries have the same denominator, it cancels.
    divisors = set(view.divisors())
    return [Averaging.MEAN, Averaging.MEDIAN, *([Averaging.MICRO] if len(divisors) > 1 else [])]


def _gate(view: View) -> Mask:
    with_value = int(view.values()[1].sum() + view.missing.sum())
    return view.everywhere if with_value >= _FEWEST else view.nowhere


AVERAGING = Axis(
    name="averaging",
    default=Averaging.MEAN,
    stage=Stage.SUMMARISE,
    position=5,
    label="averaging",
    priority=44,
    summary="the summary over queries is their median, or all numerators over all denominators",
    phrases={
        Averaging.MEAN: "the summary is the mean over queries",
        Averaging.MEDIAN: "the summary is the median over queries",
        Averaging.MICRO: "the summary is the sum of all numerators over the sum of all denominators",
    },
    contrast="the summary is {found} instead of {base}",
    short={
        Averaging.MEAN: "the mean over queries",
        Averaging.MEDIAN: "the median over queries",
        Averaging.MICRO: "micro-averaged (all numerators over all denominators)",
    },
    prose="""\
trec_eval gives each query the same weight. Libraries for classification also offer micro averages, in which
all documents are counted together, so that a query with many relevant documents weighs more (Anserini's
judged@k is one), and tables of results sometimes hold medians. Every query agrees; only the summary does not.
""",
    example=Example(
        qrels=("1 0 a 1", "2 0 a 1", "2 0 b 1", "2 0 c 1", "3 0 b 1"),
        run=("1 Q0 a 1 0.5 tag", "2 Q0 a 1 0.5 tag", "3 Q0 a 1 0.5 tag"),
        values=(
            ("R@5", "", 0.4444),
            ("R@5", "averaging=median", 1 / 3),
            ("R@5", "averaging=micro", 0.4),
        ),
        says="Recall is 1, 1/3 and 0: its mean is {}, its median {}, and {} are 2 of 5 relevant documents.",
    ),
    way_out="name the summary, and report the mean as well.",
    needs="three or more queries with different values and different denominators",
    tried=_options,
    gate=_gate,
    on_mean=True,
    fixed_when_passed=PassedAs.ONE_QUERY,
)
