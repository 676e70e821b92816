"""Audit what tools compute, and write the board: reports/compatibility.json and .html.

    python -m tests.programs.board [--environments DIR] [--only CELL] [--jobs N] [--fresh]

Makes an environment per tool (once), audits every function of its file from there, compares the answers with
what the source says and with values on real runs, and prints a line for each. A stopped program goes on, as
long as the file of the tool is the same. With --only, the other cells stay as they are. Fails if an answer
contradicts the source, or if more than one in ten is unexplained.
"""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import crosscheck
from crosscheck.report import RenderOptions
from crosscheck.report.html import render
from tests.programs.board import Package, board, packages
from tests.programs.board.environments import Installed, installed
from tests.programs.board.observing import kept, observe, told_of
from tests.programs.board.page import PAGE, board_page
from tests.programs.board.record import Board, Cell, ToolRecord, load, save
from tests.programs.frame import Case, options, tried

#: Environments of slow tools, which come last.
_SLOW = ("torch", "trectools", "hf")


def main() -> int:
    parser = options("tests.programs.board", __doc__)
    cache = os.environ.get("XDG_CACHE_HOME") or tempfile.gettempdir()
    parser.add_argument("--environments", type=Path, default=Path(cache) / "crosscheck-board")
    parser.add_argument("--fresh", action="store_true", help="audit again what an earlier run has audited")
    given = parser.parse_args()
    folder = given.environments.resolve()
    chosen = [one for one in board() if given.only in f"{one.package.requirement} {one.id}"]
    chosen.sort(key=lambda one: one.package.environment in _SLOW)
    if not chosen:
        raise SystemExit(f"no cell holds {given.only!r}")
    given.only = ""  # the tools of these cells are all that is tried
    asked = list(dict.fromkeys(one.package for one in chosen))
    answers = folder / "answers"
    answers.mkdir(parents=True, exist_ok=True)
    seen = partial(observe, environments=folder, folder=answers, fresh=given.fresh)
    rows = tried([Case(p.name, f"{p.name} {p.older}", partial(seen, p)) for p in asked], given)
    tools = {package: _tool(package, folder) for package in asked}
    for one in chosen:
        print(told_of(one, answers))
    cells = [cell for one in chosen if (cell := kept(one, answers))]
    _written(tools, {one.id for one in chosen}, cells)
    unexplained = sum(cell.source == "unexplained" for cell in cells)
    return int(any(row.wrong for row in rows) or 10 * unexplained > len(cells))


def _tool(package: Package, folder: Path) -> Installed | str:
    """The environment of a tool, or why there is none."""
    try:
        return installed(package, folder)
    except RuntimeError as error:
        print(f"{package.requirement} is not installed: {str(error)[-300:]}", flush=True)
        return str(error).strip().splitlines()[-1][:300]


def _written(tools: dict[Package, Installed | str], asked_for: set[str], cells: list[Cell]) -> None:
    """Write the board: what was asked for now, and of the rest what is still in the files."""
    old = load()
    asked = {cell.id: cell for cell in (*old.cells, *cells) if cell.id not in asked_for or cell in cells}
    known = {tool.name: tool for tool in old.tools}
    for package, tool in tools.items():
        if not package.older:
            known[package.name] = ToolRecord(
                name=package.name, title=package.title, families=package.families, about=package.about,
                release=package.requirement, read=package.read, failed=tool if isinstance(tool, str) else "",
                installed=tool.versions if isinstance(tool, Installed) else {},
            )  # fmt: skip
    made = Board(
        crosscheck=crosscheck.__version__,
        reference="trec_eval-9.0.8",
        tools=[known[package.name] for package in packages() if package.name in known],
        cells=[asked[one.id] for one in board() if one.id in asked],
    )
    save(made)
    PAGE.write_text(render(board_page(made), RenderOptions()), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
