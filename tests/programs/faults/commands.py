"""The commands that are held against faults, each in a folder of its own with older results in it."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.harness.data import write_case
from tests.programs.faults.injection import KINDS

METRIC = """
def num_ret(qrels, run):
    return {query: float(len(run[query])) for query in run if query in qrels}


def fails(qrels, run):
    raise ValueError("never")
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, its exit code without a fault, the files that it replaces beside those of the line, and
    what can fail: only some calls in turn if it is slow; imports too if it is cold, and imports everything
    anew."""

    line: str
    code: int = 0
    beside: Sequence[str] = ()
    slow: bool = False
    kinds: Sequence[str] = tuple(KINDS)
    cold: bool = False

    @property
    def writes(self) -> set[str]:
        return {*re.findall(r"out/\S+", self.line), *self.beside}


COMMANDS = {
    name: Command(**said)
    for name, said in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}


def fill(folder: Path) -> None:
    """Inputs, and older content of every file that a command writes."""
    (folder / "q").write_text("1 0 a 1\n1 0 b 0\n2 0 c 2\n")
    (folder / "r").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n2 Q0 x 1 9 t\n2 Q0 c 2 8 t\n")
    (folder / "r2").write_text("1 Q0 b 1 2 u\n2 Q0 c 1 9 u\n")
    for name, other in (("r3", "r"), ("r4", "r2")):
        (folder / name).write_bytes((folder / other).read_bytes())
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text("map\t1\t0.5000\nmap\tall\t0.5000\n")
    (folder / "m.py").write_text(METRIC)
    graded = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}}
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
    write_case(folder / "cases" / "graded", graded, rows, "# kept\n")
    (folder / "out").mkdir()
    for name in ("doc.json", "doc.md", "pool"):
        (folder / "out" / name).write_text("old")
