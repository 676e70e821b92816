"""The commands that are held against faults, each in a folder of its own with older results in it."""

import re
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
    beside: tuple[str, ...] = ()
    slow: bool = False
    kinds: tuple[str, ...] = tuple(KINDS)
    cold: bool = False

    @property
    def writes(self) -> set[str]:
        return {*re.findall(r"out/\S+", self.line), *self.beside}


_JSON = "--report json=out/doc.json"
_RUN = f"cases -b native:gain=exponential --reference native -m nDCG@10 --quiet {_JSON}"
_SIGNAL = ("signal",)
COMMANDS = {
    # The first, while nothing is imported.
    "imports": Command("evaluate q r -m AP --workers 1", kinds=("open", "signal"), cold=True),
    "compared": Command("compare q r r2 -m AP --report text=-", kinds=_SIGNAL, cold=True),
    "evaluate": Command("evaluate q r r2 -m AP -m nDCG@2 -q --workers 1 --output tsv"),
    "workers": Command("evaluate q r r2 r3 r4 -m AP --workers 2 --output tsv"),
    "run": Command(
        f"{_RUN} --fail-on never --report markdown=out/doc.md --report text=-",
        beside=("out/doc.1-waterfall.svg",),
    ),
    "accept": Command(f"{_RUN} --accept known", beside=("cases/graded/case.toml",)),
    "child": Command(
        f"--qrels q --run r -b python:m.py:num_ret -m NumRet --reference native --jobs 2 --quiet {_JSON}"
    ),
    "diff": Command(f"diff a.txt b.txt --qrels q --run r {_JSON} --report text=-"),
    "audit": Command(f"audit python:m.py:num_ret -m NumRet --quiet {_JSON}", slow=True),
    "uncallable": Command(f"audit python:m.py:fails -m NumRet --quiet {_JSON}", 3),
    "compare": Command(f"compare q r r2 r3 r4 -m AP {_JSON} --report text=-", kinds=_SIGNAL),
    "impact": Command(
        f"impact q r r2 r3 r4 --candidate native:gain=exponential -m nDCG@10 {_JSON}", kinds=_SIGNAL
    ),
    "why": Command(f"why q r AP=0.41 --quiet {_JSON}", kinds=_SIGNAL),
    "ties": Command(f"ties q r -m AP {_JSON}"),
    "pool": Command("pool r r2 --depth 2 -o out/pool --report text=-"),
    "trec_eval": Command("trec_eval -q q r"),
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
