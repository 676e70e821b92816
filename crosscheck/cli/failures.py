"""Errors that end a command early, as one message and an exit code. All early ends go through this module."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator, Sequence

from crosscheck.errors import CrosscheckError, ResourceError, is_shortage, quoted

__all__ = ["BUG", "failure"]

_BAD_INPUT, _RESOURCES, BUG, _INTERRUPTED = 2, 3, 70, 130
#: The exit code if the reader closed the output, as in a shell.
_NO_READER = 141

#: Parts of messages, in lower case, that C code gives to various exceptions if memory or processes run out.
_SAID_SHORT = (
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "out of memory",
    # numpy's functions, when a small allocation fails.
    "without setting an exception",
    "without exception set",
)


def failure(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """The message (empty if the output is closed) and the exit code for an exception of a command."""
    if isinstance(error, KeyboardInterrupt):
        return "\n  ".join(["interrupted", *getattr(error, "__notes__", ())]), _INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return "", _NO_READER
    if _out_of_memory(error):
        error.__traceback__ = None  # the traceback keeps objects alive
        return (
            "error: memory ran out\n  use fewer or smaller inputs at a time, fewer workers (--workers 1), or "
            "raise the limit (ulimit -v)"
        ), _RESOURCES
    if isinstance(error, CrosscheckError):
        return f"error: {error}", _RESOURCES if _resources(error) else _BAD_INPUT
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error), _RESOURCES if _resources(error) else _BAD_INPUT
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("crosscheck"):
        name = quoted(str(error.name))[1:-1]
        return f"error: the package {name} is not installed\n  pip install {name}", _RESOURCES
    return _bug(error, arguments), BUG


def _out_of_memory(error: BaseException) -> bool:
    for one in _chain(error):
        if isinstance(one, MemoryError) or (isinstance(one, OSError) and one.errno == errno.ENOMEM):
            return True
        if isinstance(one, ImportError | RuntimeError | OSError | SystemError):
            said = str(one).lower()
            if any(words in said for words in _SAID_SHORT):
                return True
    return False


def _resources(error: BaseException) -> bool:
    """Whether memory or another resource ran short. (A path that cannot be written to is bad input.)"""
    return any(
        isinstance(one, ResourceError) or (isinstance(one, OSError) and is_shortage(one))
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _system(error: OSError) -> str:
    where = "" if error.filename is None else f"{quoted(os.fsdecode(str(error.filename)), 4096)[1:-1]}: "
    said = f"error: {where}{error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", None)):
        return f"{said}\n  make room, or write somewhere else"
    if is_shortage(error):
        return f"{said}\n  fewer workers or backends at a time (--workers, --jobs) need fewer of them"
    return said


def _bug(error: BaseException, arguments: Sequence[str]) -> str:
    said = quoted(f"{type(error).__name__}: {error}".removesuffix(": "), 300)[1:-1]
    try:
        kept = f"with the file {_kept(error, arguments)}, which holds the details"
    except Exception:  # no disk to keep it on
        kept = f"with this line: {_place(error)}"
    return f"this is a bug of crosscheck, not of your input: {said}\n  please report it {kept}"


def _kept(error: BaseException, arguments: Sequence[str]) -> str:
    """Write the details for a bug report to a new file, and return its path."""
    import platform
    import tempfile
    import traceback

    from crosscheck import __version__

    text = f"crosscheck {__version__}, Python {sys.version}, {platform.platform()}\n{list(arguments)!r}\n"
    text += "".join(traceback.format_exception(error))
    descriptor, path = tempfile.mkstemp(prefix="crosscheck-bug-", suffix=".txt")
    with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(text)
    return path


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "nowhere" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
