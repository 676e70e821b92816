"""trec_eval 10.0 held against 9.0.8, in each form in which its numbers are kept."""

from __future__ import annotations

import json
import random
from pathlib import Path
from statistics import fmean

import pytest

import crosscheck as api
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case

MEASURES = ("map", "P_5", "P_10", "ndcg_cut_10", "recip_rank", "iprec_at_recall_0.60", "11pt_avg")


def written(folder: Path) -> tuple[dict[str, dict[str, dict[str, str]]], Case]:
    """What both versions print, by version, query (``all`` for the mean) and measure.

    Every run is in order of its scores; some of these are equal only in single precision.
    """
    rng, qrels, run = random.Random(4), list[str](), list[str]()
    for query in range(1, 26):
        score = 30.0
        for rank in range(1, 21):
            docno = f"d{rng.randrange(10**6)}"
            score -= rng.choice((0.5, 1e-7, 1e-8))
            qrels.append(f"{query} 0 {docno} {rng.choice((0, 0, 1, 2))}")
            run.append(f"{query} Q0 {docno} {rank} {score!r} t")
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    (folder / "run").write_text("\n".join(run) + "\n")
    paths = str(folder / "qrels"), str(folder / "run")
    printed: dict[str, dict[str, dict[str, str]]] = {}
    for version in ("trec_eval-9.0.8", "trec_eval-10"):
        values = api.evaluate(*paths, MEASURES, conventions=version)
        means = {name: fmean(of_query[name] for of_query in values.values()) for name in MEASURES}
        printed[version] = {
            query: {name: f"{value:.4f}" for name, value in of_query.items()}
            for query, of_query in [*values.items(), ("all", means)]
        }
    return printed, Case(name="versions", qrels=paths[0], runs=(paths[1],))


@pytest.mark.parametrize("form", ["-q", "summary", "JSON"])
def test_two_versions_differ_in_score_precision_and_recall_points_alone(tmp_path, form):
    """Single scores in order of the lines would give each of these means as well. Numbers of JSON are exact,
    but here they have no more digits than those of the reference."""
    printed, case = written(tmp_path)
    theirs = printed["trec_eval-10"]
    if form == "summary":
        theirs = {"all": theirs["all"]}
    for name, values in (("a", printed["trec_eval-9.0.8"]), ("b", theirs)):
        rows = [f"{m}\t{query}\t{text}" for query, of in values.items() for m, text in of.items()]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    if form == "JSON":
        exact = {query: {m: float(text) for m, text in of.items()} for query, of in theirs.items()}
        (tmp_path / "b").write_text(json.dumps(exact))
    settings = Settings(
        measures=MEASURES, backends=(f"recorded:{tmp_path / 'b'}",), reference=f"recorded:{tmp_path / 'a'}"
    )
    document = run_with([case], settings)
    found = {c.measure: c.diagnosis for c in document.comparisons if c.outcome == "mismatch"}
    assert len(found) >= 5
    for diagnosis in found.values():
        assert diagnosis is not None
        assert set(diagnosis.causes) <= {"score-precision", "recall-points"}
        assert diagnosis.strength in ("proved", "consistent")
    (joint,) = document.tools
    assert joint.conventions == {"score_precision": "float64", "recall_points": "round"}
    assert not joint.rest
