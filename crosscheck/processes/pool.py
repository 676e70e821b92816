"""A pool of worker processes, which run functions of this program.

Each worker has a supervisor and a connection to this process. The connection is also the control socket of
the supervisor: a worker ends when this process ends, and this process notices at once when a worker ends. If
a worker dies, a second worker repeats its part of the work, once. (An executor of concurrent.futures would
give up all workers, and not say how the worker died.)
"""

import contextlib
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar, cast

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
    with contextlib.suppress(OSError):
        return len(os.listdir("/proc/self/task")) == 1
    return False


class WorkerPool(contextlib.AbstractContextManager["WorkerPool"]):
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
        self._most, self._fork, self._notice = workers, fork, notice
        self._workers: dict[Connection, BaseProcess] = {}
        new = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
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
        busy: dict[Connection, int] = {}
        lost: set[int] = set()
        done: dict[int, tuple[bool, Any]] = {}
        try:
            for place in range(len(parts)):
                while place not in done:
                    while waiting and (worker := self._idle(busy)) is not None:
                        busy[worker] = waiting.popleft()
                        with contextlib.suppress(OSError):  # the worker has died, which is noticed below
                            worker.send((function, parts[busy[worker]]))
                    for worker in cast(list[Connection], wait(list(busy))):
                        at = busy.pop(worker)
                        if (answer := self._answer(worker, again=at in lost)) is None:
                            lost.add(at)
                            waiting.appendleft(at)
                        else:
                            done[at] = answer
                well, result = done.pop(place)
                if not well:
                    raise result
                yield result
        finally:  # after an error, an answer that still comes must not be taken for one to a later request
            for worker in busy:
                self._end(worker)

    def _idle(self, busy: Collection[Connection]) -> Connection | None:
        """The connection of an idle worker, which is started if there may be another worker; else None."""
        if idle := [worker for worker in self._workers if worker not in busy]:
            return idle[0]
        if len(self._workers) == self._most:
            return None
        ours: Connection
        ours, theirs = self._context.Pipe()
        # A forked worker inherits the ends of all connections of this process, and must close them.
        inherited = [ours, *self._workers] if self._fork else []
        process = self._context.Process(target=_serve, args=(theirs, inherited), daemon=True)
        with _signals_wait() if self._fork else contextlib.nullcontext():
            process.start()
        theirs.close()
        self._workers[ours] = process
        return ours

    def _answer(self, worker: Connection, *, again: bool) -> tuple[bool, Any] | None:
        """The answer of a worker; None if it has died. That is an error the second time on the same part."""
        try:
            answer: tuple[bool, Any] = worker.recv()
            return answer
        except (EOFError, OSError):
            ending = self._end(worker)
        if again:
            twice = "a worker process died twice on the same part of the work"
            hint = "if memory runs out, use fewer workers (--workers 1)"
            raise ResourceError(f"{twice}; the second {ending}", hint=hint)
        self._notice(f"a worker process {ending}; its part of the work is repeated")
        return None

    def _end(self, worker: Connection) -> str:
        """End a worker, and say how it ended."""
        process = self._workers.pop(worker)
        worker.close()
        process.join(_PATIENCE)
        if process.exitcode is None:
            process.kill()
            process.join()
        return how_it_ended(process.exitcode or 0)

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.close()
        for worker in [*self._workers]:
            self._end(worker)


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


def _serve(connection: Connection, inherited: Sequence[Connection]) -> None:
    """The main function of a worker: answer requests from the connection until it is closed."""
    for other in inherited:
        other.close()
    try:
        supervise(connection.fileno())
        while True:
            function, part = connection.recv()
            try:
                answer = True, function(*part)
            except BaseException as error:
                error.__traceback__ = None  # it holds memory, which may be what ran out
                answer = False, error
            _send(connection, answer)
            del function, part, answer  # large, and the next answer may be as large
    except EOFError:
        os._exit(0)
    except BaseException as error:  # the owner reports it, whatever it is
        _send(connection, (False, error))
        os._exit(1)


def _send(connection: Connection, answer: tuple[bool, object]) -> None:
    """Send an answer, or an error if the answer cannot be sent. End the process if the connection fails."""
    try:
        try:
            connection.send(answer)
        except MemoryError:
            connection.send((False, MemoryError()))
        except OSError:
            raise
        except Exception as error:  # the answer cannot be pickled
            connection.send((False, RuntimeError(f"{type(error).__name__}: {error}")))
    except OSError:
        os._exit(1)
