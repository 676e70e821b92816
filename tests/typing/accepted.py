"""What users write; mypy accepts it, and the results have the types that it says."""

from collections.abc import Iterable
from pathlib import Path
from typing import assert_type

import crosscheck
import crosscheck as pytrec_eval
from crosscheck import vectors
from crosscheck.testing import assert_agrees, assert_same

Levels = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]


def measured(qrels: Levels, run: Scores) -> None:
    values = crosscheck.evaluate(qrels, run, ["nDCG@10"])
    assert_type(values, dict[str, dict[str, float]])
    means = crosscheck.evaluate("qrels.txt", "run.txt", ("AP",), mean=True, conventions="gain=exponential")
    assert_type(means, dict[str, float | None])
    crosscheck.evaluate(Path("qrels.txt"), Path("run.txt"), ["AP"], conventions=crosscheck.Conventions())
    assert_type(vectors.precision_at_k([1, 0, 1], 2), float)


def explained(qrels: Levels, run: Scores) -> list[str]:
    diagnosis = crosscheck.diagnose(qrels, run, "RR", {"1": 1.0}, mean=0.5)
    for answer in crosscheck.why(qrels, run, {"nDCG@10": "0.4986"}).answers:
        print(answer.conventions)
    for group in crosscheck.tools(qrels, {"bm25": run}, ["nDCG@10"], decimals=3).groups:
        print(group.printed.upper())
    return [] if diagnosis is None else diagnosis.causes


def compared(qrels: Levels, run: Scores) -> bool:
    def precision(gains: Iterable[int], k: int) -> float:
        return sum(gain > 0 for gain in list(gains)[:k]) / k

    document = crosscheck.run({"qrels": qrels, "runs": {"bm25": run}}, backends=[precision, "ranx"])
    assert_type(document.ok, bool)
    assert_type(document.to_json(), str)
    for comparison in document.comparisons:
        print(comparison.measure, comparison.outcome)
    print(crosscheck.audit(precision, "P@5", call="f(gains, k)").verdict)
    print(crosscheck.gate(qrels, run, run, ["AP"], alpha=0.01).to_markdown())
    return document.ok


def test_mine(qrels: Levels, run: Scores) -> None:
    assert_agrees(max, "nDCG@10", allow={"gain": "exponential"}, timeout=5)
    assert_same(qrels, run, {"1": 1.0}, "RR", allow="profile:ranx")


def as_pytrec_eval(qrels: Levels, run: Scores) -> None:
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg_cut_10"})
    print(evaluator.evaluate(run)["1"]["map"])


def caught() -> None:
    try:
        crosscheck.evaluate({}, {}, ["nDGC"])
    except crosscheck.UnknownMeasure as error:
        print(error.message, error.hint)
    except crosscheck.CrosscheckError:
        raise
