"""Every native measure against the test vectors, to the last bit.

They are small inputs, with the output of trec_eval 9.0.8, trec_eval 10.0 and pytrec_eval in 17 digits, taken
from the programs themselves: if a description and a vector disagree, the vector is right.
"""

import json
import math
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crosscheck.axes.summaries import MISSING_QUERIES, MissingQueries
from crosscheck.conventions import Conventions, profiles
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.reference_reader import preferences
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Measure
from crosscheck.names import parse_measure

FOLDER = Path(__file__).parents[1] / "vectors"
#: The name of a program in the files -> its profile.
PROGRAMS = {
    "te908": "trec_eval-9.0.8",
    "te10": "trec_eval-10",
    "pytrec_eval_terrier_0_5_11": "trec_eval-9.0.8",
}
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
    program: str
    flags: dict[str, Any]
    values: dict[str, dict[str, str]]

    def rankings(self) -> Rankings:
        comments, folder = self.program == "te10", FOLDER / self.name
        if self.flags.get("-R") == "prefs":
            qrels = preferences((folder / "qrels").read_bytes(), "prefs", subgroups=True)
        else:
            needs: Any = "subtopics" if self.flags.get("-R") == "qrels_jg" else "levels"
            qrels = read_qrels(str(folder / "qrels"), strict=False, comments=comments, needs=needs)
        return Rankings(read_run(str(folder / "run"), strict=False, comments=comments), qrels)

    def conventions(self) -> Conventions:
        return profiles()[PROGRAMS[self.program]].conventions.with_changes(
            relevance_level=int(self.flags.get("-l", 1)),
            depth=int(self.flags["-M"]) if "-M" in self.flags else None,
            unjudged="removed" if "-J" in self.flags else "nonrelevant",
            missing_queries="zero" if "-c" in self.flags else "dropped",
        )


def cases(program: str) -> list[Case]:
    """The vectors with values, in order."""
    found = []
    for file in sorted(FOLDER.glob("*/expected.json")):
        recorded = json.loads(file.read_text("utf-8"))
        told = recorded.get(program, {})
        flags = _flags(recorded["command"])
        if program.startswith("pytrec_eval"):
            kwargs = told.get("kwargs", {})
            flags = {"-l": kwargs.get("relevance_level", 1)}
            flags |= {"-J": True} if kwargs.get("judged_docs_only_flag") else {}
        if values := told.get("values") or told.get("result"):
            found.append(Case(file.parent.name, program, flags, values))
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


#: What the measures alone do not decide.
_LEFT_OUT = {
    "07_nan_score": "the order of NaN scores is the C library's",
    "13_all_minus1_first_topic": "pytrec_eval is undefined on a first topic with negative judgements only",
    "29_rbp_alone_v10": "rbp of trec_eval 10.0 depends on uninitialised memory",
    "30_rbp_after_ndcg_v10": "rbp of trec_eval 10.0 depends on uninitialised memory",
}
_NAMES = {program: [case for case in cases(program) if case.name not in _LEFT_OUT] for program in PROGRAMS}
_ALL = [case for some in _NAMES.values() for case in some]


def same(mine: float, expected: str) -> bool:
    """Equal bits, the sign of zero aside; any NaN is a NaN."""
    theirs = float(expected)
    return mine == theirs or (math.isnan(mine) and math.isnan(theirs))


def compared(case: Case) -> dict[tuple[str, str], tuple[float, str]]:
    """(topic or ``all``, printed name) -> native value and expected text."""
    rankings, conventions = case.rankings(), case.conventions()
    found: dict[tuple[str, str], tuple[float, str]] = {}
    names = dict.fromkeys(name for values in case.values.values() for name in values if name not in TEXTS)
    topics = {topic.decode("latin-1"): i for i, topic in enumerate(rankings.pairing.all_topics)}
    for name in names:
        with np.errstate(all="raise"):
            spelt = ODD_NAMES.get((case.program, name), name)
            result = evaluate(rankings, measure_of(spelt, case.flags.get("-N", 0)), conventions)
        for topic, values in case.values.items():
            if name not in values:
                continue
            if topic == "all":
                if result.mean is not None and _summary_is_a_measure(case, name):
                    found[topic, name] = (result.mean, values[name])
            elif rankings.pairing.measured[topics[topic]]:
                found[topic, name] = (float(result.values[topics[topic]]), values[name])
    return found


def _summary_is_a_measure(case: Case, name: str) -> bool:
    """With ``-c`` the command counts some things itself: lines for topics that have no ranking."""
    if case.conventions()[MISSING_QUERIES] is MissingQueries.DROPPED:
        return True
    return case.program == "te908" and name not in ("num_q", "num_rel")


@pytest.mark.parametrize("case", _ALL, ids=lambda case: f"{case.program}-{case.name}")
def test_values_are_those_of_the_program(case):
    """Each value, per topic and in the summary, has the bits that the program computed."""
    found = compared(case)
    assert found, "nothing was compared"
    different = {key: pair for key, pair in found.items() if not same(*pair)}
    assert different == {}


def test_enough_was_compared():
    """The vectors hold thousands of values of both versions and of pytrec_eval, and they are looked at."""
    assert [len(_NAMES[p]) for p in _NAMES] == [40, 42, 18]
    assert sum(len(compared(case)) for case in _ALL) > 4000
