"""The preference measures of trec_eval: ``prefs_*``.

A preference i > j is fulfilled if i is ranked above j, or i was retrieved and j was not. Each measure has up
to three forms: over all preferences; ``_ret``, over those between retrieved documents; ``_imp``, over those
with a retrieved document. Counts are summed over topics, everything else is averaged.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from crosscheck.evaluation.summary import sequential_sum
from crosscheck.model import IntArray
from crosscheck.trec_eval.preferences import Group, RankedPreferences

__all__ = ["COUNTS", "MEASURES", "preference_measures"]


@dataclass(frozen=True, slots=True)
class _Counts:
    """Fulfilled and all preferences of a group, by the number of retrieved documents among the two."""

    ful_ret: int
    all_ret: int
    ful_imp: int
    all_imp: int
    all_none: int

    @classmethod
    def of(cls, pairs: IntArray, retrieved: int) -> _Counts:
        both = pairs[:retrieved, :retrieved]
        above, below = int(pairs[:retrieved, retrieved:].sum()), int(pairs[retrieved:, :retrieved].sum())
        return cls(
            ful_ret=int(np.triu(both, 1).sum()),
            all_ret=int(both.sum()),
            ful_imp=above,
            all_imp=above + below,
            all_none=int(pairs[retrieved:, retrieved:].sum()),
        )

    def form(self, form: str) -> tuple[int, int]:
        """Numbers of fulfilled and of all preferences, in one of the three forms."""
        match form:
            case "ret":
                return self.ful_ret, self.all_ret
            case "imp":
                return self.ful_ret + self.ful_imp, self.all_ret + self.all_imp
            case _:
                return self.ful_ret + self.ful_imp, self.all_ret + self.all_imp + self.all_none


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _counts(ranked: RankedPreferences) -> list[_Counts]:
    return [_Counts.of(group.pairs, ranked.retrieved) for group in ranked.groups]


def _summed(ranked: RankedPreferences, form: str) -> tuple[int, int]:
    forms = [counts.form(form) for counts in _counts(ranked)]
    return sum(ful for ful, _ in forms), sum(whole for _, whole in forms)


def _simple(ranked: RankedPreferences, form: str) -> float:
    """Fulfilled preferences over all of them."""
    return _ratio(*_summed(ranked, form))


def _by_group(ranked: RankedPreferences, form: str) -> float:
    """Fulfilled preferences over all of them in each group, averaged over the groups."""
    total = 0.0
    for counts in _counts(ranked):
        total += _ratio(*counts.form(form))
    return total / len(ranked.groups)


def _by_pair(ranked: RankedPreferences, form: str) -> float:
    """The share of fulfilled preferences of each pair of documents, averaged over the pairs."""
    n = ranked.retrieved
    pairs: IntArray = np.sum([group.pairs for group in ranked.groups], axis=0)
    opinions = pairs + pairs.T
    shares = []
    number = 0
    areas = (
        [(slice(0, n), slice(0, n))]
        if form == "ret"
        else [(slice(0, n), slice(0, n)), (slice(0, n), slice(n, None))]
    )
    for rows, columns in areas:
        area = opinions[rows, columns] > 0
        if columns.start == 0:
            area = np.triu(area, 1)
        shares.append(pairs[rows, columns][area] / opinions[rows, columns][area])
        number += int(area.sum())
    if form == "all":
        number += int((np.triu(opinions[n:, n:], 1) > 0).sum())
    # Added one by one, row by row, as trec_eval does.
    return _ratio(sequential_sum(np.concatenate(shares)), number)


def _balanced(ranked: RankedPreferences, form: str) -> float:
    """As by group, with equal numbers of nonrelevant (level 0) and relevant documents.

    Nonrelevant documents that are missing count as fulfilled preferences of each relevant one; surplus ones
    are dropped, starting with the last. A group without any preference makes the value 0.0, as in trec_eval.
    """
    total = 0.0
    for group, counts in zip(ranked.groups, _counts(ranked), strict=True):
        ful, whole = _balanced_group(group, counts, ranked.retrieved, form)
        total += ful / whole if whole else math.nan
    return total / len(ranked.groups) if total > 0 else 0.0


def _balanced_group(group: Group, counts: _Counts, retrieved: int, form: str) -> tuple[int, int]:
    document, level = group.document, group.level
    # A negative level is nonrelevant in a complete group and is ignored in others.
    nonrelevant = level <= 0 if group.complete else level == 0
    seen = document < retrieved
    relevant_seen, relevant = int((seen & (level > 0)).sum()), int((level > 0).sum())
    if form == "ret":
        wanted, there = relevant_seen, int((seen & nonrelevant).sum())
    else:
        wanted, there = relevant, int(nonrelevant.sum())
    if wanted >= there:
        ful, whole = counts.form(form)
        return ful + relevant_seen * (wanted - there), whole + relevant * (wanted - there)
    if group.complete:
        return _recounted(group, wanted, retrieved, form)
    return _recounted_partial(group, relevant, retrieved, form)


def _recounted(group: Group, wanted: int, retrieved: int, form: str) -> tuple[int, int]:
    """A complete group with the first ``wanted`` documents of its lowest level.

    trec_eval counts each of these against all documents of that level as well, itself included, as
    preferences that can be fulfilled or not.
    """
    document, level = group.document, group.level
    if form == "ret":
        seen = document < retrieved
        document, level = document[seen], level[seen]
    lowest = level == group.level[-1]
    upper, kept = document[~lowest], document[lowest][:wanted]
    higher = level[~lowest][:, None] > level[~lowest][None, :]
    fulfilled = (upper[:, None] < upper[None, :]) & (upper[:, None] < retrieved)
    fulfilled_kept = (document[:, None] < kept[None, :]) & (document[:, None] < retrieved)
    ful = int((higher & fulfilled).sum()) + int(fulfilled_kept.sum())
    return ful, int(higher.sum()) + fulfilled_kept.size


def _recounted_partial(group: Group, relevant: int, retrieved: int, form: str) -> tuple[int, int]:
    """A group that is not complete, with only as many nonrelevant documents as relevant ones."""
    nonrelevant = np.sort(group.document[group.level == 0])
    if form == "ret":
        nonrelevant = nonrelevant[nonrelevant < retrieved]
    pairs = group.pairs.copy()
    dropped = nonrelevant[relevant:]
    pairs[dropped, :] = 0
    pairs[:, dropped] = 0
    return _Counts.of(pairs, retrieved).form(form)


#: Measures whose summary is a sum.
COUNTS = ("prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret")

#: trec_eval's name -> value of a topic, in its order of printing.
MEASURES: dict[str, Callable[[RankedPreferences], float]] = {
    "prefs_num_prefs_poss": lambda ranked: float(_summed(ranked, "all")[1]),
    "prefs_num_prefs_ful": lambda ranked: float(_summed(ranked, "all")[0]),
    "prefs_num_prefs_ful_ret": lambda ranked: float(_summed(ranked, "ret")[0]),
    "prefs_simp": lambda ranked: _simple(ranked, "all"),
    "prefs_pair": lambda ranked: _by_pair(ranked, "all"),
    "prefs_avgjg": lambda ranked: _by_group(ranked, "all"),
    "prefs_avgjg_Rnonrel": lambda ranked: _balanced(ranked, "all"),
    "prefs_simp_ret": lambda ranked: _simple(ranked, "ret"),
    "prefs_pair_ret": lambda ranked: _by_pair(ranked, "ret"),
    "prefs_avgjg_ret": lambda ranked: _by_group(ranked, "ret"),
    "prefs_avgjg_Rnonrel_ret": lambda ranked: _balanced(ranked, "ret"),
    "prefs_simp_imp": lambda ranked: _simple(ranked, "imp"),
    "prefs_pair_imp": lambda ranked: _by_pair(ranked, "imp"),
    "prefs_avgjg_imp": lambda ranked: _by_group(ranked, "imp"),
}


def preference_measures(ranked: RankedPreferences) -> dict[str, float]:
    """All preference measures of a topic, in trec_eval's order of printing."""
    return {name: value(ranked) for name, value in MEASURES.items()}
