"""Linear utility of a result set."""

from __future__ import annotations

from crosscheck.axes.judging import RELEVANCE_LEVEL
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.measures.base import Family, number, numbers, relevant_retrieved
from crosscheck.model import FloatArray, Measure
from crosscheck.rankings.judged import JudgedRankings

__all__ = ["FAMILIES", "utility"]

DEFAULT = (1.0, -1.0, 0.0, 0.0)


def utility(judged: JudgedRankings, conventions: Conventions, measure: Measure) -> FloatArray:
    """Weighted sum of the contingency table of the result set (trec_eval ``utility``).

    a times relevant retrieved, plus b times nonrelevant retrieved, plus c times relevant not retrieved, plus
    d times all other documents of a collection of size ``N``. The weights ``coefficients`` are 1, -1, 0, 0 by
    default; unjudged documents are nonrelevant. N is trec_eval's ``-N``, 0 by default.

    Raises:
        UsageError: the number of coefficients is not four.
    """
    coefficients = numbers(measure, "coefficients", DEFAULT)
    if len(coefficients) != 4:
        raise UsageError(
            f"utility takes four coefficients, not {len(coefficients)}",
            hint="for relevant and nonrelevant documents retrieved, then for those not retrieved",
        )
    a, b, c, d = coefficients
    level = conventions[RELEVANCE_LEVEL]
    size, found, retrieved = number(measure, "N", 0.0), relevant_retrieved(judged, level), judged.num_ret
    missed = judged.num_rel(level) - found
    rest = size + found - retrieved - judged.num_rel(level)
    value: FloatArray = a * found + b * (retrieved - found) + c * missed + d * rest
    return value


FAMILIES = (
    Family(
        name="utility",
        compute=utility,
        summary="linear utility of the result set",
        trec_eval="utility",
        trec_eval_param="coefficients",
        params={"coefficients": DEFAULT, "N": 0.0},
        ranked=False,
    ),
)
