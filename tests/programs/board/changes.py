"""The difference of two boards, in words.

    python -m tests.programs.board.changes OLD.json [NEW.json]

Prints a sentence for each cell whose answer changed; the day of a run is no change. Fails if there is one.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

from crosscheck.report.words import settings
from tests.programs.board.record import BOARD, Cell, load


def changes(before: Iterable[Cell], after: Iterable[Cell]) -> list[str]:
    """A sentence per cell that is new, gone, or has another answer."""
    old, new = ({cell.id: cell for cell in cells} for cells in (before, after))
    told = [f"{id} ({old[id].release}): no longer on the board" for id in old.keys() - new.keys()]
    told += [f"{id} ({new[id].release}): new: {_said(new[id])}" for id in new.keys() - old.keys()]
    for id in old.keys() & new.keys():
        if old[id].answer != new[id].answer:
            releases = f"{old[id].release} to {new[id].release}"
            told.append(f"{id} ({releases}): {_said(old[id])}, now {_said(new[id])}")
    return sorted(told)


def _said(cell: Cell) -> str:
    beside = "; ".join(cell.causes)
    return f"{cell.verdict} {settings(cell.conventions)} ({beside})" + " arbitrary" * cell.arbitrary


def main() -> int:
    files = [*map(Path, sys.argv[1:]), BOARD][:2]
    told = changes(*(load(file).cells for file in files))
    print("\n".join(told) or "Nothing has changed.")
    return int(bool(told))


if __name__ == "__main__":
    sys.exit(main())
