"""The parent's side of a child process with a backend: requests, and the message when it is lost."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path

from crosscheck.backends import wire
from crosscheck.backends.base import Backend
from crosscheck.backends.outcomes import printable
from crosscheck.model import Measure, Qrels, Run
from crosscheck.processes.supervised import Supervised

__all__ = ["Worker"]

#: Number of bytes quoted from the standard error of a lost process.
_STDERR_TAIL = 1500


class Worker(Supervised):
    """The child process and the inputs it was sent.

    Args:
        memory: limit of resident memory in bytes for it and its children, None for no limit.
    """

    def __init__(self, backend: Backend, memory: int | None = None) -> None:
        self._sent: tuple[Qrels | None, Run | None] = (None, None)
        self._exchanged: bytes | None = None
        self._setup: wire.Setup | None = wire.Setup(list(sys.path), pickle.dumps(backend))
        # A relative entry names another folder once the working directory has changed.
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        search = [str(Path(__file__).parents[2]), *filter(os.path.isabs, inherited)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search)}
        super().__init__("module", ["crosscheck.backends.child"], environment=environment, memory=memory)

    def exchange(self, backend: Backend) -> None:
        """Ask another backend from now on, in the same process."""
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
            wire.write_object(self.requests, self._setup)
            self._setup = None
        else:  # output of earlier requests does not belong to this one; the position is shared
            self.stderr.seek(0)
            self.stderr.truncate()
        new_qrels = None if qrels is self._sent[0] else qrels
        new_run = None if run is self._sent[1] else run
        request = wire.Request(new_qrels, new_run, measures, asks, values, self._exchanged)
        wire.write_object(self.requests, request)
        self._exchanged = None
        if run is not None:
            self._sent = (qrels, run)
        return wire.read_reply(self.replies)

    def bury(self) -> tuple[str, str]:
        """Part of a message: how the process ended and its last text on standard error. Called after
        its end."""
        self.wait(5)  # a closed pipe comes before the end of the process
        ending = self.ending()
        tail = printable(self.said(_STDERR_TAIL))
        self.close()
        return ending, f"; the last it wrote: {tail}" if tail else ""

    def retire(self) -> None:
        """Let an idle child end by itself, and end it if it does not."""
        try:
            self.requests.close()
            self.wait(2)
        except OSError:  # it is gone
            pass
        finally:
            self.close()
