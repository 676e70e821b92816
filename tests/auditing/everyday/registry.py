"""The list of everyday functions, with what is known of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

__all__ = ["EVERYDAY", "Everyday", "asked"]

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Everyday:
    """A function with a signature from a real package.

    Attributes:
        target: as an audit is told; measure: what it claims to compute.
        call: the call that it is written for.
        changes: the axes on which it differs from trec_eval 9.0.8, None where nothing may be explained.
    """

    target: str
    measure: str
    call: str
    changes: dict[str, Any] | None = field(default_factory=dict)


EVERYDAY: list[Everyday] = []


def asked(
    measure: str, call: str, *, method: str = "", unexplained: bool = False, **changes: Any
) -> Callable[[_F], _F]:
    """Add a function to the list."""

    def added(function: _F) -> _F:
        target = f"{function.__module__}:{function.__qualname__}" + (f".{method}" if method else "")
        EVERYDAY.append(Everyday(target, measure, call, None if unexplained else changes))
        return function

    return added
