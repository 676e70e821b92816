"""Runs over the workers of a dask cluster."""

import multiprocessing
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from crosscheck.engine import runs as engine_runs
from crosscheck.engine.runs import evaluate_runs, open_executor, submitted
from crosscheck.errors import ResourceError, UsageError

distributed = pytest.importorskip("distributed", reason="distributed (extra dask) is not installed")
CommClosedError = pytest.importorskip("distributed.comm").CommClosedError
pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_local_cluster_gives_the_same_values(tmp_path):
    """`dask:ADDRESS` evaluates on the cluster's workers, in input order."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    paths = [tmp_path / f"run{i}" for i in range(4)]
    for i, path in enumerate(paths):
        path.write_text(f"1 Q0 a 1 {i} t{i}\n1 Q0 b 2 1.5 t{i}\n2 Q0 c 1 1 t{i}\n")
    qrels = tmp_path / "qrels"
    here = evaluate_runs(qrels, paths, ["AP", "nDCG"], workers=1)
    quiet = {"dashboard_address": None, "silence_logs": 50}
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **quiet) as cluster,
        open_executor(f"dask:{cluster.scheduler_address}") as executor,
    ):
        there = evaluate_runs(qrels, paths, ["AP", "nDCG"], executor=executor)
    assert [r.values() for r in there] == [r.values() for r in here]
    assert [r.tag for r in there] == [b"t0", b"t1", b"t2", b"t3"]


def test_a_scheduler_without_workers_is_said(monkeypatch):
    """It is not waited for in silence; nor is an address where nothing answers."""
    with pytest.raises(UsageError, match="no dask scheduler"), open_executor("dask:not an address"):
        pass
    monkeypatch.setattr(engine_runs, "_PATIENCE", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as cluster,
        pytest.raises(ResourceError, match="has no workers"),
        open_executor(f"dask:{cluster.scheduler_address}"),
    ):
        pass


def test_a_scheduler_that_is_killed_is_said(monkeypatch):
    """With kill -9, while a part is under way: an error, not a traceback or an endless wait."""
    monkeypatch.setattr(engine_runs, "_PATIENCE", 0.5)
    monkeypatch.setattr(engine_runs, "_INTERVAL", 0.2)
    code = (
        "import time\nfrom distributed import LocalCluster\n"
        "cluster = LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50,"
        " protocol='tcp://')\n"
        "print(cluster.scheduler_address, flush=True)\ntime.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as cluster:
        try:
            assert cluster.stdout is not None
            with open_executor(f"dask:{cluster.stdout.readline().strip()}") as executor:
                assert executor is not None
                results = submitted(executor, time.sleep, [(60,)])
                threading.Timer(1.0, cluster.kill).start()
                with pytest.raises(ResourceError):
                    next(results)
        finally:
            cluster.kill()


def test_lost_workers_are_said():
    """A worker that was killed, in any executor of concurrent.futures; other errors stay what they are."""
    with (
        ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool,
        pytest.raises(ResourceError, match="lost its workers: BrokenProcessPool"),
    ):
        list(submitted(pool, os._exit, [(1,)]))
    for error, expected in ((ZeroDivisionError, ZeroDivisionError), (CommClosedError, ResourceError)):

        def fails(error: type[Exception] = error) -> None:
            raise error

        with ThreadPoolExecutor(1) as threads, pytest.raises(expected):
            list(submitted(threads, fails, [()]))
