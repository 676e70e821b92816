"""The parent's end of a child process: starting it, asking it, and what is left when it is lost."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from crosscheck.backends import wire
from crosscheck.backends.base import Backend
from crosscheck.backends.outcomes import printable
from crosscheck.model import Measure, Qrels, Run

__all__ = ["Deadline", "Worker"]

#: How much of a lost process's standard error is quoted.
_STDERR_TAIL = 1500


class Deadline:
    """Calls ``expire`` when the block has not ended in time; ``passed`` says whether it did."""

    def __init__(self, seconds: float, expire: Callable[[], None]) -> None:
        self.passed = False
        self._expire = expire
        self._timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), self._ring)
        self._timer.daemon = True

    def _ring(self) -> None:
        self.passed = True
        self._expire()

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()


class Worker:
    """The process, its pipes, what it wrote to standard error, and its temporary files."""

    def __init__(self, backend: Backend) -> None:
        self._sent: tuple[Qrels | None, Run | None] = (None, None)
        self._setup: wire.Setup | None = wire.Setup(list(sys.path), pickle.dumps(backend))
        self._files = contextlib.ExitStack()
        scratch = self._files.enter_context(
            tempfile.TemporaryDirectory(prefix="crosscheck-", ignore_cleanup_errors=True)
        )
        self._stderr: IO[bytes] = self._files.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        # A relative entry means another folder once the working directory has changed.
        inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        search = [str(Path(__file__).parents[2]), *filter(os.path.isabs, inherited)]
        self._process = subprocess.Popen(
            # -P: a file of the user's, in the working directory, must not shadow a module that is
            # needed before the parent's own sys.path arrives.
            [sys.executable, "-P", "-m", "crosscheck.backends.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(search),
                **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), scratch),
            },
            # A group of its own: it can be killed with everything that it started, and Ctrl-C
            # reaches it only through its parent.
            process_group=0 if os.name == "posix" else None,
        )

    def ask(self, qrels: Qrels, run: Run, measures: tuple[Measure, ...]) -> wire.Reply:
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None
        assert replies is not None
        if self._setup is not None:
            wire.write_object(requests, self._setup)
            self._setup = None
        else:  # what earlier requests printed does not belong to this one; the position is shared
            self._stderr.seek(0)
            self._stderr.truncate()
        new_qrels = None if qrels is self._sent[0] else qrels
        new_run = None if run is self._sent[1] else run
        wire.write_object(requests, wire.Request(new_qrels, new_run, measures))
        self._sent = (qrels, run)
        return wire.read_reply(replies)

    def alive(self) -> bool:
        """Whether the process can be asked."""
        return self._process.poll() is None

    def kill(self) -> None:
        """Kills the process and what it started, at once."""
        if self._process.returncode is not None:
            return
        if os.name == "posix":
            with contextlib.suppress(OSError):  # it is gone, and nothing of it is left
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def bury(self) -> tuple[int, str]:
        """After its end: its exit code and what it last wrote to standard error, as a message part."""
        try:
            code = self._process.wait(timeout=5)  # a closed pipe comes before the end of the process
        except subprocess.TimeoutExpired:
            self.kill()
            code = self._process.wait()
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - _STDERR_TAIL))
        tail = printable(self._stderr.read().decode("utf-8", "backslashreplace"))
        self._release()
        return code, f"; the last it wrote: {tail}" if tail else ""

    def close(self) -> None:
        """Lets an idle child end by itself, kills it if it does not."""
        assert self._process.stdin is not None
        try:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                self._process.stdin.close()
                self._process.wait(timeout=2)
        finally:
            self.kill()
            self._process.wait()
            self._release()

    def _release(self) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # requests still buffered for a process that is gone
                if stream is not None:
                    stream.close()
        self._files.close()
