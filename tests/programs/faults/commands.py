"""The commands that are held against faults, each in a folder of its own with older results in it."""

from dataclasses import dataclass
from pathlib import Path

from tests.harness.data import write_case
from tests.programs.faults.injection import KINDS

_METRIC = """
def num_ret(qrels, run):
    return {query: float(len(run[query])) for query in run if query in qrels}


def fails(qrels, run):
    raise ValueError("never")
"""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line, its exit code without a fault, the files that it replaces, and what can fail: only some
    calls in turn if it is slow; imports too if it is cold, and imports everything anew."""

    line: str
    code: int = 0
    writes: tuple[str, ...] = ()
    slow: bool = False
    kinds: tuple[str, ...] = tuple(KINDS)
    cold: bool = False


_JSON = ("out/doc.json",)
COMMANDS = {
    # The first, while nothing is imported.
    "imports": Command("evaluate q r -m AP --workers 1", kinds=("open", "signal"), cold=True),
    "compared": Command("compare q r r2 -m AP --report text=-", kinds=("signal",), cold=True),
    "evaluate": Command("evaluate q r r2 -m AP -m nDCG@2 -q --workers 1 --output tsv"),
    "workers": Command("evaluate q r r2 r3 r4 -m AP --workers 2 --output tsv"),
    "run": Command(
        "cases -b native:gain=exponential --reference native -m nDCG@10 --fail-on never --quiet"
        " --report json=out/doc.json --report markdown=out/doc.md --report text=-",
        writes=("out/doc.json", "out/doc.md", "out/doc.1-waterfall.svg"),
    ),
    "accept": Command(
        "cases -b native:gain=exponential --reference native -m nDCG@10 --accept known --quiet"
        " --report json=out/doc.json",
        writes=("out/doc.json", "cases/graded/case.toml"),
    ),
    "child": Command(
        "--qrels q --run r -b python:m.py:num_ret -m NumRet --reference native --jobs 2 --quiet"
        " --report json=out/doc.json",
        writes=_JSON,
    ),
    "diff": Command(
        "diff a.txt b.txt --qrels q --run r --report json=out/doc.json --report text=-", writes=_JSON
    ),
    "audit": Command(
        "audit python:m.py:num_ret -m NumRet --quiet --report json=out/doc.json", writes=_JSON, slow=True
    ),
    "uncallable": Command("audit python:m.py:fails -m NumRet --quiet --report json=out/doc.json", 3, _JSON),
    "compare": Command(
        "compare q r r2 r3 r4 -m AP --report json=out/doc.json --report text=-",
        writes=_JSON,
        kinds=("signal",),
    ),
    "impact": Command(
        "impact q r r2 r3 r4 --candidate native:gain=exponential -m nDCG@10 --report json=out/doc.json",
        writes=_JSON,
        kinds=("signal",),
    ),
    "why": Command("why q r AP=0.41 --quiet --report json=out/doc.json", writes=_JSON, kinds=("signal",)),
    "ties": Command("ties q r -m AP --report json=out/doc.json", writes=_JSON),
    "pool": Command("pool r r2 --depth 2 -o out/pool --report text=-", writes=("out/pool",)),
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
    (folder / "m.py").write_text(_METRIC)
    graded = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}}
    rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
    write_case(folder / "cases" / "graded", graded, rows, "# kept\n")
    (folder / "out").mkdir()
    for name in ("doc.json", "doc.md", "pool"):
        (folder / "out" / name).write_text("old")
