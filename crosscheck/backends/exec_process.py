"""A program that speaks the harness protocol: started, asked line by line, and ended."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO, Any, cast

from crosscheck.backends.exec_messages import START, STOP, Greeting, greeting_of, parsed
from crosscheck.backends.outcomes import printable
from crosscheck.errors import BackendError, quoted
from crosscheck.processes.supervised import how_it_ended

__all__ = ["HarnessProcess"]

_STDERR, _STDERR_TAIL = 2, 1000
#: Maximum length of a reply in bytes.
_LONGEST_LINE = 64 << 20


class HarnessProcess:
    """A running program.

    The program writes to the standard error of this process. The supervisor of this process limits the time
    of the program and ends the processes that the program starts.

    Attributes:
        greeting: the program's description of itself.
        next_seq: the number of the next request.

    Args:
        arguments: program and arguments; no shell is involved.

    Raises:
        BackendError: the program does not start, or its greeting is invalid.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        self.next_seq = 1
        try:
            self._process = subprocess.Popen(list(arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise BackendError(f"{quoted(arguments[0])} could not be started: {error.strerror}") from None
        self._requests = cast(IO[bytes], self._process.stdin)
        self._replies = cast(IO[bytes], self._process.stdout)
        try:
            self.greeting: Greeting = greeting_of(self._exchange(START))
        except BaseException:
            self.kill()
            raise

    def ask(self, measures: Sequence[str], inputs: Mapping[str, object]) -> dict[str, Any]:
        """The reply to a ``measure`` request.

        Args:
            inputs: the fields with qrels and run or their paths.

        Raises:
            BackendError: the program died, broke the protocol, or answered another request.
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
        line = b""
        with contextlib.suppress(OSError):
            self._requests.write(json.dumps(message, allow_nan=False).encode() + b"\n")
            self._requests.flush()
            line = self._line()
        if not line.endswith(b"\n"):
            cut = f" in the middle of a line: {quoted(line, 80)}" if line else " without an answer"
            said = self._tail()
            last = f"; the last it wrote to standard error: {said}" if said else ""
            raise BackendError(f"{how_it_ended(self._ended())}{cut}{last}")
        return parsed(line)

    def _line(self) -> bytes:
        """The bytes up to the next newline, or to the length limit or the end of the output."""
        line = bytearray()
        while piece := self._replies.readline(1 << 20):
            line += piece
            if line.endswith(b"\n"):
                break
            if b"\0" in piece or not line.lstrip()[:1] == b"{":
                raise BackendError(f"wrote a line that is not JSON: {quoted(bytes(line), 80)}")
            if len(line) > _LONGEST_LINE:
                raise BackendError(
                    f"wrote a line of more than {_LONGEST_LINE >> 20} MB: {quoted(bytes(line[:400]), 80)}"
                )
        return bytes(line)

    def _ended(self) -> int:
        """The exit code of a program that has closed its output."""
        try:
            return self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()

    def noise(self) -> tuple[str, ...]:
        """The end of standard error during the current request, as a note; empty if nothing was written."""
        said = self._tail()
        return (f"wrote to standard error: {said}",) if said else ()

    def _tail(self) -> str:
        """The end of standard error if that is a file, as in a supervised process; otherwise empty."""
        about = os.fstat(_STDERR)
        if not stat.S_ISREG(about.st_mode) or not hasattr(os, "pread"):
            return ""
        written = os.pread(_STDERR, _STDERR_TAIL, max(0, about.st_size - _STDERR_TAIL))
        return printable(written.decode("utf-8", "backslashreplace"))

    def stop(self) -> None:
        """Ask the program to end, and kill it if it does not."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self._requests.write(json.dumps(STOP).encode() + b"\n")
            self._requests.close()
            self._process.wait(timeout=1)
        self.kill()

    def kill(self) -> None:
        """Kill the program and close its pipes."""
        self._process.kill()
        self._process.wait()
        for stream in (self._requests, self._replies):
            with contextlib.suppress(OSError):
                stream.close()
