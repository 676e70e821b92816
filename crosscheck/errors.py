"""Every error that crosscheck raises on purpose.

    CrosscheckError            the base class, to be caught; never raised itself
    ├── UsageError             the call or the command line asks for something that does not exist
    │   ├── UnknownMeasure     a measure name that does not exist
    │   └── ArgumentError      an invalid argument of the Python API (also a ValueError)
    ├── InputError             a file or an in-memory input cannot be used
    │   └── EmptyInput         there is nothing in it
    ├── BackendError           a backend could not be called, raised, crashed or ran out of time
    └── ResourceError          needed memory, processes, a cluster or a package is missing
    InputWarning               a warning: an input can be used, and is probably not what was meant

Each error has a message (what happened) and often a hint (what to do). ``str(error)`` has both. Input and
usage errors end a command with exit code 2, resource errors with 3. Backend errors never end a run: they
become the outcome ``error`` of the comparisons with this backend. Any other exception is a bug of crosscheck:
the command ends with 70 and writes the traceback to a file.
"""

import copyreg
import errno
import re
import sys
import warnings
from collections.abc import Iterable
from contextvars import ContextVar
from itertools import islice

#: The name on the package index, where another package is called crosscheck.
DISTRIBUTION = "crosscheck-ir"

#: Whether a command runs, whose user can give options.
IN_COMMAND = ContextVar("IN_COMMAND", default=False)
_OPTION = re.compile(r"--format (?:qrels|run)=([\w,]*\w)")


def quoted(data: bytes | str, limit: int = 120, mark: str = "'") -> str:
    """Untrusted text made safe for a message: printable, on one line, at most ``limit`` characters, between
    quotation marks.

    Only the part that is shown is decoded, so a very long text costs no time.
    """
    shown = data[: 4 * (limit + 1)] if isinstance(data, bytes) else data[: limit + 1]
    text = shown.decode("utf-8", "backslashreplace") if isinstance(shown, bytes) else shown
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if len(safe) <= limit and len(shown) == len(data):
        return f"{mark}{safe}{mark}"
    size = f"{len(data)} bytes" if len(shown) < len(data) and isinstance(data, bytes) else None
    size = size or f"{len(data if isinstance(data, str) else text)} characters"
    return f"{mark}{safe[:limit]}…{mark} ({size})"


def safe_text(data: bytes | str, limit: int = 120) -> str:
    """Untrusted text made safe as by :func:`quoted`, without quotation marks."""
    return quoted(data, limit, "")


def in_short(value: object, limit: int = 60) -> str:
    """A value of a wrong type as messages show it."""
    return safe_text(repr(value), limit)


def install(extra: str) -> str:
    """The pip command that installs an optional group of packages, such as ``stats``."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


class CrosscheckError(Exception):
    """Base of all errors raised on purpose.

    Args:
        message: what happened, in one sentence.
        hint: what the reader can do next, or None.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n  {self.hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # Errors are pickled in worker processes; Exception's own pickling has no keyword arguments.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class UsageError(CrosscheckError):
    """An unknown name, flag or argument."""


class UnknownMeasure(UsageError):
    """A measure name that is valid in neither trec_eval's nor ir_measures' spelling."""


class ArgumentError(UsageError, ValueError):
    """An invalid argument of the Python API, such as a cutoff below 1."""


def nearest(name: str, known: Iterable[str], least: float = 0.5) -> str | None:
    """The known name most similar to a mistyped name, or None if no known name is similar: less than the
    share ``least`` of their characters is in common."""
    import difflib

    return next(iter(difflib.get_close_matches(name, known, 1, least)), None)


def did_you_mean(name: str, known: Iterable[str], before: str = "") -> str:
    """The text ``before`` and "did you mean gain?" (for ``gian``); empty if no known name is similar."""
    near = nearest(name, known)
    return f"{before}did you mean {near}?" if near else ""


def no_such(
    what: str, name: str, known: Iterable[str], error: type[UsageError] = UsageError, *, several: str = ""
) -> UsageError:
    """The error for a name that does not exist. The error suggests a similar name and lists the existing
    names.

    Args:
        what: the kind of name, in the singular: ``label``.
        several: the plural, if it is not ``what`` with an s.
    """
    known = [safe_text(each) for each in known]
    problem = f"there is no {what} {quoted(name)}{did_you_mean(name, known, '; ')}"
    return error(problem, hint=f"the {several or what + 's'} are: {', '.join(known)}")


class InputError(CrosscheckError):
    """An input that cannot be used: names the file, the line, what was found and what was expected.

    Args:
        message: what is wrong.
        path: the file, or a description of the input in memory.
        line: 1-based line number, or None for the whole file.
        found: the offending bytes, quoted in the message.
        expected: the expected content.
        hint: the remedy.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str,
        line: int | None = None,
        found: bytes | str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.path, self.line, self.found, self.expected = path, line, found, expected

    def __str__(self) -> str:
        where = self.path if self.line is None else f"{self.path}:{self.line}"
        lines = [f"{safe_text(where, 4096)}: {self.message}"]
        if self.found is not None:
            lines.append(f"found:    {quoted(self.found)}")
        if self.expected is not None:
            lines.append(f"expected: {self.expected}")
        if self.hint is not None:
            # In Python, paths that begin with the form of the file take the place of the option of commands.
            file = safe_text(self.path.rpartition(":")[2], 4096)
            in_python = _OPTION.sub(lambda option: f'the path "{option[1]}:{file}"', self.hint)
            lines.append(f"to do:    {self.hint if IN_COMMAND.get() else in_python}")
        return "\n  ".join(lines)


class EmptyInput(InputError):
    """An empty input, such as a run that was never written."""


class BackendError(CrosscheckError):
    """A backend failed; the message is that of the backend's own error."""


class ResourceError(CrosscheckError):
    """A needed resource is missing: memory, a worker that was killed, a cluster, a newer package."""


class InputWarning(UserWarning):
    """A warning about an input that can be used but is probably not what was meant."""


def warn(message: str) -> None:
    """Issue an :class:`InputWarning` that points at the line of the user's code that called crosscheck."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("crosscheck."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, InputWarning, stacklevel=level)


def memory_is_limited() -> bool:
    """Whether the address space of this process has a limit (``ulimit -v``)."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def need_memory(size: int = 16 << 20) -> None:
    """Raise MemoryError if the process may not allocate ``size`` more bytes. The default size is the need of
    a new thread.

    Called before code that does not report a lack of memory: linear algebra exits with 1 or retries forever,
    and Python waits forever for a thread that could not start.
    """
    if memory_is_limited():
        import mmap

        try:
            mmap.mmap(-1, size).close()
        except OSError:
            raise MemoryError from None


def is_shortage(error: OSError) -> bool:
    """Whether the error is a lack of memory, processes or open files, and not a fault of the input."""
    return error.errno in (errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE)


def joined(parts: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *first, last = [*parts] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def first_few(texts: Iterable[str], most: int = 5) -> str:
    """The first texts with commas between them, and ``...`` if there are more."""
    shown = list(islice(texts, most + 1))
    return ", ".join(shown[:most]) + ", ..." * (len(shown) > most)


def count(number: int, noun: str) -> str:
    """``1 query``, ``2 queries``, ``3 mismatches``, ``1,000 comparisons``."""
    if number == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}es" if noun.endswith("ch") else f"{noun}s"
    return f"{number:,} {plural}"


class TimeIsUp(Exception):
    """Raised inside an audit when its time limit is reached."""
