"""A supervisor: a process that watches a worker process and ends it with all processes that it started.

:func:`supervise` forks. The copy continues as the worker; the original process becomes the supervisor and
does nothing else. The supervisor ends every descendant of the worker, even in a different process group or
session, as soon as

- the worker has ended, in whatever way,
- the other end of the control socket is closed, because the owner closed it or has ended,
- a signal asks the supervisor to end, or
- the worker and its descendants exceed their limits of memory or of output.

The supervisor then ends as the worker ended: with the same exit code or by the same signal.

On Linux no descendant can escape, because the supervisor is a subreaper: a process that loses its parent
becomes a child of the supervisor. On other Unix systems the process group of the worker is ended, which a
process can leave. On Windows there is no supervisor. (psutil, loky and anyio end only processes that their
owner can find, which excludes processes started by grandchildren of an owner that was killed.)

Run as a script (``supervisor.py CONTROL MEMORY SCRATCH module NAME`` or ``... program NAME ARGUMENT...``), it
starts a module of crosscheck or any program. It imports few modules, because it is started for each child.
"""

import contextlib
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from typing import NoReturn

#: Most bytes of standard error of a worker, if standard error is a file. A worker that writes more is ended.
MOST_PRINTED = 64 << 20
#: Milliseconds between two checks of memory and output.
_INTERVAL = 50
#: Seconds within which Python must handle a signal.
_DEAF = 1.0
#: Seconds after which descendants that cannot be ended (they belong to a different user) are left alone.
PATIENCE = 5.0

#: The note that all processes have ended.
ENDED = "ended"

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
#: The signals that ask a process to end.
ENDING = tuple(one for one in signal.Signals if one.name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"))


def supervise(
    control: int, *, memory: int | None = None, scratch: str | None = None, notes: bool = False
) -> None:
    """Fork: the function returns in the copy, which is the worker; this process becomes its supervisor, in
    which the function never returns.

    Does nothing on systems without fork. The process must have a single thread.

    Args:
        control: one end of a Unix socket. The worker is ended when the other end is closed.
        memory: limit of resident memory in bytes for the worker and its descendants, None for no limit.
        scratch: a folder to remove at the end.
        notes: whether to write to the control socket why the worker was ended, and :data:`ENDED` at the end.
    """
    if os.name != "posix":
        return
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    # With a handler in Python, each signal writes its number into the pipe.
    for number in (signal.SIGCHLD, *ENDING):
        signal.signal(number, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with contextlib.suppress(OSError):  # it leads a session already
        os.setpgid(0, 0)
    supervisor = os.getpid()
    worker = os.fork()
    if worker == 0:
        os.close(woken)
        _begin_work(wake, supervisor)
        return
    try:
        watched = _Worker(worker, control, woken, wake, memory, notes)
        watched.wait()
        watched.end()
        if scratch is not None:
            remove(scratch)
        _end_as(watched.status)
    finally:  # the caller's next steps must not happen twice
        os._exit(70)


def _begin_work(wake: int, supervisor: int) -> None:
    """Turn the copy into an ordinary process, with default signal handlers and a session of its own."""
    signal.set_wakeup_fd(-1)
    os.close(wake)
    for number in (signal.SIGCHLD, *ENDING):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:  # it ended before PR_SET_PDEATHSIG was set
        os._exit(70)


def interrupt_or_end() -> Callable[..., NoReturn]:
    """A signal handler that raises KeyboardInterrupt. If Python cannot call the handler within a second, a
    forked copy of this process kills this process.

    When memory is short, linear algebra may retry forever, in C code that a handler cannot interrupt.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    watched = os.getpid()
    if os.fork() == 0:
        try:
            os.setsid()
            _close_all_but({woken})
            while (signals := os.read(woken, 4096)) and 0 not in signals:  # a 0 means they were handled
                if not select.select([woken], [], [], _DEAF)[0] and os.getppid() == watched:
                    os.kill(watched, signal.SIGKILL)
        finally:
            os._exit(0)
    os.close(woken)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def interrupt(*_: object) -> NoReturn:
        os.write(wake, b"\0")
        raise KeyboardInterrupt

    return interrupt


def _prctl(option: int, value: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class _Worker:
    """A worker and its descendants, as their supervisor sees them. ``status``: how the worker ended, None as
    long as this is not known."""

    def __init__(
        self, pid: int, control: int, woken: int, wake: int, memory: int | None, notes: bool
    ) -> None:
        self.status: int | None = None
        self._pid, self._control, self._woken, self._memory, self._notes = pid, control, woken, memory, notes
        self._watched = printed() is not None or memory is not None
        # Readers must see the pipes close when the worker ends, so this process keeps no pipe open.
        _close_all_but({control, woken, wake, *((2,) if self._watched else ())})

    def wait(self) -> None:
        """Wait until there is a reason to end the worker."""
        events = select.poll()
        events.register(self._control, 0)  # only its hang-up
        events.register(self._woken, select.POLLIN)
        while True:
            for end, _ in events.poll(_INTERVAL if self._watched else None):
                if end == self._control or not set(ENDING).isdisjoint(os.read(self._woken, 4096)):
                    return
            if not self._reap() or self.status is not None or self._too_much():
                return

    def _reap(self) -> bool:
        """Reap all children that have ended, and return whether further children still run."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self._pid:
                self.status = status

    def _too_much(self) -> bool:
        if (printed() or 0) > MOST_PRINTED:
            self._note(f"printed more than {MOST_PRINTED >> 20} MB")
            return True
        if self._memory is not None and sum(map(_resident, _descendants())) > self._memory:
            self._note(f"used more than {self._memory / 1e6:,.0f} MB of memory (--memory-limit)")
            return True
        return False

    def end(self) -> None:
        """End the worker and all its descendants."""
        with contextlib.suppress(OSError):
            if self.status is None:
                os.killpg(self._pid, signal.SIGKILL)
        limit = time.monotonic() + PATIENCE
        while self._reap() and time.monotonic() < limit:
            for pid in _descendants():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.001)
        if not sys.platform.startswith("linux"):  # end what the worker left in its process group
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)
        self._note(ENDED)

    def _note(self, text: str) -> None:
        if self._notes:
            with contextlib.suppress(OSError):
                os.write(self._control, f"{text}\n".encode())


