"""Atomic writing of files: a reader sees the old content or the new one, and a failure leaves the old one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Final, Literal

__all__ = ["ChangedError", "remove_whole", "write_whole"]

_ANYTHING: Final = "anything"


class ChangedError(OSError):
    """The file has changed since it was read."""


def write_whole(
    path: str,
    data: bytes | str,
    *,
    typed: bool = True,
    was: bytes | Literal["anything"] | None = _ANYTHING,
) -> None:
    """Replace the content of a file, or create the file.

    The data goes to a temporary file in the same folder, which is flushed to disk and then renamed. The new
    file gets the mode of the file it replaces, else that of the umask. Special files (``/dev/stdout``, a
    pipe, a device) are written to directly, and so is a file in a folder where no other file can be created.

    Args:
        data: text is written as UTF-8, with its line ends unchanged.
        typed: whether the user named this path. Symbolic links are followed only then: at a path chosen by
            crosscheck another user may have placed one.
        was: the expected old content, None for no file.

    Raises:
        OSError: the file cannot be written; its old content is unchanged unless it was written to directly.
            :class:`ChangedError` if its content is no longer ``was``.
    """
    content = data.encode() if isinstance(data, str) else data
    if not typed and os.path.islink(path):
        raise OSError(errno.ELOOP, "it is a symbolic link, which is followed only where you name it", path)
    try:
        before = os.stat(path)
    except FileNotFoundError:
        before = None
    if _stands_for_a_stream(path) or (before is not None and not stat.S_ISREG(before.st_mode)):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    try:
        descriptor, temporary = _temporary_beside(target)
    except PermissionError:
        if before is None:
            raise
        with open(target, "wb") as file:
            file.write(content)
        return
    try:
        with open(descriptor, "wb") as file:
            if before is not None:
                with contextlib.suppress(OSError):  # a file system without modes
                    os.chmod(temporary, stat.S_IMODE(before.st_mode))
            file.write(content)
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


def _stands_for_a_stream(path: str) -> bool:
    """Whether the path is a system name for an open stream, which may be an ordinary file."""
    return os.path.abspath(path).startswith(("/dev/", "/proc/"))


def _temporary_beside(target: str) -> tuple[int, str]:
    """Descriptor and path of a new empty file beside the target, with the mode given by the umask."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    while True:
        path = os.path.join(os.path.dirname(target), f".crosscheck-{os.urandom(6).hex()}")
        with contextlib.suppress(FileExistsError):
            return os.open(path, flags, 0o666), path


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
