"""The list that functions with everyday signatures join, with what is known of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["ASKED", "asked"]

_F = TypeVar("_F", bound=Callable[..., Any])

#: Target as an audit is told, the measure it claims, the call it is written for, and the axes on which it
#: differs from trec_eval 9.0.8: None where nothing may be explained.
ASKED: list[tuple[str, str, str, dict[str, Any] | None]] = []


def asked(
    measure: str, call: str, *, method: str = "", unexplained: bool = False, **changes: Any
) -> Callable[[_F], _F]:
    """Add a function to the list."""

    def added(function: _F) -> _F:
        target = f"{function.__module__}:{function.__qualname__}" + (f".{method}" if method else "")
        ASKED.append((target, measure, call, None if unexplained else changes))
        return function

    return added
