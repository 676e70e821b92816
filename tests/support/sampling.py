"""Samples of slow cases, so that all tests take minutes. ``CROSSCHECK_WHOLE=1 pytest`` runs every case."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

_T = TypeVar("_T")


def one_in(step: int, cases: Iterable[_T]) -> list[_T]:
    """Every ``step``-th case, or every one if the environment asks for the whole."""
    return list(cases)[:: 1 if os.environ.get("CROSSCHECK_WHOLE") else step]
