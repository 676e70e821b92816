"""Child processes of backends. One may be started before its backend is known, so that parent and child
import their modules at the same time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from crosscheck.processes.supervised import Supervised

__all__ = ["started", "starting"]

#: The module that runs in the child process and answers requests.
_CHILD = "crosscheck.backends.child"
#: Child processes that were started and not yet taken, by their limit of memory.
_EARLY: dict[int | None, Supervised] = {}


@contextlib.contextmanager
def starting(memory: int | None = None) -> Iterator[None]:
    """Start a child process, which :func:`started` returns if it is called in this block. A child that is not
    taken ends with the block."""
    with contextlib.suppress(OSError):  # reported where it is needed
        _EARLY[memory] = _start(memory)
    try:
        yield
    finally:
        unused = _EARLY.pop(memory, None)
        if unused is not None:
            unused.close()


def started(memory: int | None = None) -> Supervised:
    """A child process that waits for the messages of :mod:`crosscheck.backends.wire`.

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
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(search)}
    return Supervised("module", [_CHILD], environment=environment, memory=memory)
