"""Metrics of learning-to-rank libraries against their profiles; each is skipped without its package."""

from __future__ import annotations

import numpy as np
import pytest

from crosscheck.backends.native import native_values
from crosscheck.backends.sklearn_backend import lists_of
from crosscheck.conventions import conventions
from crosscheck.model import FloatArray, IntArray
from crosscheck.names import parse_measure
from tests.backends.test_profiles import inputs

#: Their name of a metric, the profile (and what is asked for beside it), the measure.
XGBOOST = [
    ("ndcg@5", "xgboost", "nDCG@5"),
    ("ndcg", "xgboost", "nDCG@32"),
    ("map@5", "xgboost", "AP@5"),
    ("map", "xgboost", "AP@32"),
    ("ndcg@5-", "xgboost-minus", "nDCG@5"),
    ("map@5-", "xgboost-minus", "AP@5"),
    ("pre@5", "xgboost-minus", "P@5"),
    ("pre@20", "xgboost-minus", "P@20"),
]
LIGHTGBM = [
    ("ndcg@5", "lightgbm", "nDCG@5"),
    ("ndcg@20", "lightgbm", "nDCG@20"),
    ("map@5", "lightgbm", "AP@5"),
    ("map@20", "lightgbm", "AP@20"),
]
CATBOOST = [
    ("NDCG", "catboost-ndcg", "nDCG"),
    ("NDCG:top=5", "catboost-ndcg", "nDCG@5"),
    ("NDCG:type=Exp;top=5", "catboost-ndcg,gain=exponential", "nDCG@5"),
    ("NDCG:denominator=Position", "catboost-ndcg,discount=rank", "nDCG"),
    ("RecallAt:top=5", "catboost-ndcg", "R@5"),
    ("MAP", "catboost", "AP"),
    ("MAP:top=5", "catboost", "AP@5"),
    ("MRR", "catboost", "RR"),
    ("MRR:top=5", "catboost", "RR@5"),
    ("PrecisionAt:top=5", "catboost", "P@5"),
    ("PrecisionAt:top=20", "catboost", "P@20"),
]


def labels_for(metric: str, levels: IntArray) -> IntArray:
    """All but nDCG are defined on relevant or not."""
    return levels if metric.lower().startswith("ndcg") else (levels > 0).astype(np.int64)


def xgboost_value(metric: str, levels: IntArray, scores: FloatArray) -> float:
    import xgboost

    data = xgboost.DMatrix(np.zeros((len(levels), 1)), label=labels_for(metric, levels))
    data.set_group([len(levels)])
    data.set_base_margin(scores.astype(np.float32))
    objective = "rank:ndcg" if metric.startswith("ndcg") else "rank:map"
    booster = xgboost.Booster({"objective": objective, "eval_metric": metric, "base_score": 0.0}, [data])
    return float(booster.eval(data).rpartition(":")[2])


def lightgbm_value(metric: str, levels: IntArray, scores: FloatArray) -> float:
    import lightgbm

    name, _, cutoff = metric.partition("@")
    anything = np.arange(40.0).reshape(-1, 1)
    training = lightgbm.Dataset(anything, label=np.zeros(40), group=[40])
    tested = training.create_valid(
        np.zeros((len(levels), 1)), label=labels_for(metric, levels), group=[len(levels)], init_score=scores
    )
    asked = {"objective": "lambdarank", "metric": name, "eval_at": [int(cutoff)], "verbose": -1}
    booster = lightgbm.Booster(asked, training)
    booster.add_valid(tested, "tested")
    ((_, _, value, _),) = booster.eval_valid()
    return float(value)


def catboost_value(metric: str, levels: IntArray, scores: FloatArray) -> float:
    from catboost.utils import eval_metric

    group = [0] * len(levels)
    (value,) = eval_metric(labels_for(metric, levels).tolist(), scores.tolist(), metric, group_id=group)
    return float(value)


TOOLS = {
    "xgboost": (xgboost_value, XGBOOST),
    "lightgbm": (lightgbm_value, LIGHTGBM),
    "catboost": (catboost_value, CATBOOST),
}


@pytest.mark.parametrize(
    ("package", "metric", "profile", "name"),
    [(package, *row) for package, (_, rows) in TOOLS.items() for row in rows],
)
def test_a_library_follows_its_profile(package: str, metric: str, profile: str, name: str) -> None:
    """On lists with ties, nothing relevant, and fewer documents than the cutoff; in single precision."""
    pytest.importorskip(package)
    rankings, (value, _) = inputs(3, whole=True), TOOLS[package]
    ours = native_values(rankings, parse_measure(name), conventions(profile), profile).values
    for topic, (levels, scores) in lists_of(rankings.pairing.qrels, rankings.pairing.run):
        assert value(metric, levels, scores) == pytest.approx(ours[topic], abs=1e-6), topic
