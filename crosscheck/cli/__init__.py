"""The command line, from its arguments to its exit code."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from crosscheck.cli.failures import failure  # at once: where files or memory are short, it could not be read

__all__ = ["main"]

#: Bytes of address space that importing numpy takes, including what it reserves for linear algebra.
_NUMPY_BYTES = 85 << 20


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    code = _exit_code(sys.argv[1:] if arguments is None else arguments)
    # Otherwise the interpreter searches all objects for cycles before it ends, which takes as long as
    # importing half of numpy.
    gc.freeze()
    sys.exit(code)


def _exit_code(arguments: Sequence[str]) -> int:
    try:
        _prepare_process()
        _have_memory()
        code = _run(arguments)
        _flush()
        return code
    except BaseException as error:
        return _failed(error, arguments)


def _flush() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        error.filename = "stdout"
        raise


def _have_memory() -> None:
    """Raise MemoryError if the limit of the address space would make the import of numpy exit with 1."""
    try:
        import resource
    except ImportError:  # Windows
        return
    if resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        import mmap

        try:
            mmap.mmap(-1, _NUMPY_BYTES).close()
        except OSError:
            raise MemoryError from None


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["trec_eval"]:
        # Its options are trec_eval's, with getopt's rules. Scripts call it a thousand times, so it must not
        # wait for the parser of the other commands.
        from crosscheck.trec_eval.command import trec_eval

        return trec_eval(arguments[1:], sys.stdout.buffer, sys.stderr)
    from crosscheck.cli.commands import run_command

    return run_command(arguments)


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    """Print the error that ended the command in one message. No failure here may hide it."""
    try:
        message, code = failure(error, arguments)
    except BaseException as another:  # probably there is no memory for the message
        message, code = f"error: {type(error).__name__}, and {type(another).__name__} while saying so", 70
        if isinstance(error, MemoryError) or isinstance(another, MemoryError | OSError):
            message, code = "error: memory ran out", 3
    try:
        sys.stdout.flush()
    except (OSError, ValueError):  # the interpreter must not try to write the rest
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if message:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"crosscheck: {message}\n")
            sys.stderr.flush()
    return code


def _prepare_process() -> None:
    """Prepare streams for any text, turn off needless work, and handle SIGTERM in an orderly way."""
    # A caller that closed a stream does not need it.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    # Names may hold any byte; what the terminal cannot show is escaped instead of crashing the output.
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    # numpy starts as many threads for its linear algebra, which nothing here uses, as there are processors.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create many objects and no garbage.
    gc.set_threshold(100_000)
    # As for Ctrl-C: finished comparisons are written, and temporary files are removed.
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
