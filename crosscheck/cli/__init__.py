"""The command line, from its arguments to its exit code, and the handling of errors and signals.

:func:`failure` is in this module, because a module that is not yet imported cannot be read when open files or
memory have run out.
"""

import contextlib
import errno
import gc
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from crosscheck import errors
from crosscheck.errors import IN_COMMAND, CrosscheckError, ResourceError, need_memory, safe_text

__all__ = ["failure", "main"]

_BAD_INPUT, _RESOURCES, _BUG, _INTERRUPTED = 2, 3, 70, 130
#: The exit code if the reader closed the output, as in a shell.
_NO_READER = 141

#: Parts of messages, in lower case, that C code gives to various exceptions if memory or processes run out.
_SAID_SHORT = (
    *("cannot allocate memory", "failed to map segment", "can't start new thread", "out of memory"),
    # numpy's functions, when a small allocation fails.
    *("without setting an exception", "without exception set"),
)
_SAYING = (ImportError, RuntimeError, OSError, SystemError)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit with its code."""
    running = IN_COMMAND.set(True)
    code = _exit_code(sys.argv[1:] if arguments is None else arguments)
    IN_COMMAND.reset(running)
    # Otherwise the interpreter searches all objects for cycles before it ends, which takes as long as
    # importing half of numpy.
    gc.freeze()
    sys.exit(code)


def _exit_code(arguments: Sequence[str]) -> int:
    try:
        _prepare_process()
        need_memory(105 << 20)  # importing numpy takes this, with what it reserves for linear algebra
        code = _run(arguments)
        try:
            sys.stdout.flush()
        except OSError as error:
            error.filename = "stdout"
            raise
        _end_at_signals()
        return code
    except BaseException as error:
        return _failed(error, arguments)


def _run(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["trec_eval"]:
        # Its options are trec_eval's, with getopt's rules. Scripts call it a thousand times, so it must not
        # wait for the parser of the other commands.
        from crosscheck.trec_eval.command import trec_eval

        return trec_eval(arguments[1:], sys.stdout.buffer, sys.stderr)
    from crosscheck.cli.commands import run_command
    from crosscheck.cli.output import warnings_said

    with warnings_said():
        return run_command(arguments)


def _failed(error: BaseException, arguments: Sequence[str]) -> int:
    """Print the error that ended the command in one message. No failure here may hide it."""
    _end_at_signals()  # nothing is left to be written
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
    """Prepare streams for any text, turn off needless work, and end in an orderly way after a signal."""
    # A caller that closed a stream does not need it.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    # Names may hold any byte; what the terminal cannot show is escaped instead of crashing the output.
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if sys.unraisablehook is sys.__unraisablehook__:
        sys.unraisablehook = _interrupt_again
    # numpy starts as many threads for its linear algebra, which nothing here uses, as there are processors.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Imports create many objects and no garbage.
    gc.set_threshold(100_000)
    # Finished comparisons are written, and temporary files are removed.
    handler: Any = signal.default_int_handler
    if errors.memory_is_limited():
        from crosscheck.processes.supervisor import interrupt_or_end

        with contextlib.suppress(OSError):  # no process, no pipe: then without
            handler = interrupt_or_end()
    _on_signals(handler)


def _interrupt_again(ignored: Any) -> None:
    """Repeat an interrupt a moment later if it came where Python ignores exceptions, as in ``__del__``."""
    if ignored.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(ignored)
    elif hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, 0.001)


def _end_at_signals() -> None:
    """Let the next signal end the process at once. A signal that arrives during this call is ignored."""
    if sys.unraisablehook is _interrupt_again:
        sys.unraisablehook = sys.__unraisablehook__
        if hasattr(signal, "SIGALRM"):
            signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        _on_signals(signal.SIG_DFL)
    except KeyboardInterrupt:
        _on_signals(signal.SIG_DFL)


def _on_signals(handler: Any) -> None:
    """Set the handler of the signals that end a process. A signal that the caller ignores, as under nohup,
    stays ignored."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def failure(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """The message (empty if the output is closed) and the exit code for an exception of a command."""
    if isinstance(error, KeyboardInterrupt):
        return "\n  ".join(["interrupted", *getattr(error, "__notes__", ())]), _INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return "", _NO_READER
    if _out_of_memory(error):
        error.__traceback__ = None  # the traceback keeps objects alive
        less = "use fewer or smaller inputs at a time, fewer workers (--workers 1)"
        return f"error: memory ran out\n  {less}, or raise the limit (ulimit -v)", _RESOURCES
    if isinstance(error, CrosscheckError):
        return f"error: {error}", _RESOURCES if _resources(error) else _BAD_INPUT
    if isinstance(error, OSError) and error.errno is not None:
        return _system(error), _RESOURCES if _resources(error) else _BAD_INPUT
    if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("crosscheck"):
        name = safe_text(str(error.name))
        return f"error: the package {name} is not installed\n  pip install {name}", _RESOURCES
    return _bug(error, arguments), _BUG


def _out_of_memory(error: BaseException) -> bool:
    return any(
        isinstance(one, MemoryError)
        or (isinstance(one, OSError) and one.errno == errno.ENOMEM)
        or (isinstance(one, _SAYING) and any(words in str(one).lower() for words in _SAID_SHORT))
        for one in _chain(error)
    )


def _resources(error: BaseException) -> bool:
    """Whether memory or another resource ran short. (A path that cannot be written to is bad input.)"""
    return any(
        isinstance(one, ResourceError) or (isinstance(one, OSError) and errors.is_shortage(one))
        for one in _chain(error)
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _system(error: OSError) -> str:
    where = "" if error.filename is None else f"{safe_text(os.fsdecode(str(error.filename)), 4096)}: "
    message = f"error: {where}{error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", None)):
        return f"{message}\n  make room, or write somewhere else"
    if errors.is_shortage(error):
        return f"{message}\n  use fewer workers or backends at a time (--workers, --jobs)"
    return message


def _bug(error: BaseException, arguments: Sequence[str]) -> str:
    summary = safe_text(f"{type(error).__name__}: {error}".removesuffix(": "), 300)
    try:
        kept = f"with the file {_kept(error, arguments)}, which holds the details"
    except Exception:  # no disk to keep it on
        kept = f"with this line: {_place(error)}"
    return f"this is a bug of crosscheck, not of your input: {summary}\n  please report it {kept}"


def _kept(error: BaseException, arguments: Sequence[str]) -> str:
    """Write the details for a bug report to a new file, and return its path."""
    import platform
    import tempfile
    import traceback

    from crosscheck import __version__

    text = f"crosscheck {__version__}, Python {sys.version}, {platform.platform()}\n{list(arguments)!r}\n"
    text += "".join(traceback.format_exception(error))
    about: Any = {"encoding": "utf-8", "errors": "backslashreplace", "delete": False}
    with tempfile.NamedTemporaryFile("w", prefix="crosscheck-bug-", suffix=".txt", **about) as file:
        file.write(text)
    return str(file.name)


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "nowhere" if trace is None else f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
