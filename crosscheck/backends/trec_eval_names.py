"""Measures in trec_eval's spelling, for the backends that are trec_eval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from crosscheck.model import Measure

__all__ = ["by_level", "parameters", "printed_name"]

#: Family -> trec_eval's name without a cutoff, and with one; None where trec_eval has no such measure.
_NAMES: dict[str, tuple[str | None, str | None]] = {
    "AP": ("map", "map_cut"),
    "NumQ": ("num_q", None),
    "NumRel": ("num_rel", None),
    "NumRelRet": ("num_rel_ret", None),
    "NumRet": ("num_ret", None),
    "P": (None, "P"),
    "R": (None, "recall"),
    "RR": ("recip_rank", None),
    "Rprec": ("Rprec", None),
    "SetAP": ("set_map", None),
    "SetF": ("set_F", None),
    "SetP": ("set_P", None),
    "SetR": ("set_recall", None),
    "Success": (None, "success"),
    "bpref": ("bpref", None),
    "infAP": ("infAP", None),
    "nDCG": ("ndcg", "ndcg_cut"),
}

#: Families that do not look at the relevance level: asking them for one is another measure.
_WITHOUT_LEVEL = {"nDCG", "NumRet", "NumQ"}


def printed_name(measure: Measure) -> str | None:
    """The name that trec_eval prints, such as ``ndcg_cut_10``, or None where it has no such measure.

    The relevance level is a flag (``-l``) and not part of the name. ``SetF`` exists for beta 1 only:
    trec_eval's own parameter is not beta, and pytrec_eval drops it from the name.
    """
    if dict(measure.params) not in ({}, {"beta": 1.0}) or (measure.params and measure.family != "SetF"):
        return None
    if measure.rel is not None and (measure.rel < 1 or measure.family in _WITHOUT_LEVEL):
        return None
    plain, cut = _NAMES.get(measure.family, (None, None))
    if measure.cutoff is None:
        return plain
    return f"{cut}_{measure.cutoff}" if cut and measure.cutoff >= 1 else None


def parameters(measures: Iterable[Measure]) -> list[str]:
    """What to ask trec_eval for: ``["P.5,10", "map"]``.

    All cutoffs of a family stand in one list, because only the first list of a measure counts; each
    stands there once, because a repeated one is fatal.
    """
    cutoffs: dict[str, set[int]] = {}
    for measure in measures:
        plain, cut = _NAMES[measure.family]
        name = plain if measure.cutoff is None else cut
        assert name is not None, f"{measure} was not asked about"
        cutoffs.setdefault(name, set()).update(() if measure.cutoff is None else (measure.cutoff,))
    return [
        f"{name}.{','.join(map(str, sorted(cuts)))}" if cuts else name
        for name, cuts in sorted(cutoffs.items())
    ]


def by_level(measures: Sequence[Measure]) -> list[tuple[int, list[Measure]]]:
    """Measures that can be computed together: (relevance level, those measures)."""

    def level(measure: Measure) -> int:
        return measure.rel or 1

    return [(rel, list(some)) for rel, some in groupby(sorted(measures, key=level), key=level)]
