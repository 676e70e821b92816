"""Measure names: ir_measures' and trec_eval's spellings in, one parsed :class:`Measure` out.

The canonical spelling, ``str(measure)``, is ir_measures' if ir_measures has the measure (``nDCG@10``,
``IPrec@0.1``, ``SetF(beta=0.5)``, ``nDCG(gains={1:3,2:9})``), and otherwise trec_eval's own name with its
parameters written the same way: ``relative_P@5``, ``Rprec_mult@0.2``, ``utility(coefficients=[2,-1,0,0])``,
``G(gains={1:3})``, ``rbp(p=0.8)``. trec_eval's spellings are read with a dot, as on its command line, or with
an underscore, as it prints them: ``P.5``, ``P_5``, ``ndcg.1=3,2=9``, ``set_F_0.5``.
"""

from __future__ import annotations

from crosscheck.names.parse import DEFAULT_MEASURES, named_family, parse_measure, parse_measures, texts_of
from crosscheck.names.trec_eval import (
    GROUPS,
    PRINT_ORDER,
    TEXTS,
    expand_group,
    trec_eval_family,
    trec_eval_name,
)

__all__ = [
    "DEFAULT_MEASURES",
    "GROUPS",
    "PRINT_ORDER",
    "TEXTS",
    "expand_group",
    "named_family",
    "parse_measure",
    "parse_measures",
    "texts_of",
    "trec_eval_family",
    "trec_eval_name",
]
