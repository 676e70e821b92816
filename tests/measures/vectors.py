"""The test vectors: small inputs, with the output of trec_eval 9.0.8, trec_eval 10.0 and pytrec_eval.

Expected values have 17 digits. They were taken from the programs themselves, so if a description and a vector
disagree, the vector is right.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from crosscheck.conventions import Conventions, profiles
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.reference_reader import preferences
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Measure
from crosscheck.names import parse_measure

__all__ = ["ODD_NAMES", "TEXTS", "Case", "Program", "cases", "measure_of"]

Program = Literal["te908", "te10", "pytrec_eval_terrier_0_5_11"]

FOLDER = Path(__file__).parents[1] / "vectors"
#: Measures whose value is text.
TEXTS = {"runid", "relstring"}
#: Level names that are not numbers are a matter of the command's version, not of the measures.
ODD_NAMES = {("te908", "ndcg_a=3"): "nDCG(gains={0:3})", ("te10", "ndcg_a=3"): "nDCG"}


@dataclass(frozen=True)
class Case:
    """One vector under one program.

    Attributes:
        flags: the command's flags with their values; True for those without one.
        values: topic -> printed name -> 17 digits; the summary is under ``all``.
    """

    name: str
    program: Program
    flags: dict[str, Any]
    values: dict[str, dict[str, str]]

    @property
    def folder(self) -> Path:
        return FOLDER / self.name

    def rankings(self) -> Rankings:
        comments, path = self.program == "te10", self.folder / "qrels"
        if self.flags.get("-R") == "prefs":
            qrels = preferences(path.read_bytes(), "prefs", subgroups=True)
        else:
            needs = "subtopics" if self.flags.get("-R") == "qrels_jg" else "levels"
            qrels = read_qrels(str(path), strict=False, comments=comments, needs=needs)  # type: ignore[arg-type]
        return Rankings(read_run(str(self.folder / "run"), strict=False, comments=comments), qrels)

    def conventions(self) -> Conventions:
        base = profiles()["trec_eval-10" if self.program == "te10" else "trec_eval-9.0.8"].conventions
        return base.with_changes(
            relevance_level=int(self.flags.get("-l", 1)),
            depth=int(self.flags["-M"]) if "-M" in self.flags else None,
            unjudged="removed" if "-J" in self.flags else "nonrelevant",
            missing_queries="zero" if "-c" in self.flags else "dropped",
        )


def cases(program: Program) -> list[Case]:
    """The vectors with values, in order."""
    found = []
    for folder in sorted(FOLDER.iterdir()):
        if not folder.is_dir():
            continue
        recorded = json.loads((folder / "expected.json").read_text("utf-8"))
        flags = _flags(recorded["command"])
        if program == "pytrec_eval_terrier_0_5_11":
            values = recorded.get(program, {}).get("result")
            kwargs = recorded.get(program, {}).get("kwargs", {})
            flags = {"-l": kwargs.get("relevance_level", 1)}
            if kwargs.get("judged_docs_only_flag"):
                flags["-J"] = True
        else:
            values = recorded[program].get("values")
        if values:
            found.append(Case(folder.name, program, flags, values))
    return found


def _flags(command: str) -> dict[str, Any]:
    words = iter(shlex.split(command)[1:-2])
    return {word: next(words) if word[1] in "lMNRmTZD" else True for word in words}


def measure_of(printed: str, collection_size: float = 0.0) -> Measure:
    """The measure of a printed name; ``utility`` with the size of the collection (``-N``)."""
    measure = parse_measure(printed)
    if measure.family == "utility" and collection_size:
        params = {**dict(measure.params), "N": float(collection_size)}
        return Measure("utility", params=tuple(sorted(params.items())))
    return measure
