"""Safe calls of a backend: nothing it does can end the run or become a wrong number.

:func:`guarded` wraps any backend: its exceptions become :class:`~crosscheck.errors.BackendError`
outcomes of the measures that caused them. A backend that can crash, hang or print runs in a child
process (:class:`Isolated`) that is killed and replaced when that happens.
"""

from __future__ import annotations

from crosscheck.backends.base import Backend, Options
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.isolation import Isolated
from crosscheck.backends.sharing import Shared

__all__ = ["guarded"]


def guarded(backend: Backend, options: Options | None = None) -> Guarded:
    """The backend wrapped for safe calls: in a child process if necessary, else in this one.

    Use it as a context manager, or call :meth:`Guarded.close`.
    """
    if not backend.isolated:
        return Guarded(backend)
    options = options or Options()
    if getattr(backend, "by_query", False):
        return Shared(backend, options)
    return Isolated(backend, timeout=options.timeout, memory=options.memory)
