"""Metrics that misbehave on purpose, each in one way, as ``python:`` backends."""

from __future__ import annotations

import os
import time

from tests.harness import metrics
from tests.harness.metrics import Qrels, Run, Values


def precision(qrels: Qrels, run: Run, k: int) -> Values:
    """P@k in trec_eval's order; what the others below start from."""
    return metrics.trec_eval(qrels, run, k, "P")


def raises_on_a_measure(qrels: Qrels, run: Run, k: int) -> Values:
    if k == 10:
        raise RuntimeError("no \x1b[31mP@10\x1b[0m today")
    return precision(qrels, run, k)


def aborts(qrels: Qrels, run: Run, k: int) -> Values:
    os.write(2, b"assertion failed: k > 0\n")
    os.abort()


def hangs(qrels: Qrels, run: Run, k: int) -> Values:
    time.sleep(600)
    return {}


def nan(qrels: Qrels, run: Run, k: int) -> Values:
    return {**precision(qrels, run, k), "2": float("nan")}


def infinite(qrels: Qrels, run: Run, k: int) -> Values:
    return dict.fromkeys(run, float("inf"))


def drops_a_query(qrels: Qrels, run: Run, k: int) -> Values:
    return {query: value for query, value in precision(qrels, run, k).items() if query != "2"}


def off_on_one_query(qrels: Qrels, run: Run, k: int) -> Values:
    values = precision(qrels, run, k)
    return {**values, "2": values["2"] + 0.013}


def ties_ascending(qrels: Qrels, run: Run, k: int) -> Values:
    return metrics.ties_ascending(qrels, run, k, "P")
