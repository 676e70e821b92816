"""The parent's side of a child process with a backend: requests, and the message when it is lost."""

from __future__ import annotations

import pickle
import sys

from crosscheck.backends import wire
from crosscheck.backends.base import Backend
from crosscheck.backends.outcomes import printable
from crosscheck.model import Measure, Qrels, Run
from crosscheck.processes.early import started

__all__ = ["Worker"]

#: Number of bytes quoted from the standard error of a lost process.
_STDERR_TAIL = 1500


class Worker:
    """The child process and the inputs it was sent.

    Args:
        memory: limit of resident memory in bytes for the child and its children, None for no limit.

    Raises:
        OSError: the child cannot be started.
    """

    def __init__(self, backend: Backend, memory: int | None = None) -> None:
        self._sent: tuple[Qrels | None, Run | None] = (None, None)
        self._exchanged: bytes | None = None
        self._setup: wire.Setup | None = wire.Setup(list(sys.path), pickle.dumps(backend))
        self.process = started(memory)

    def exchange(self, backend: Backend) -> None:
        """Use another backend from now on, in the same process."""
        self._exchanged = pickle.dumps(backend)

    def ask(
        self,
        qrels: Qrels | None,
        run: Run | None,
        measures: tuple[Measure, ...],
        asks: wire.Asks,
        values: dict[Measure, list[float]] | None = None,
    ) -> wire.Reply:
        """The reply to a request."""
        if self._setup is not None:
            wire.write_object(self.process.requests, self._setup)
            self._setup = None
        else:  # output of earlier requests does not belong to this one; the position is shared
            self.process.stderr.seek(0)
            self.process.stderr.truncate()
        new_qrels = None if qrels is self._sent[0] else qrels
        new_run = None if run is self._sent[1] else run
        request = wire.Request(
            qrels=new_qrels, run=new_run, measures=measures, asks=asks, values=values, backend=self._exchanged
        )
        wire.write_object(self.process.requests, request)
        self._exchanged = None
        if run is not None:
            self._sent = (qrels, run)
        return wire.read_reply(self.process.replies)

    def bury(self) -> tuple[str, str]:
        """How the process ended, and its last text on standard error as the end of a message (or empty).

        Call it after the pipe was closed.
        """
        self.process.wait(5)  # a closed pipe comes before the end of the process
        ending = self.process.ending()
        tail = printable(self.process.said(_STDERR_TAIL))
        self.process.close()
        return ending, f"; the last it wrote: {tail}" if tail else ""

    def retire(self) -> None:
        """Let an idle child end by itself, and end it if it does not."""
        try:
            self.process.requests.close()
            self.process.wait(2)
        except OSError:  # it is gone
            pass
        finally:
            self.process.close()
