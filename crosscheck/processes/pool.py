"""A pool of worker processes, which run functions of this program.

Each worker has a supervisor and a connection to this process. The connection is also the control socket of
the supervisor: a worker ends when this process ends, and this process notices at once when a worker ends. If
a worker dies, a second worker repeats its part of the work, once. (An executor of concurrent.futures would
give up all workers, and not say how the worker died.)
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any, Self, TypeVar

from crosscheck.errors import ResourceError
from crosscheck.processes.supervised import how_it_ended
from crosscheck.processes.supervisor import ENDING, supervise

_Result = TypeVar("_Result")

#: Seconds after which a worker whose connection was closed is killed.
_PATIENCE = 10.0


def can_fork() -> bool:
    """Whether this process can safely fork: on Linux, while the process has a single thread.

    A fork does not copy other threads, but it copies the locks that they hold. numpy's linear algebra starts
    threads unless OPENBLAS_NUM_THREADS=1 is set, as crosscheck's commands do.
    """
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


class WorkerPool:
    """Worker processes, used as a context manager and by one thread at a time.

    Args:
        workers: maximum number of workers.
        fork: whether workers are copies of this process at the time when they start (see :func:`can_fork`).
            If not, workers inherit only loaded modules, which is safe whatever threads the caller runs; a
            script that starts such workers needs the usual ``if __name__ == "__main__"``.
        preload: module that is loaded once for all workers, if they are not copies of this process.
        notice: called with a sentence when a worker dies.
    """

    def __init__(self, workers: int, *, fork: bool, preload: str, notice: Callable[[str], None]) -> None:
        self._most = workers
        self._fork = fork
        self._notice = notice
        self._workers: list[_Worker] = []
        methods = multiprocessing.get_all_start_methods()
        new = "forkserver" if "forkserver" in methods else "spawn"
        self._context: Any = multiprocessing.get_context("fork" if fork else new)
        if not fork and new == "forkserver":
            self._context.set_forkserver_preload([preload])

    def results(
        self, function: Callable[..., _Result], parts: Sequence[tuple[Any, ...]]
    ) -> Iterator[_Result]:
        """The results of ``function(*part)`` for every part, in order. Exceptions in workers are raised here.

        Raises:
            ResourceError: a worker died twice on the same part.
        """
        waiting = deque(range(len(parts)))
        lost: set[int] = set()
        done: dict[int, tuple[bool, Any]] = {}
        for place in range(len(parts)):
            while place not in done:
                while waiting and (worker := self._idle()) is not None:
                    try:
                        worker.begin(waiting.popleft(), function, parts)
                    except OSError:
                        waiting.appendleft(self._lose(worker, lost))
                busy = [worker for worker in self._workers if worker.at is not None]
                ready = wait([worker.connection for worker in busy])
                for worker in (worker for worker in busy if worker.connection in ready):
                    try:
                        at, answer = worker.answer()
                        done[at] = answer
                    except (EOFError, OSError):
                        waiting.appendleft(self._lose(worker, lost))
            well, result = done.pop(place)
            if not well:
                raise result
            yield result

    def _idle(self) -> _Worker | None:
        for worker in self._workers:
            if worker.at is None:
                return worker
        if len(self._workers) == self._most:
            return None
        self._workers.append(_Worker(self._context, self._workers if self._fork else ()))
        return self._workers[-1]

    def _lose(self, worker: _Worker, lost: set[int]) -> int:
        """Remove a worker that has died, and return the number of the part to repeat."""
        assert worker.at is not None
        self._workers.remove(worker)
        ending = how_it_ended(worker.close())
        if worker.at in lost:
            raise ResourceError(
                f"a worker process died twice on the same part of the work; the second {ending}",
                hint="if memory runs out, use fewer workers (--workers 1)",
            )
        lost.add(worker.at)
        self._notice(f"a worker process {ending}; its part of the work is repeated")
        return worker.at

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.connection.close()
        while self._workers:
            self._workers.pop().close()


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """Delay signals to the end of the block. The KeyboardInterrupt of a signal that arrives while Python or a
    library prepares for a fork would be lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """A worker process. ``at``: number of the part on which the worker is working, None if it is idle."""

    def __init__(self, context: Any, others: Sequence[_Worker]) -> None:
        self.at: int | None = None
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        # A forked worker inherits the ends of all connections of this process, and must close them.
        inherited = [worker.connection for worker in others if worker.connection is not self.connection]
        fork = context.get_start_method() == "fork"
        closing = (self.connection, *inherited) if fork else ()
        self._process = context.Process(target=_serve, args=(theirs, closing), daemon=True)
        with _signals_wait() if fork else contextlib.nullcontext():
            self._process.start()
        theirs.close()

    def begin(self, at: int, function: Callable[..., object], parts: Sequence[tuple[Any, ...]]) -> None:
        self.at = at
        self.connection.send((function, parts[at]))

    def answer(self) -> tuple[int, tuple[bool, Any]]:
        """The number of the part, and (True, result) or (False, exception)."""
        assert self.at is not None
        answer: tuple[bool, Any] = self.connection.recv()
        at, self.at = self.at, None
        return at, answer

    def close(self) -> int:
        """End the process, and return its exit code."""
        self.connection.close()
        self._process.join(_PATIENCE)
        if self._process.exitcode is None:
            self._process.kill()
            self._process.join()
        return int(self._process.exitcode)


def _serve(connection: Connection, inherited: Sequence[Connection]) -> None:
    """The main function of a worker: answer requests from the connection until it is closed."""
    for other in inherited:
        other.close()
    try:
        supervise(connection.fileno())
        while True:
            _send(connection, _answer(*connection.recv()))
    except EOFError:
        os._exit(0)
    except BaseException as error:  # the owner reports it, whatever it is
        _send(connection, (False, error))
        os._exit(1)


def _answer(function: Callable[..., object], part: Sequence[object]) -> tuple[bool, object]:
    try:
        return True, function(*part)
    except BaseException as error:
        error.__traceback__ = None  # it holds memory, which may be what ran out
        return False, error


def _send(connection: Connection, answer: tuple[bool, object]) -> None:
    """Send an answer, or an error if the answer cannot be sent. End the process if the connection fails."""
    try:
        try:
            connection.send(answer)
        except OSError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            sendable = MemoryError() if isinstance(error, MemoryError) else RuntimeError(reason)
            connection.send((False, sendable))
    except OSError:
        os._exit(1)
