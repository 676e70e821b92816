"""Opening an input file: plain or gzip, with every way in which that fails told as an input error."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import cast

from crosscheck.errors import InputError, quoted

__all__ = ["BOM", "line_of", "open_input", "read_input"]

#: The UTF-8 byte order mark, which some editors put at the start of a file.
BOM = b"\xef\xbb\xbf"

_GZIP = b"\x1f\x8b"


@contextmanager
def open_input(path: str, what: str) -> Iterator[io.BufferedReader]:
    """The bytes of a file, decompressed where its first two bytes say that it is gzip.

    Args:
        path: file to open; a pipe will do.
        what: what it should hold, such as ``a run``, for messages.

    Raises:
        InputError: it is missing, a directory, empty, not readable, or turns out to be corrupt gzip while
            it is read inside the ``with`` block.
    """
    try:
        with open(path, "rb") as file:
            plain = not file.peek(2).startswith(_GZIP)
            with nullcontext(file) if plain else _decompressed(file, path) as stream:
                if not stream.peek(1):
                    raise InputError("the file is empty", path=path, expected=what)
                yield stream
    except OSError as error:
        raise _unreadable(path, what, error) from None
    except ValueError as error:
        if "\0" not in path:
            raise
        raise InputError(f"not a file name: {error}", path=path, expected=what) from None


@contextmanager
def _decompressed(file: io.BufferedReader, path: str) -> Iterator[io.BufferedReader]:
    import gzip  # here, because most files do without
    import zlib

    try:
        # A buffer of its own, so that the decompressed bytes can be looked at before they are read.
        yield cast(io.BufferedReader, io.BufferedReader(gzip.GzipFile(fileobj=file)))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the gzip data is corrupt: {error}",
            path=path,
            hint="fetch or compress the file again; gzip -t tests it",
        ) from None


def _unreadable(path: str, what: str, error: OSError) -> InputError:
    if os.path.isdir(path):
        return InputError("this is a directory", path=path, expected=what, hint="name a file inside it")
    if isinstance(error, FileNotFoundError):
        return InputError("there is no such file", path=path, expected=what, hint=_similar(path))
    return InputError(f"the file cannot be read: {error.strerror}", path=path, expected=what)


def _similar(path: str) -> str | None:
    import difflib

    folder, name = os.path.split(path)
    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), 1)
    except OSError:
        return f"there is no folder {quoted(folder)} either"
    return f"did you mean {quoted(os.path.join(folder, near[0]))}?" if near else None


def read_input(path: str, what: str) -> bytes:
    """All bytes of a file; errors as for :func:`open_input`."""
    with open_input(path, what) as stream:
        return stream.read()


def line_of(path: str, number: int) -> bytes | None:
    """Line ``number`` (counted from 1) of a file that was read before, or None where it is gone."""
    if not os.path.isfile(path):
        return None  # a pipe cannot be read twice
    with open_input(path, "") as stream:
        for current, line in enumerate(stream, 1):
            if current == number:
                return line.rstrip(b"\n")
    return None
