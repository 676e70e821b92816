"""Runs over the workers of a dask cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosscheck.engine.executors import open_executor
from crosscheck.engine.runs import evaluate_runs
from crosscheck.errors import UsageError

distributed = pytest.importorskip("distributed", reason="distributed (extra dask) is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_local_cluster_gives_the_same_values(tmp_path: Path) -> None:
    """`dask:ADDRESS` evaluates on the cluster's workers, in input order."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    runs = []
    for i in range(4):
        runs.append(tmp_path / f"run{i}")
        runs[-1].write_text(f"1 Q0 a 1 {i} t{i}\n1 Q0 b 2 1.5 t{i}\n2 Q0 c 1 1 t{i}\n")
    qrels = tmp_path / "qrels"
    here = evaluate_runs(qrels, runs, ["AP", "nDCG"], workers=1)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
        open_executor(f"dask:{cluster.scheduler_address}") as executor,
    ):
        there = evaluate_runs(qrels, runs, ["AP", "nDCG"], executor=executor)
    assert [r.values() for r in there] == [r.values() for r in here]
    assert [r.tag for r in there] == [b"t0", b"t1", b"t2", b"t3"]


def test_no_scheduler_is_said() -> None:
    """An address where nothing answers is a usage error within the time limit."""
    with pytest.raises(UsageError, match="no dask scheduler"), open_executor("dask:not an address"):
        pass
