"""Output: results to stdout, messages to stderr."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from crosscheck.errors import UsageError
from crosscheck.formats.whole_files import write_whole

__all__ = ["say", "show", "write_text"]


def show(text: str, *, color: bool = False) -> None:
    """Print a result to stdout, unchanged.

    A reader that closes the output (head, less) is not a failure: the rest is discarded, and the exit code is
    unchanged.

    Raises:
        UsageError: stdout cannot be written, such as for a full disk.
    """
    try:
        click.echo(text, nl=False, color=color)
    except BrokenPipeError:
        discard_stdout()
    except OSError as error:
        discard_stdout()
        raise UsageError(f"cannot write to stdout: {error.strerror}") from None


def discard_stdout() -> None:
    """Discard the rest of stdout's buffer, so that Python does not report it again at exit."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())


def say(message: str) -> None:
    """Print a message to stderr."""
    click.echo(f"crosscheck: {message}", err=True)


def write_text(path: str, text: str, *, typed: bool = True) -> None:
    """Write a file whole, as UTF-8, with its folder; see :mod:`crosscheck.formats.whole_files`."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text, typed=typed)
