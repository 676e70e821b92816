"""A program that speaks the harness protocol: started, asked line by line, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import IO, Any, Self

from crosscheck.backends.exec_messages import START, STOP, Greeting, greeting_of, parsed
from crosscheck.backends.outcomes import FinalError, printable
from crosscheck.backends.processes import how_it_ended
from crosscheck.backends.worker import Deadline
from crosscheck.errors import BackendError, quoted

__all__ = ["HarnessProcess"]

_STDERR_TAIL = 1000
#: No reply is this long; a line beyond it is not one.
_LONGEST_LINE = 1 << 28


class HarnessProcess:
    """A running program.

    Attributes:
        greeting: what it said of itself.
        next_seq: the number that the next request must bear.

    Args:
        arguments: program and arguments; no shell is involved.
        timeout: seconds that one reply may take.

    Raises:
        BackendError: it does not start, or does not greet as it should.
    """

    def __init__(self, arguments: Sequence[str], timeout: float) -> None:
        self.next_seq = 1
        self._timeout = timeout
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._stderr
            )
        except OSError as error:
            self._stderr.close()
            raise BackendError(f"{quoted(arguments[0])} could not be started: {error.strerror}") from None
        try:
            self.greeting: Greeting = greeting_of(self._exchange(START))
        except BaseException:
            self.kill()
            raise

    def ask(self, measures: Sequence[str], inputs: Mapping[str, object]) -> dict[str, Any]:
        """The reply to a ``measure`` request.

        Args:
            inputs: the fields that hold qrels and run, or say where they are.

        Raises:
            BackendError: the program died, was silent, broke the protocol, or answered another request.
        """
        request = {"cmd": "measure", "seq": self.next_seq, "measures": list(measures), **inputs}
        reply = self._exchange(request)
        seq = reply.get("seq")
        if seq != self.next_seq or isinstance(seq, bool):
            raise BackendError(
                f"answered request {printable(repr(seq), 40)} when request {self.next_seq} was asked"
            )
        self.next_seq += 1
        return reply

    def _exchange(self, message: Mapping[str, object]) -> dict[str, Any]:
        requests, replies = self._process.stdin, self._process.stdout
        assert requests is not None
        assert replies is not None
        self._stderr.seek(0)
        self._stderr.truncate()
        deadline = Deadline(self._timeout, self._process.kill)
        line = b""
        with deadline, contextlib.suppress(OSError):
            requests.write(json.dumps(message, allow_nan=False).encode() + b"\n")
            requests.flush()
            line = replies.readline(_LONGEST_LINE)
        if deadline.passed:
            raise FinalError(f"said nothing within {self._timeout:g} s{self._said()}")
        if not line.endswith(b"\n"):
            code = self._ended()
            cut = f" in the middle of a line: {quoted(line, 80)}" if line else " without an answer"
            raise BackendError(f"{how_it_ended(code)}{cut}{self._said()}")
        return parsed(line)

    def _ended(self) -> int:
        """The exit code of a program that has closed its output."""
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def noise(self) -> tuple[str, ...]:
        """What it wrote to standard error beside its last reply, as a note; none where it wrote nothing."""
        said = self._tail()
        return (f"wrote to standard error: {said}",) if said else ()

    def _said(self) -> str:
        said = self._tail()
        return f"; the last it wrote to standard error: {said}" if said else ""

    def _tail(self) -> str:
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - _STDERR_TAIL))
        return printable(self._stderr.read().decode("utf-8", "backslashreplace"))

    def stop(self) -> None:
        """Asks it to end, and ends it if it does not."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(STOP).encode() + b"\n")
            self._process.stdin.close()
            self._process.wait(timeout=1)
        self.kill()

    def kill(self) -> None:
        """Ends it at once."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
