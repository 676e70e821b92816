"""The case folders of ``fixtures/``, read plainly: no code of crosscheck is used; and where real data is."""

import json
import os
import tomllib
from pathlib import Path
from typing import Any

from tests.support.oracle import Qrels, Run, read_case

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "fixtures"
#: Real TREC collections, which are other people's data and not part of this repository.
CORPUS = Path(os.environ.get("CROSSCHECK_CORPUS") or ROOT.parent / "shared" / "corpus")


class Case:
    """One folder, and its case.toml."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.folder = FIXTURES / name
        self.qrels = self.folder / "qrels"
        self.runs, self.recorded = (sorted(self.folder.glob(f"{files}*")) for files in ("run", "recorded"))
        self.config: dict[str, Any] = tomllib.loads((self.folder / "case.toml").read_text("utf-8"))
        self.description: str = self.config["description"]
        self.measures: list[str] = self.config.get("measures", [])
        self.reference: str = self.config.get("reference", "")
        self.expect: list[dict[str, Any]] = self.config.get("expect", [])

    def __repr__(self) -> str:
        return self.name

    def read(self, run: Path) -> tuple[Qrels, Run]:
        return read_case(self.qrels.read_bytes(), run.read_bytes())


def cases() -> list[Case]:
    """Every case, by name."""
    return [Case(path.parent.name) for path in sorted(FIXTURES.glob("*/case.toml"))]


def trec_eval_name(measure: str) -> str:
    """The name of a measure in pytrec_eval."""
    family, _, k = measure.partition("@")
    names = {"AP": "map", "RR": "recip_rank", "R": "recall", "nDCG": "ndcg", "Success": "success"}
    names |= {"SetP": "set_P", "SetR": "set_recall", "SetF": "set_F"}
    name = names.get(family, family) + ("_cut" if family in ("AP", "nDCG") and k else "")
    return f"{name}_{k}" if k and family != "RR" else name


def saved_values(path: Path) -> tuple[dict[str, dict[str, float]], int | None]:
    """Values of a recorded file by topic and measure, and the decimals that they were printed with."""
    if path.suffix == ".json":
        return json.loads(path.read_bytes()), None
    values: dict[str, dict[str, float]] = {}
    for line in path.read_bytes().splitlines():
        measure, topic, value = (part.decode("utf-8", "surrogateescape") for part in line.split())
        values.setdefault(topic, {})[measure] = float(value)
    return values, len(value.partition(".")[2])
