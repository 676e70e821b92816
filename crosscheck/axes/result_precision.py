"""The last bits of the values: their precision, and the order of additions."""

from __future__ import annotations

from enum import StrEnum

from crosscheck.axes.base import Axis, Example, Stage

__all__ = ["MAX_ULP", "RESULT_PRECISION", "ResultPrecision"]

#: Values at most this many representable doubles apart count as the same number computed another way.
MAX_ULP = 8


class ResultPrecision(StrEnum):
    """The precision of per-query values. Single precision is that of the value, not of its terms; the mean
    over the values is in double precision."""

    FLOAT64 = "float64"
    FLOAT32 = "float32"


RESULT_PRECISION = Axis(
    name="result_precision",
    default=ResultPrecision.FLOAT64,
    stage=Stage.SUMMARISE,
    position=6,
    label="float-noise",
    priority=23,
    summary=f"the values differ in the last bits only (at most {MAX_ULP} ULP, or single precision)",
    phrases={
        ResultPrecision.FLOAT64: "values are in double precision",
        ResultPrecision.FLOAT32: "values are in single precision",
    },
    prose=f"""\
Adding the same terms in another order, or taking log2 from another library, changes the last bits of a
double. Values at most {MAX_ULP} ULP (units in the last place) apart are labelled so when the tolerance is
smaller than their difference; under the default tolerance of 1e-9 they simply match. Libraries for tensors
(torchmetrics) give values in single precision, with seven digits.
""",
    example=Example(
        qrels=("1 0 a 3", "1 0 b 2", "1 0 c 1", "1 0 d 3", "1 0 e 2", "1 0 f 1"),
        qrels_shown=("1 0 a 3", "1 0 b 2", "(and c 1, d 3, e 2, f 1, not retrieved)"),
        run=("1 Q0 a 1 2.0 tag", "1 Q0 x 2 1.0 tag"),
        values=(
            ("nDCG@5", "", 0.4201095117220563),
            ("nDCG@5", "result_precision=float32", 0.42010951042175293),
        ),
        says=(
            "nDCG@5 comes out as 0.42010951172205624 or {}, depending on the order of additions; as\n"
            "{} in single precision."
        ),
    ),
    way_out="none needed; compare with a tolerance.",
    needs="values that are not fractions of small numbers",
    matters=lambda family: True,
    # A search compares values in single precision within their precision, whatever else differs.
    tried=lambda view: (),
)
