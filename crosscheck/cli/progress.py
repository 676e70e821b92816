"""Progress on stderr: one line that is rewritten on a terminal, a line from time to time in a log."""

from __future__ import annotations

import sys
import time
from typing import Self

from crosscheck.errors import quoted

__all__ = ["Progress"]

#: Seconds between two lines if stderr is not a terminal.
_INTERVAL = 10.0


class Progress:
    """Shows the text it is called with; the line disappears at the end of its ``with`` block."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._shown = False

    def __call__(self, message: str) -> None:
        if self._quiet:
            return
        text = quoted(message, 70)[1:-1]
        if self._terminal:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
            self._shown = True
        elif time.monotonic() - self._last >= _INTERVAL:
            self._last = time.monotonic()
            sys.stderr.write(f"crosscheck: {text}\n")
            sys.stderr.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False
