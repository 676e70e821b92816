"""How processes end, in words."""

from __future__ import annotations

import signal

__all__ = ["how_it_ended"]


def how_it_ended(code: int) -> str:
    """An exit code in words: ``was killed by SIGSEGV``, ``exited with code 3``."""
    if code >= 0:
        return f"exited with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"
