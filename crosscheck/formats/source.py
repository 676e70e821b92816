"""Reading input files, plain or compressed, parsing JSON, and writing files atomically."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeAlias, cast

from crosscheck import errors
from crosscheck.errors import CrosscheckError, EmptyInput, InputError, UsageError, nearest, quoted, safe_text

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer


#: The UTF-8 byte order mark, which some editors put at the start of a file.
BOM = b"\xef\xbb\xbf"

#: First bytes of compressed files, with the name of the compression.
_PACKED = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
#: How many bytes of a file can be inspected before they are read.
_PEEKED = 1 << 16
#: A longer line is an error, because the file is probably binary or has no line ends.
LONGEST_LINE = 16 << 20
_UTF16 = ("text in UTF-16", "save it as UTF-8; from PowerShell, for example: Out-File -Encoding utf8")
_PICKLE = ("a pickle, which could run programs", "write it as JSON: {topic: {docno: score}}")
#: First bytes of files that cannot be read -> (the kind of file, advice).
_OTHERS = {
    b"\x04\x22\x4d\x18": ("compressed with lz4", "unpack it first: lz4 -d"),
    b"PK\x03\x04": ("an archive of zip, as .zip, .xlsx and .npz are", "unpack it, or export it as CSV"),
    **{bytes((0x80, protocol)): _PICKLE for protocol in range(2, 6)},
}
#: Further kinds of files. The drop-in ``crosscheck trec_eval`` reads them as text, as trec_eval does.
_TEXTS = {
    b"\x93NUMPY": ("an array of numpy", "write its rows as lines of text"),
    b"%PDF-": ("a PDF", "export its text or table"),
    b"<?xml": ("XML", "write its rows as lines of text"),
    **dict.fromkeys((b"(dp0\n", b"(lp0\n", b"ccopy_reg\n", b"ccollections\n"), _PICKLE),
    **dict.fromkeys((b"\xff\xfe", b"\xfe\xff"), _UTF16),
    b"SQLite format 3": ("a database of SQLite", "export a table as CSV"),
    b"version https://": ("a pointer of Git LFS, without the content", "git lfs pull"),
    **dict.fromkeys((b"<!DOCTYPE", b"<!doctype", b"<html"), ("a web page", "download the file itself")),
}
#: Where an archive of tar says what it is.
_TAR = 257
#: A compressed file may unpack to at most ``_GROWN`` bytes, and beyond ``_UNSUSPICIOUS`` bytes to at most
#: ``_RATIO`` times the bytes read. Runs compress to between a fourth and a tenth of their size.
_GROWN, _UNSUSPICIOUS, _RATIO = 1 << 40, 16 << 20, 100
_LIMIT = "CROSSCHECK_UNPACKED_LIMIT"


@contextmanager
def open_input(path: str, what: str, *, only_gzip: bool = False) -> Iterator[io.BufferedReader]:
    """Open a file; yields its bytes, decompressed if they start like gzip, bzip2, xz or zstd.

    Args:
        path: file or pipe to open.
        what: its expected content, such as ``a run``, for messages.
        only_gzip: decompress gzip only, for the drop-in ``crosscheck trec_eval``.

    Raises:
        InputError: the file is missing, a directory, empty, not readable, or found to be corrupt while it is
            decompressed inside the ``with`` block.
        ResourceError: too many files are open.
    """
    try:
        with cast(io.BufferedReader, open(path, "rb", _PEEKED)) as file:
            head = file.peek(16)
            for magic, (kind, hint) in (_OTHERS if only_gzip else _OTHERS | _TEXTS).items():
                if head.startswith(magic):
                    expected = f"{what}, plain or compressed with gzip, bzip2, xz or zstd"
                    raise InputError(f"the file is {kind}", path=path, expected=expected, hint=hint)
            found = packing(head)
            packed = None if only_gzip and found != "gzip" else found
            with _decompressed(file, path, packed) if packed else nullcontext(file) as stream:
                begun = stream.peek(_TAR + 5)
                if begun[_TAR : _TAR + 5] == b"ustar" and not only_gzip:
                    raise InputError("the file is a tar archive", path=path, hint="unpack it: tar -xf")
                if not begun:
                    raise EmptyInput("the file is empty", path=path, expected=what)
                yield stream
    except OSError as error:
        raise _unreadable(path, what, error) from None
    except ValueError as error:
        if "\0" not in path:
            raise
        raise InputError(f"the path is not a file name: {error}", path=path, expected=what) from None


def packing(head: bytes) -> str | None:
    """The compression of a file that starts with these bytes, or None."""
    return next((name for magic, name in _PACKED.items() if head.startswith(magic)), None)


@contextmanager
def _decompressed(file: io.BufferedReader, path: str, packing: str) -> Iterator[io.BufferedReader]:
    packed = _Counted(file)
    unpacked, corrupt = _unpacking(packed, packing)
    try:
        # A separate buffer, so that the decompressed bytes can be inspected before they are read.
        yield io.BufferedReader(cast(io.RawIOBase, _Bounded(unpacked, packed, path, packing)), _PEEKED)
    except corrupt as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # of the file itself
        hint = f"fetch or compress the file again; {packing} -t tests it"
        raise InputError(f"the {packing} data is corrupt: {error}", path=path, hint=hint) from None


def _unpacking(file: Any, packing: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """The decompressed file, and the errors that corrupt data raises. Modules are imported when needed."""
    if packing == "gzip":
        import gzip
        import zlib

        return gzip.GzipFile(mode="rb", fileobj=file), (EOFError, zlib.error, gzip.BadGzipFile)
    if packing == "bzip2":
        import bz2

        return bz2.BZ2File(file), (EOFError, OSError, ValueError)
    if packing == "xz":
        import lzma

        return lzma.LZMAFile(file), (EOFError, lzma.LZMAError)
    pyarrow = pyarrow_for("zstd files", ", or unpack it first: zstd -d")
    return pyarrow.CompressedInputStream(pyarrow.PythonFile(file), "zstd"), (OSError,)


def pyarrow_for(what: str, otherwise: str = "") -> Any:
    """The package pyarrow.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import pyarrow
    except ImportError:
        raise UsageError(f"{what} need pyarrow", hint=errors.install("tables") + otherwise) from None
    return pyarrow


