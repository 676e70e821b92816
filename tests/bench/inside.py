"""Measurements inside one process: dict input, cached hits, hard variants of a run, and mismatches."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from crosscheck.benchmark_metrics import MetricsCalculator
from crosscheck.conventions import Conventions
from crosscheck.engine.requests import RequestedMeasures
from crosscheck.engine.runs import evaluate_runs, values_by_query
from crosscheck.engine.streaming import judge_file
from crosscheck.evaluation.evaluate import evaluate
from crosscheck.formats.dicts import qrels_from_dict
from crosscheck.formats.trec import read_qrels
from crosscheck.names import parse_measure
from crosscheck.pytrec_eval_api import RelevanceEvaluator
from crosscheck.rankings.pairing import JudgedPool
from tests.bench.peers import CUTOFFS, MEASURES
from tests.bench.variants import write_variants

__all__ = ["cached_hits", "calculate_all", "dict_input", "mismatches", "variants"]

#: Rounds of quick work go on for so long: a handful of milliseconds say nothing.
_LEAST_SECONDS = 1.0
_PYTREC_EVAL = {"official", "ndcg", "P", "recall", "map_cut", "ndcg_cut"}


def _cpu(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _medians(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """CPU seconds of each piece of work, all of them once per round; quick work has more rounds."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    end = time.perf_counter() + _LEAST_SECONDS
    while rounds > 0 or time.perf_counter() < end:
        rounds -= 1
        for name, work in works.items():
            taken[name].append(_cpu(work))
    return {name: statistics.median(seconds) for name, seconds in taken.items()}


def dict_input(name: str, qrels: Path, run: Path, rounds: int) -> list[dict[str, object]]:
    """Evaluation of a run that is a dict of dicts already, to a dict of dicts, against pytrec_eval (G9)."""
    import pytrec_eval

    with qrels.open() as one, run.open() as two:
        judged, retrieved = pytrec_eval.parse_qrel(one), pytrec_eval.parse_run(two)
    evaluator = pytrec_eval.RelevanceEvaluator(judged, _PYTREC_EVAL)
    pool, conventions = JudgedPool(qrels_from_dict(judged)), Conventions()
    requested = RequestedMeasures.of(MEASURES, conventions)
    measures = {measure: parse_measure(measure) for measure in MEASURES}

    def ours() -> object:
        rankings = requested.rankings(retrieved, pool)
        values = {name: evaluate(rankings, measure, conventions) for name, measure in measures.items()}
        return values_by_query(rankings.pairing.all_topics, values)

    drop_in = RelevanceEvaluator(judged, _PYTREC_EVAL)
    works = {
        "pytrec_eval": lambda: evaluator.evaluate(retrieved),
        "crosscheck.RelevanceEvaluator": lambda: drop_in.evaluate(retrieved),
        "crosscheck.evaluate, prepared": ours,
    }
    seconds = _medians(works, rounds)
    base = seconds["pytrec_eval"]
    return [{"input": name, "tool": tool, "cpu": s, "ratio": s / base} for tool, s in seconds.items()]


def cached_hits(name: str, qrels: Path, run: Path, rounds: int) -> dict[str, object]:
    """All measures from a run that is joined with its qrels already (G10)."""
    pool, conventions = JudgedPool(read_qrels(str(qrels))), Conventions()
    measures = [parse_measure(measure) for measure in MEASURES]
    times = []
    for _ in range(rounds + 1):
        rankings = judge_file(str(run), pool, conventions)
        times.append(_cpu(lambda: [evaluate(rankings, m, conventions) for m in measures]))  # noqa: B023
    seconds, queries = statistics.median(times[1:]), int(rankings.pairing.measured.sum())
    return {
        "input": name,
        "measures": len(measures),
        "ms": 1e3 * seconds,
        "us/query": 1e6 * seconds / queries,
        "first run, us/query": 1e6 * times[0] / queries,
    }


def variants(qrels: Path, run: Path, rounds: int) -> list[dict[str, object]]:
    """From file to judged hits for runs that are hard to read or to order, against the plain one (G11)."""
    pool = JudgedPool(read_qrels(str(qrels)))
    paths = {"plain": run, **write_variants(run)}
    works = {name: (lambda path=path: judge_file(str(path), pool)) for name, path in paths.items()}
    seconds = _medians(works, rounds)
    plain = seconds["plain"]
    return [{"variant": name, "cpu": s, "ratio": s / plain} for name, s in seconds.items()]


def mismatches(name: str, qrels: Path, run: Path) -> dict[str, object]:
    """Values that are not the bits of pytrec_eval's (G13)."""
    import pytrec_eval

    with qrels.open() as one, run.open() as two:
        evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(one), _PYTREC_EVAL)
        theirs = evaluator.evaluate(pytrec_eval.parse_run(two))
    ours = evaluate_runs(qrels, [run], MEASURES, workers=1)[0].values()
    pairs = [(ours.get(q, {}).get(m), of[m]) for q, of in theirs.items() for m in MEASURES]
    different = sum(mine != other for mine, other in pairs)
    return {"input": name, "values": len(pairs), "mismatches": different + len(ours.keys() ^ theirs.keys())}


def calculate_all(rounds: int) -> dict[str, object]:
    """One query of ``benchmark_metrics``: 100 retrieved, 10 expected documents."""
    rng = random.Random(0)
    retrieved, expected = rng.sample(range(1000), 100), rng.sample(range(1000), 10)
    calls = 1000

    def work() -> None:
        for _ in range(calls):
            MetricsCalculator.calculate_all(retrieved, expected, include_ndcg=True)

    seconds = statistics.median(_cpu(work) for _ in range(rounds))
    return {"function": "calculate_all", "us/query": 1e6 * seconds / calls}


assert len(MEASURES) == 20 + 4 * len(CUTOFFS)
