"""Executors from outside: any of :mod:`concurrent.futures`, or the workers of a dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from typing import Any, TypeVar

from crosscheck.errors import CrosscheckError, ResourceError, UsageError, quoted

_Result = TypeVar("_Result")

#: Seconds between two checks whether a cluster still has workers.
_INTERVAL = 5.0
#: Seconds that a cluster may be without workers.
_PATIENCE = 10.0


class Submitted:
    """Work done by an executor, which stays open.

    If the executor has a method ``check``, it is called from time to time while a result is awaited. It
    raises an error if the result cannot come.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def results(
        self, function: Callable[..., _Result], parts: Sequence[tuple[Any, ...]]
    ) -> Iterator[_Result]:
        """The results of ``function(*part)`` for every part, in order; if one fails, later ones are
        cancelled.

        Raises:
            ResourceError: the executor lost its workers.
        """
        futures = [self._executor.submit(function, *part) for part in parts]
        try:
            for future in futures:
                yield self._result(future)
        finally:
            for future in futures:
                future.cancel()

    def _result(self, future: Future[_Result]) -> _Result:
        try:
            while True:
                try:
                    return future.result(_INTERVAL)
                except NotYet:
                    if future.done():
                        raise
                    check = getattr(self._executor, "check", None)
                    if check is not None:
                        check()
        except (BrokenExecutor, CancelledError) as error:
            raise _lost(error) from None
        except (CrosscheckError, MemoryError):
            raise
        except Exception as error:
            if type(error).__module__.partition(".")[0] in ("distributed", "tornado"):
                raise _lost(error) from None
            raise


def _lost(error: BaseException) -> ResourceError:
    said = f"{type(error).__name__}: {error}".removesuffix(": ")
    return ResourceError(
        f"the executor lost its workers: {quoted(said, 300)[1:-1]}",
        hint="start it again; if memory runs out, with fewer or larger workers",
    )


@contextmanager
def open_executor(name: str) -> Iterator[Executor | None]:
    """Yield the executor with this name, and close it at the end.

    Args:
        name: ``processes`` (yields None, which lets :func:`evaluate_runs` choose), or ``dask:ADDRESS``
            with the address of a dask scheduler.

    Raises:
        UsageError: an unknown name, dask is not installed, or there is no scheduler at the address.
        ResourceError: the scheduler has no workers.
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
    for logger in filter(lambda name: name.startswith("distributed"), logging.root.manager.loggerDict):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # we report a lost worker once ourselves
    with client:
        executor = _DaskExecutor(client, address)
        executor.wait_for_workers()
        yield executor


class _DaskExecutor(Executor):
    """The workers of a dask cluster."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        # Not pure: the file behind the same arguments may change.
        self._inner: Executor = client.get_executor(pure=False)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return self._inner.submit(function, *args, **kwargs)

    def check(self) -> None:
        """Raise ResourceError if the scheduler is gone, or has been without workers for some time."""
        if self._client.status != "running":
            raise ResourceError(f"the dask scheduler at {self._address} is gone", hint="start it again")
        self.wait_for_workers()

    def wait_for_workers(self) -> None:
        """Raise ResourceError if there are no workers and none appear for some time."""
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except Exception:  # dask's and tornado's time-outs, and whatever a lost connection raises
            raise ResourceError(
                f"the dask scheduler at {self._address} has no workers",
                hint=f"start some: dask worker {self._address}",
            ) from None
