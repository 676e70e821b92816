"""Imports go one way through the house (ARCHITECTURE.md)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import crosscheck

PACKAGE = Path(crosscheck.__file__).parent
#: Rooms from the ground up: a room may import itself and the rooms before it.
FLOORS = [
    {"errors"},
    {"processes"},
    {"model"},
    {"axes"},
    {"conventions"},
    {"impact_records"},
    {"results"},
    {"study_records"},
    {"formats"},
    {"rankings"},
    {"measures"},
    {"names"},
    {"evaluation"},
    {"statistics"},
    {"engine"},
    {"backends"},
    {"compare"},
    {"diagnosis"},
    {"harness"},
    {"report"},
    {"native", "trec_eval"},
    {"studies"},
    {"auditing"},
    {"cli"},
]
LEVEL = {room: level for level, rooms in enumerate(FLOORS) for room in rooms}
#: They use the records below and stand beside the house.
BESIDE = {
    *("vectors", "frames", "benchmark_metrics"),
    *("pytrec_eval_api", "ir_measures_provider", "ir_measures_hook"),
}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    rooms: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = (
                [f"crosscheck.{a.name}" for a in node.names] if node.module == "crosscheck" else [node.module]
            )
        elif isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        rooms |= {n.split(".")[1] for n in names if n.startswith("crosscheck.")}
    return {room for room in rooms if (PACKAGE / room).exists() or (PACKAGE / f"{room}.py").exists()}


FILES = sorted(p for p in PACKAGE.rglob("*.py") if room_of(p) in LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_room_imports_no_room_above_it(path: Path) -> None:
    """No file imports from a room that stands higher, nor from one beside the house."""
    here = LEVEL[room_of(path)]
    above = {room for room in imported_rooms(path) if room in BESIDE or LEVEL.get(room, 99) > here}
    assert not above, f"{path.relative_to(PACKAGE)} imports {sorted(above)}"


def test_every_room_has_its_place() -> None:
    """A new folder or file at the top of the package must be given a floor."""
    here = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.suffix == ".py" or p.is_dir()}
    assert here - {"__init__", "__main__", "__pycache__", "py", "pytest_plugin"} <= LEVEL.keys() | BESIDE


def test_compare_and_report_name_no_backend() -> None:
    """The differ and the renderers treat every backend alike."""
    for room in ("compare", "report"):
        for path in (PACKAGE / room).rglob("*.py"):
            strings = {
                n.value for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Constant)
            }
            assert not strings & {"pytrec_eval", "hf-evaluate", "ir-measures", "native"}, path


@pytest.mark.parametrize("module", ["crosscheck", "crosscheck.cli", "crosscheck.cli.run_command"])
def test_the_command_line_starts_without_numpy(module: str) -> None:
    """Help must be instant, so nothing heavy is imported before a command runs."""
    heavy = ["numpy", "rich", "msgspec", "pandas", "evaluate", "ir_measures", "pytrec_eval", "scipy"]
    code = f"import {module}, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_public_name_is_there_and_sorted() -> None:
    """The public API is what __all__ says, in order."""
    assert list(crosscheck.__all__) == sorted(crosscheck.__all__)
    for name in crosscheck.__all__:
        assert getattr(crosscheck, name) is not None
