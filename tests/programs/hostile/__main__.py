"""The whole matrix: ``python -m tests.programs.hostile [WORD...]`` (only cells that hold every word)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.programs.hostile.matrix import cells, check


def main() -> int:
    failed = 0
    for metric, ending in cells():
        cell = f"{metric} / {ending}"
        if not all(word in cell for word in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            try:
                print(f"ok      {cell}: {check(metric, ending, Path(folder)):.1f} s", flush=True)
            except Exception as error:
                failed += 1
                print(f"FAILED  {cell}: {error!r}", flush=True)
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
