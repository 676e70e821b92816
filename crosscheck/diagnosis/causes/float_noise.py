"""The last bits of a double."""

from __future__ import annotations

from crosscheck.diagnosis.base import Cause

__all__ = ["CAUSE", "MAX_ULP"]

#: Values at most this many representable doubles apart count as the same number computed another way.
MAX_ULP = 8

CAUSE = Cause(
    label="float-noise",
    axis=None,
    priority=23,
    summary=f"the values differ in the last bits only (at most {MAX_ULP} ULP)",
    prose=f"""\
Adding the same terms in another order, or taking log2 from another library, changes the last bits of a
double. Values at most {MAX_ULP} ULP (units in the last place) apart are labelled so when the tolerance is
smaller than their difference; under the default tolerance of 1e-9 they simply match.

    qrels: 1 0 a 3          run: 1 Q0 a 1 2.0 tag
           1 0 b 2               1 Q0 x 2 1.0 tag
           (and c 1, d 3, e 2, f 1, not retrieved)

nDCG@5 comes out as 0.42010951172205624 or 0.4201095117220563, depending on the order of additions.
Way out: none needed; compare with a tolerance.""",
)
