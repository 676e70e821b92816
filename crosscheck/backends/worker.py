"""The parent's end of a child process that holds a backend: asking it, and what is left when it is lost."""

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

#: How much of a lost process's standard error is quoted.
_STDERR_TAIL = 1500


class Worker(Supervised):
    """The process, and what it has been sent.

    Args:
        memory: bytes that it and what it starts may keep resident, None for any number.
    """

    def __init__(self, backend: Backend, memory: int | None = None) -> None:
        self._sent: tuple[Qrels | None, Run | None] = (None, None)
        self._setup: wire.Setup | None = wire.Setup(list(sys.path), pickle.dumps(backend))
        # A relative entry means another folder once the working directory has changed.
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        search = [str(Path(__file__).parents[2]), *filter(os.path.isabs, inherited)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search)}
        super().__init__("module", ["crosscheck.backends.child"], environment=environment, memory=memory)

    def ask(
        self, qrels: Qrels | None, run: Run | None, measures: tuple[Measure, ...], *, supports: bool = False
    ) -> wire.Reply:
        """The reply to a request; ``supports`` asks only which of the measures the backend has."""
        if self._setup is not None:
            wire.write_object(self.requests, self._setup)
            self._setup = None
        else:  # what earlier requests printed does not belong to this one; the position is shared
            self.stderr.seek(0)
            self.stderr.truncate()
        new_qrels = None if qrels is self._sent[0] else qrels
        new_run = None if run is self._sent[1] else run
        wire.write_object(self.requests, wire.Request(new_qrels, new_run, measures, supports))
        if not supports:
            self._sent = (qrels, run)
        return wire.read_reply(self.replies)

    def bury(self) -> tuple[str, str]:
        """After its end: how it ended, and what it last wrote to standard error, as a message part."""
        self.wait(5)  # a closed pipe comes before the end of the process
        ending = self.ending()
        tail = printable(self.said(_STDERR_TAIL))
        self.close()
        return ending, f"; the last it wrote: {tail}" if tail else ""

    def retire(self) -> None:
        """Let an idle child end by itself, end it if it does not."""
        try:
            self.requests.close()
            self.wait(2)
        except OSError:  # it is gone
            pass
        finally:
            self.close()
