"""trec_eval's measures over several groups of judges: another measure in each group, averaged over them.

The averaging is in ``evaluation/formula.py``; the families here compute the measure in one group.
"""

from __future__ import annotations

from msgspec.structs import replace

from crosscheck.measures.average_precision import FAMILIES as AVERAGE_PRECISION
from crosscheck.measures.base import Family
from crosscheck.measures.precision import FAMILIES as PRECISION
from crosscheck.measures.r_precision import FAMILIES as R_PRECISION

__all__ = ["FAMILIES"]


def _averaged(name: str) -> Family:
    """The family whose measures trec_eval calls ``name``, averaged over the groups of judges."""
    of = next(
        f for f in (*AVERAGE_PRECISION, *PRECISION, *R_PRECISION) if name in (f.trec_eval, f.trec_eval_cut)
    )
    with_cutoffs, averaged = name == of.trec_eval_cut, f"{name}_avgjg"
    return replace(
        of,
        name=averaged,
        summary=f"{of.summary}, averaged over groups of judges",
        trec_eval=None if with_cutoffs else averaged,
        trec_eval_cut=averaged if with_cutoffs else None,
        cutoff=of.cutoff if with_cutoffs else "none",
        aliases=(),
        needs="groups",
        divisor=None,
        # The best order of tied documents can be another one in each group.
        tied=replace(of.tied, merit=None),
    )


FAMILIES = tuple(map(_averaged, ("map", "P", "Rprec_mult")))
