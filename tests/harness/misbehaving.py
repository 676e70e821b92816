"""Metrics that misbehave on purpose, each in one way, as ``python:`` backends."""

from __future__ import annotations

import os
import sys
import time

from tests.harness import metrics

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def precision(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    """P@k in trec_eval's order; what the others below start from."""
    return metrics.trec_eval(qrels, run, k, f"P@{k}")


def raises_on_a_topic(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return {query: 1 / (query != "2") for query in run}


def raises_on_a_measure(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    if k == 10:
        raise RuntimeError("no \x1b[31mP@10\x1b[0m today")
    return precision(qrels, run, k)


def nan(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return {**precision(qrels, run, k), "2": float("nan")}


def infinite(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return dict.fromkeys(run, float("inf"))


def drops_a_query(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    values = precision(qrels, run, k)
    del values["2"]
    return values


def off_on_one_query(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    values = precision(qrels, run, k)
    return {**values, "2": values["2"] + 0.013}


def ties_ascending(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return metrics.ties_ascending(qrels, run, k, f"P@{k}")


def aborts(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    os.write(2, b"assertion failed: k > 0\n")
    os.abort()


def exits(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    sys.exit("I am done")


def hangs(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    time.sleep(600)
    return {}


def prints(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    print("\x00garbage\x1b[2J" * 20_000, flush=True)
    os.write(1, b"\xff\xfe\x00" * 20_000)
    return precision(qrels, run, k)


def returns_none(qrels: Qrels, run: Run, k: int) -> None:
    return None


def returns_text(qrels: Qrels, run: Run, k: int) -> dict[str, str]:
    return dict.fromkeys(run, "0.5")


def invents_a_query(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    return {**precision(qrels, run, k), "no such query": 1.0}


def destroys_its_input(qrels: Qrels, run: Run, k: int) -> dict[str, float]:
    values = precision(qrels, run, k)
    for docs in (*qrels.values(), *run.values()):
        docs.clear()
    run.clear()
    return values
