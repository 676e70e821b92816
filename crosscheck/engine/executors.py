"""Executors by name: processes on this machine, or the workers of a dask cluster."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from crosscheck.errors import UsageError

__all__ = ["can_fork", "local_processes", "open_executor", "results_in_order"]

_Result = TypeVar("_Result")


def can_fork() -> bool:
    """Whether this process can be copied as it is: on Linux, and only while it has a single thread.

    A copy has none of the other threads, but the locks that they held. numpy's linear algebra starts
    threads of its own, unless OPENBLAS_NUM_THREADS=1 says otherwise, as it does in our commands.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def local_processes(workers: int, *, fork: bool = False) -> ProcessPoolExecutor:
    """Processes that inherit nothing but a loaded package: safe whatever threads the caller runs.

    As with any such pool, a script that calls this needs the usual ``if __name__ == "__main__"``. With
    ``fork`` they are copies of this process as it is now, ready at once; see :func:`can_fork`.
    """
    if fork:
        return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("fork"))
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
    if "forkserver" in methods:
        context.set_forkserver_preload(["crosscheck.engine.runs"])
    return ProcessPoolExecutor(workers, mp_context=context)


@contextmanager
def open_executor(name: str) -> Iterator[Executor | None]:
    """The executor of a name, closed at the end.

    Args:
        name: ``processes`` (None is given, which lets :func:`evaluate_runs` choose), or ``dask:ADDRESS``
            with the address of a dask scheduler.

    Raises:
        UsageError: an unknown name, dask is not installed, or there is no scheduler at the address.
    """
    kind, _, address = name.partition(":")
    if name == "processes":
        yield None
    elif kind == "dask" and address:
        with _dask(address) as executor:
            yield executor
    else:
        raise UsageError(f"there is no executor {name!r}", hint="it is processes or dask:ADDRESS")


@contextmanager
def _dask(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise UsageError("dask is not installed", hint="pip install 'crosscheck[dask]'") from None
    try:
        client = Client(address, timeout=10)
    except (OSError, ValueError) as error:
        raise UsageError(f"no dask scheduler answers at {address}: {error}") from None
    # Not pure: the same arguments may mean another file content tomorrow.
    with client, client.get_executor(pure=False) as executor:
        yield executor


def results_in_order(futures: Sequence[Future[_Result]]) -> Iterator[_Result]:
    """Results in the order in which the work was submitted; the rest is cancelled when one fails."""
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