def _descendants() -> Iterator[int]:
    """Yield the process ids of all descendants of this process; nothing on a system without ``/proc``."""
    unseen = [os.getpid()]
    while unseen:
        children = _children(unseen.pop())
        yield from children
        unseen += children


def _children(pid: int) -> list[int]:
    if not os.path.exists("/proc/thread-self/children"):  # an older kernel: look at all processes
        return [other for other in map(int, filter(str.isdigit, listed("/proc"))) if _parent(other) == pid]
    of_threads = [content(f"/proc/{pid}/task/{thread}/children") for thread in listed(f"/proc/{pid}/task")]
    return [int(child) for children in of_threads for child in children.split()]


def _parent(pid: int) -> int:
    fields = content(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if fields else 0


def _resident(pid: int) -> int:
    fields = content(f"/proc/{pid}/statm").split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def listed(folder: str) -> list[str]:
    """The names in a folder; empty if the folder does not exist, as on a system without ``/proc``."""
    with contextlib.suppress(OSError):
        return os.listdir(folder)
    return []


def content(path: str) -> bytes:
    """The content of a file; empty if the file cannot be read, as of a process that has ended."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        return file.read()
    return b""


def printed() -> int | None:
    """Number of bytes in standard error, None if standard error is not a file."""
    import stat

    with contextlib.suppress(OSError):
        status = os.fstat(2)
        return status.st_size if stat.S_ISREG(status.st_mode) else None
    return None


def _close_all_but(kept: set[int]) -> None:
    for end in map(int, os.listdir("/dev/fd")):
        if end not in kept:
            with contextlib.suppress(OSError):  # the descriptor of the listing is closed already
                os.close(end)


def remove(folder: str) -> None:
    """Remove a folder and its content. An empty folder is removed even if no further file can be opened."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)
        return
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def _end_as(status: int | None) -> NoReturn:
    if status is None:
        os._exit(128 + signal.SIGKILL)
    if os.WIFSIGNALED(status):
        import resource

        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        with contextlib.suppress(OSError, ValueError):
            os.kill(os.getpid(), os.WTERMSIG(status))
            signal.pause()
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _main(control: str, memory: str, scratch: str, kind: str, name: str, *arguments: str) -> None:
    supervise(int(control), memory=int(memory) or None, scratch=scratch or None, notes=True)
    if kind == "module":
        os.close(int(control))
        import importlib

        importlib.import_module(name).main()
        return
    os.set_inheritable(int(control), False)
    for number in ("SIGPIPE", "SIGXFSZ"):  # Python ignores them
        signal.signal(getattr(signal, number), signal.SIG_DFL)
    try:
        os.execvp(name, [name, *arguments])
    except OSError as error:
        os.write(int(control), f"could not be started: {error.strerror}\n".encode())
        os._exit(127)


if __name__ == "__main__":
    _main(*sys.argv[1:])