class _Counted(io.RawIOBase):
    """A compressed file that counts the bytes read, because a pipe has no position."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file, self.size = file, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.size += len(data)
        return data


class _Bounded(io.RawIOBase):
    """The content of a compressed file, up to the allowed size."""

    def __init__(self, unpacked: Any, packed: _Counted, path: str, packing: str) -> None:
        self._unpacked, self._packed, self._path, self._size = unpacked, packed, path, 0
        self._packing = packing
        text = os.environ.get(_LIMIT)
        self._given = size_of(text or "")
        if text is not None and self._given is None:
            problem = f"{_LIMIT} is {quoted(text)}, which is not a size"
            raise UsageError(problem, hint="write 500M, 200G or 2T")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        count: int = self._unpacked.readinto(buffer)
        self._size += count
        most = self._given or min(_GROWN, max(_UNSUSPICIOUS, _RATIO * self._packed.size))
        if self._size > most:
            problem = f"the {self._packing} data grows to more than {most >> 20:,} MB"
            hint = f"if the file is right, unpack it first, or allow more: {_LIMIT}=200G crosscheck ..."
            raise InputError(problem, path=self._path, hint=hint)
        return count


def size_of(text: str) -> int | None:
    """The number of bytes in a text such as ``500M`` or ``2G``; None if it is not a size."""
    match = re.fullmatch("([0-9]{1,15})([KMGT]?)", text.upper())
    return (int(match[1]) << 10 * " KMGT".index(match[2] or " ") or None) if match else None


def _unreadable(path: str, what: str, error: OSError) -> CrosscheckError:
    if errors.is_shortage(error):
        return errors.ResourceError(f"{safe_text(path, 4096)}: the file cannot be read: {error.strerror}")
    if os.path.isdir(path):
        return InputError("this is a directory", path=path, expected=what, hint="name a file inside it")
    if isinstance(error, FileNotFoundError):
        return InputError("there is no such file", path=path, expected=what, hint=_similar(path))
    return InputError(f"the file cannot be read: {error.strerror}", path=path, expected=what)


def _similar(path: str) -> str | None:
    folder, name = os.path.split(path)
    try:
        files = sorted(entry.name for entry in os.scandir(folder or ".") if entry.is_file())
    except OSError:
        return f"there is no folder {quoted(folder)} either"
    near = nearest(name, files)
    return f"did you mean {quoted(os.path.join(folder, near))}?" if near else None


def read_input(path: str, what: str, *, only_gzip: bool = False) -> bytes:
    """All bytes of a file; errors as for :func:`open_input` and :func:`text_of`."""
    with open_input(path, what, only_gzip=only_gzip) as stream:
        return text_of(stream, path, what)


def text_of(stream: io.BufferedIOBase, path: str, what: str) -> bytes:
    """All bytes of a stream.

    Raises:
        InputError: there is a NUL byte in the first block of the stream, which is therefore not text and may
            be endless; or the text is not JSON and has a line longer than :data:`LONGEST_LINE`.
    """
    head = stream.read(1 << 16)
    if b"\0" in head:
        number = head[: head.index(b"\0")].count(b"\n")
        raise nul_byte(path, number + 1, head.split(b"\n")[number], what)
    pieces = [head]
    lines = not head.removeprefix(BOM).lstrip().startswith((b"{", b"["))
    while piece := stream.read(LONGEST_LINE):
        if lines and len(piece) == LONGEST_LINE and b"\n" not in piece:
            raise endless_line(path, piece)
        pieces.append(piece)
    return b"".join(pieces)


def endless_line(path: str, line: bytes) -> InputError:
    """The error for a line above the length limit."""
    problem = f"a line is longer than {LONGEST_LINE >> 20} MB"
    return InputError(problem, path=path, found=line, expected="lines of a few words")


def nul_byte(path: str, number: int, line: bytes, expected: str) -> InputError:
    """The error for a line with a NUL byte. It quotes the line only up to that byte."""
    kind = "it is Parquet" if line.startswith(b"PAR1") else "it may be UTF-16, an archive, or binary"
    hint = f"save the file as plain text: {kind}"
    found = line[: line.index(0) + 1]
    return InputError("a NUL byte", path=path, line=number, found=found, expected=expected, hint=hint)


def carriage_return(path: str, number: int, line: bytes, why: str = "") -> InputError:
    """The error for a line with a carriage return inside, as in files whose lines end in nothing else."""
    problem = "a carriage return inside a line, where another line may begin"
    expected, hint = "lines that end in \\n or \\r\\n", f"convert the file with tr '\\r' '\\n'{why}"
    return InputError(problem, path=path, line=number, found=line, expected=expected, hint=hint)


def line_of(path: str, number: int) -> bytes | None:
    """Line ``number`` (counted from 1) of a file that was read before; None if it cannot be read again."""
    if not os.path.isfile(path):
        return None  # a pipe cannot be read twice
    with open_input(path, "") as stream:
        line = next(islice(stream, number - 1, None), None)
    return None if line is None else line.rstrip(b"\n")


def parse_json(data: bytes, path: str, expected: str, first_line: int = 1) -> Any:
    """The value that JSON text holds; bare ``NaN`` and ``Infinity`` are numbers.

    Args:
        data: UTF-8 (with or without a byte order mark), UTF-16 or UTF-32.
        path, expected, first_line: name of the file, its expected content, and the line at which the text
            starts, for messages.

    Raises:
        InputError: the text is not JSON, or an object has the same key twice.
    """

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) == len(pairs):
            return result
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        problem, hint = "one key occurs twice in a JSON object", "remove one of the two entries"
        once = "each topic once, and each document once per topic"
        raise InputError(problem, path=path, found=twice, expected=once, hint=hint)

    wrong = partial(InputError, path=path, expected=expected)
    try:
        return json.loads(data, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        problem, found = f"{error.msg} (column {error.colno})", error.doc.split("\n")[error.lineno - 1]
        raise wrong(f"invalid JSON: {problem}", line=first_line + error.lineno - 1, found=found) from None
    except UnicodeDecodeError as error:
        hint = "save the file as UTF-8; ids that are not text can only be stored in TREC files"
        bad = data[error.start : error.start + 20]
        raise wrong("invalid JSON: the text is not UTF-8", found=bad, hint=hint) from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise wrong(f"the JSON cannot be read: {error}") from None


_ANYTHING: Final = "anything"
#: The content that a file should have before it is written, None if there should be no file.
_Before: TypeAlias = bytes | Literal["anything"] | None


class ChangedError(OSError):
    """The file has changed since it was read."""


def write_whole(path: str, data: bytes | str, *, typed: bool = True, was: _Before = _ANYTHING) -> None:
    """Replace the content of a file, or create the file, as :func:`open_whole` does. Text is written as UTF-8
    with its line ends unchanged."""
    content = data.encode() if isinstance(data, str) else data
    with open_whole(path, typed=typed, was=was) as file:
        file.write(content)


#: Flags of a new file that is written to.
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


@contextmanager
def open_whole(path: str, *, typed: bool = True, was: _Before = _ANYTHING) -> Iterator[BinaryIO]:
    """Open a file for writing. It replaces the file at ``path`` if the ``with`` block ends without an error.

    The data goes to a temporary file in the same folder, which is flushed to disk and then renamed. The new
    file gets the mode of the file it replaces, else that of the umask. Special files (``/dev/stdout``, a
    pipe, a device) are written to directly, and so is a file in a folder where no other file can be created.

    Args:
        typed: whether the user named this path. If crosscheck chose the path, symbolic links are not
            followed, because another user may have placed a link there.
        was: the content that the file should have before, None if there should be no file.

    Raises:
        OSError: the file cannot be written; its old content is unchanged unless it was written to directly.
            :class:`ChangedError` if its content is no longer ``was``.
    """
    if not typed and os.path.islink(path):
        problem = "the path is a symbolic link, and crosscheck follows only links that you name"
        raise OSError(errno.ELOOP, problem, path)
    try:
        before = os.stat(path)
    except FileNotFoundError:
        before = None
    target = os.path.realpath(path)
    temporary = os.path.join(os.path.dirname(target), f".crosscheck-{os.urandom(6).hex()}")
    try:
        descriptor = None
        # A system name of an open stream may stand for an ordinary file.
        stream = os.path.abspath(path).startswith(("/dev/", "/proc/"))
        if not stream and (before is None or stat.S_ISREG(before.st_mode)):
            try:
                descriptor = os.open(temporary, _NEW, 0o666)
            except FileNotFoundError:
                folder = os.path.dirname(target if os.path.islink(path) else path)
                raise FileNotFoundError(errno.ENOENT, "there is no such folder", folder) from None
            except PermissionError:
                if before is None:
                    raise
        if descriptor is None:
            with open(path, "wb") as file:
                yield file
            return
        with open(descriptor, "wb") as file:
            if before is not None:
                with contextlib.suppress(OSError):  # a file system without modes
                    os.chmod(temporary, stat.S_IMODE(before.st_mode))
            yield file
            file.flush()
            os.fsync(descriptor)
        if was != _ANYTHING:
            _refuse_other(target, was)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _to_disk(os.path.dirname(target))


def remove_whole(path: str, was: bytes) -> None:
    """Remove a file.

    Raises:
        OSError: the file cannot be removed; :class:`ChangedError` if its content is no longer ``was``.
    """
    _refuse_other(path, was)
    os.unlink(path)
    _to_disk(os.path.dirname(path) or os.curdir)


def _refuse_other(path: str, was: bytes | None) -> None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        content = None
    if content != was:
        raise ChangedError(errno.EBUSY, "it was changed meanwhile", path)


def _to_disk(folder: str) -> None:
    """Flush the folder as well, if the system supports it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
