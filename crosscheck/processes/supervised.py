"""Functions of the owner of a supervised process: to start it, to end it, and to find out why it ended."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, cast

from msgspec import Struct

from crosscheck.errors import ResourceError, need_memory
from crosscheck.processes import supervisor

#: Bytes of standard output that are read. A program that prints more is ended at its time limit.
_LONGEST_OUTPUT = 1 << 30
#: Seconds that a supervisor has to end its processes before it is killed itself.
_PATIENCE = supervisor.PATIENCE + 1.0


def how_it_ended(code: int) -> str:
    """An exit code in words, such as ``was killed by SIGSEGV`` or ``exited with code 3``."""
    if code >= 0:
        return f"exited with code {code}"
    with contextlib.suppress(ValueError):
        return f"was killed by {signal.Signals(-code).name}"
    return f"was killed by signal {-code}"


@contextlib.contextmanager
def time_limit(seconds: float, expire: Callable[[], None]) -> Iterator[threading.Event]:
    """A time limit for a ``with`` block. After ``seconds``, the event is set and ``expire`` is called.

    Raises:
        ResourceError: no thread can be started for the timer.
    """
    passed = threading.Event()

    def ring() -> None:
        passed.set()
        expire()

    timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), ring)
    timer.daemon = True
    need_memory()
    try:
        timer.start()
    except RuntimeError as error:
        raise ResourceError(str(error)) from None
    try:
        yield passed
    finally:
        timer.cancel()
        timer.join()


class Supervised:
    """A child process that ends together with all processes that it started, even if this process is killed.

    For the details on each system see :mod:`crosscheck.processes.supervisor`. On Windows, processes that the
    child started are not ended.

    Attributes:
        requests: standard input of the process.
        replies: standard output of the process.
        stderr: a file with the standard error of the process; it can be truncated to drop old output.

    Args:
        kind: ``module`` for a module of crosscheck, whose ``main`` is called, or ``program`` for any program.
        command: the name of the module; or the program and its arguments, without a shell.
        env: environment variables. ``TMPDIR`` is always a folder that is removed at the end.
        memory: limit of resident memory in bytes for the process and all processes that it starts, None for
            no limit.

    Raises:
        OSError: the process cannot be started.
    """

    def __init__(
        self, kind: str, command: list[str], *, env: Mapping[str, str] = os.environ, memory: int | None = None
    ) -> None:
        # The name is chosen before the folder exists, so that a signal between the two leaves nothing behind.
        self._scratch = os.path.join(tempfile.gettempdir(), f"crosscheck-{os.urandom(8).hex()}")
        self._control: socket.socket | None = None
        with contextlib.ExitStack() as undo:
            undo.callback(supervisor.remove, self._scratch)
            os.mkdir(self._scratch, 0o700)
            self.stderr: IO[bytes] = undo.enter_context(tempfile.TemporaryFile())
            passed: list[socket.socket] = []
            if os.name == "posix":
                self._control, *passed = map(undo.enter_context, socket.socketpair())
            ends = [end.fileno() for end in passed]
            self._process = subprocess.Popen(
                self._command(kind, command, ends, memory),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.stderr,
                env={**env, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._scratch)},
                pass_fds=ends,
            )
            for end in passed:
                end.close()
            self._undo = undo.pop_all()
        self.requests = cast(IO[bytes], self._process.stdin)
        self.replies = cast(IO[bytes], self._process.stdout)

    def _command(self, kind: str, command: list[str], ends: list[int], memory: int | None) -> list[str]:
        # -P: a file in the working directory must not shadow a module that is needed before the sys.path of
        # this process arrives.
        python = [sys.executable, "-P"] if kind == "module" else [sys.executable, "-I", "-S"]
        if ends:
            watched = (str(ends[0]), str(memory or 0), self._scratch)
            return [*python, supervisor.__file__, *watched, kind, *command]
        if kind == "module":
            return [*python, "-c", f"import {command[0]} as m; m.main()"]
        return list(command)

    @property
    def pid(self) -> int:
        return self._process.pid

    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def kill(self) -> None:
        """End the process and all processes that it started, at once. Any thread may call this,
        repeatedly."""
        if self._control is not None:
            with contextlib.suppress(OSError):  # closed already
                self._control.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE)
                return
        self._process.kill()  # the supervisor was stopped (SIGSTOP), or there is no supervisor
        self._end_orphans()

    def wait(self, seconds: float) -> int:
        """The exit code (see :class:`subprocess.Popen`). A process that does not end in time is killed."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()

    def ending(self) -> str:
        """How the process ended, in words. To be called after :meth:`wait`."""
        reasons = [note for note in self._notes() if note != supervisor.ENDED]
        return reasons[0] if reasons else how_it_ended(self._process.returncode)

    def _end_orphans(self) -> None:
        """End the processes that a killed supervisor left behind. They are recognised by their TMPDIR."""
        mark = f"TMPDIR={self._scratch}\0".encode()
        for _ in range(10):
            processes = filter(str.isdigit, supervisor.listed("/proc"))
            left = [pid for pid in processes if mark in supervisor.content(f"/proc/{pid}/environ")]
            for pid in map(int, left):
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            if not left:
                return

    def _notes(self) -> list[str]:
        """The supervisor's notes on how the process ended."""
        received = b""
        if self._control is not None:
            with contextlib.suppress(OSError):
                received = self._control.recv(4096, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        return received.decode().splitlines()

    def stderr_tail(self, limit: int) -> str:
        """The end of standard error of the process, at most ``limit`` bytes."""
        self.stderr.seek(max(0, self.stderr.seek(0, os.SEEK_END) - limit))
        return self.stderr.read(limit).decode("utf-8", "backslashreplace")

    def close(self) -> None:
        """End the process if it still runs, and release its pipes and files."""
        if self.alive():
            self.kill()
        self._process.wait()
        if self._control is not None and supervisor.ENDED not in self._notes():
            self._end_orphans()
        for stream in (self.requests, self.replies):
            with contextlib.suppress(OSError):  # requests still buffered for a process that is gone
                stream.close()
        self._undo.close()


class Finished(Struct, frozen=True, kw_only=True):
    """A program that has ended.

    Attributes:
        code: exit code, as from :class:`subprocess.Popen`.
        ending: how the program ended, in words.
        out: standard output.
        err: the end of standard error.
    """

    code: int
    ending: str
    out: bytes
    err: str


def run_program(arguments: list[str], timeout: float, *, memory: int | None = None) -> Finished:
    """Run a program, without input, until it ends; then end all processes that it left behind.

    Raises:
        TimeoutError: the program did not end in time, and was killed.
        OSError: the program could not be started.
    """
    with contextlib.closing(Supervised("program", arguments, memory=memory)) as program:
        with time_limit(timeout, program.kill) as passed:
            program.requests.close()
            out = program.replies.read(_LONGEST_OUTPUT)
            code = program.wait(timeout)
        if passed.is_set():
            raise TimeoutError
        return Finished(code=code, ending=program.ending(), out=out, err=program.stderr_tail(4000))


#: Memory limit -> a child process that was started early and is not used yet.
_EARLY: dict[int | None, Supervised] = {}


@contextlib.contextmanager
def starting(memory: int | None = None) -> Iterator[None]:
    """Start a child process early, which a call of :func:`started` in this ``with`` block then uses.

    A child that was not used ends at the end of the block.
    """
    with contextlib.suppress(OSError):  # reported where it is needed
        _EARLY[memory] = _start(memory)
    try:
        yield
    finally:
        unused = _EARLY.pop(memory, None)
        if unused is not None:
            unused.close()


def started(memory: int | None = None) -> Supervised:
    """A child process that waits for the messages of :mod:`crosscheck.backends.child`.

    Args:
        memory: limit of resident memory in bytes for the child and its children, None for no limit.

    Raises:
        OSError: the child cannot be started.
    """
    return _EARLY.pop(memory, None) or _start(memory)


def _start(memory: int | None) -> Supervised:
    # A relative entry names another folder once the working directory has changed.
    inherited = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    search = [str(Path(__file__).parents[2]), *filter(os.path.isabs, inherited)]
    # crosscheck uses no linear algebra. With one thread for it, a child needs less memory and starts faster.
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": os.pathsep.join(search)}
    return Supervised("module", ["crosscheck.backends.child"], env=environment, memory=memory)
