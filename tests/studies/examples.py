"""Small collections designed so that a study has one clear finding."""

from typing import TypeAlias

Qrels: TypeAlias = dict[str, dict[str, int]]
Runs: TypeAlias = dict[str, dict[str, dict[str, float]]]


def ranked(*docnos: str) -> dict[str, float]:
    """Documents with falling scores."""
    return {docno: 100.0 - rank for rank, docno in enumerate(docnos)}


def gain_flips_two_systems() -> tuple[Qrels, Runs]:
    """``fair`` has three documents of level 1 at the top, ``best`` one of level 3 at rank 2.

    nDCG@3: 1 + 0.63 + 0.5 against 3 x 0.63 with linear gain, against 7 x 0.63 with exponential gain.
    Query 6 is the same for both.
    """
    qrels = {
        f"{q}": {"high": 3, "low1": 1, "low2": 1, "low3": 1, "none1": 0, "none2": 0} for q in range(1, 6)
    }
    fair = {q: ranked("low1", "low2", "low3", "high") for q in qrels}
    best = {q: ranked("none1", "high", "none2", "low1") for q in qrels}
    qrels["6"], fair["6"], best["6"] = {"low1": 1}, ranked("low1"), ranked("low1")
    return qrels, {"fair": fair, "best": best}


def ties_make_significance_vanish() -> tuple[Qrels, Runs]:
    """``tied`` scores the relevant document z and another one the same in every query.

    By docno descending z comes first (RR 1), ascending second (RR 0.5). ``plain`` has RR 0.5 on eight
    queries and 1/3 on two: clearly worse than the first, but not significantly worse than the second.
    """
    qrels = {f"{q}": {"z": 1, "m": 0} for q in range(1, 11)}
    plain = {q: ranked("m", "z") if int(q) <= 8 else ranked("m", "n", "z") for q in qrels}
    tied = {q: {"z": 1.0, "m": 1.0} for q in qrels}
    return qrels, {"plain": plain, "tied": tied}


def nothing_changes() -> tuple[Qrels, Runs]:
    """Binary judgements: 2^level - 1 is the level itself."""
    qrels = {f"{q}": {f"d{i}": int(i % 3 == q % 3) for i in range(9)} for q in range(1, 9)}
    one = {q: ranked(*sorted(judged)) for q, judged in qrels.items()}
    other = {q: ranked(*sorted(judged, reverse=True)) for q, judged in qrels.items()}
    return qrels, {"one": one, "other": other}
