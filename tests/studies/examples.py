"""Small collections designed so that a study has one clear finding."""

import random
from collections.abc import Callable, Mapping
from typing import TypeAlias, TypeVar

from crosscheck.native import evaluate

Qrels: TypeAlias = dict[str, dict[str, int]]
Run: TypeAlias = dict[str, dict[str, float]]
Runs: TypeAlias = dict[str, Run]
T = TypeVar("T")


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


def collection(seed: int) -> tuple[Qrels, Run]:
    """Twenty queries with graded judgements, two without results, and ties in a run."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(50)]
    run = {str(q): {doc: float(rng.randint(1, 12)) for doc in rng.sample(docs, 30)} for q in range(20)}
    qrels = {str(q): {doc: rng.choice((0, 0, 1, 2, 3)) for doc in rng.sample(docs, 20)} for q in range(22)}
    return qrels, run


def original(seed: int) -> tuple[Qrels, Run]:
    """Thirty queries of forty documents with distinct scores, half of them judged."""
    rng = random.Random(seed)
    docs = [f"d{i:03d}" for i in range(60)]
    run = {str(q): {doc: rng.uniform(1, 2) for doc in rng.sample(docs, 40)} for q in range(30)}
    qrels = {str(q): {doc: rng.randint(0, 3) for doc in rng.sample(docs, 30)} for q in range(30)}
    return qrels, run


def judged_all(rng: random.Random, queries: int = 20, documents: int = 20) -> Qrels:
    """Levels 0 to 3 for every document."""
    return {f"q{i}": {f"d{j}": rng.choice((0, 0, 1, 3)) for j in range(documents)} for i in range(queries)}


def scored(rng: random.Random, qrels: Qrels, steps: int | None = None) -> Run:
    """Scores that follow the levels with much noise; in few steps, so that many are tied, if asked."""
    return {
        q: {d: round((level / 2 + rng.random()) * (steps or 1e6)) / 1.0 for d, level in row.items()}
        for q, row in qrels.items()
    }


def in_orders(orders: str) -> Run:
    """Queries 1, 2, ... with documents in these orders; those in brackets are tied."""
    return {
        f"{q}": dict.fromkeys(order.strip("()"), 1.0) if order[0] == "(" else ranked(*order)
        for q, order in enumerate(orders.split(), 1)
    }


def printed(qrels: Qrels, run: Run, measures: str, under: str = "", form: str = ".4f") -> dict[str, str]:
    """Measure -> its mean as a paper prints it."""
    means = evaluate(qrels, run, measures.split(), conventions=under or "trec_eval-9.0.8", mean=True)
    return {measure: format(mean, form) for measure, mean in means.items() if mean is not None}


def each(
    of: Mapping[str, Mapping[str, T]], change: Callable[[str, T], tuple[str, T]]
) -> dict[str, dict[str, T]]:
    """The rows of qrels or of a run with every document and its level or score changed."""
    return {q: dict(change(d, v) for d, v in row.items()) for q, row in of.items()}
