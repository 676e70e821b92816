"""A document of every kind, small and with everything that its page can show."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

from msgspec.structs import replace

import crosscheck
from crosscheck.conventions import profiles
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Page
from crosscheck.studies.agreement import agreement
from crosscheck.studies.base import StudyDocument
from crosscheck.studies.compare import compare
from crosscheck.studies.describe import describe
from crosscheck.studies.diff import diff
from crosscheck.studies.gate import gate
from crosscheck.studies.impact import impact
from crosscheck.studies.pool import pool
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.ties import ties
from crosscheck.studies.tools import tools
from crosscheck.studies.why import why
from tests.report import samples
from tests.studies.examples import Qrels, Run, Runs, gain_flips_two_systems

V = TypeVar("V")

FIXTURES = Path(__file__).parents[2] / "fixtures"

#: The tools that studies know of here, so that a new one changes no page.
_TOOLS = (
    *("trec_eval-9.0.8", "pytrec_eval", "trec_eval-10", "ranx", "ranx-burges", "xgboost", "lightgbm"),
    *("ir-measures-gdeval", "sklearn", "pyterrier", "hf-evaluate"),
)


def _two(runs: Runs) -> tuple[Run, Run]:
    first, second = runs.values()
    return first, second


#: Study -> its document of an example in which two systems flip.
STUDIES: dict[str, Callable[[Qrels, Runs], StudyDocument]] = {
    "impact": lambda qrels, runs: impact(
        qrels, runs, candidate="native:gain=exponential", measures=["nDCG@3"]
    ),
    "compare": lambda qrels, runs: compare(qrels, runs, measures=["nDCG@3", "P@3"]),
    "agreement": lambda qrels, runs: agreement(
        qrels, {q: {d: min(v + 1, 3) for d, v in list(row.items())[1:]} for q, row in qrels.items()}
    ),
    "pool": lambda qrels, runs: pool(runs, 2, qrels=qrels),
    "gate": lambda qrels, runs: gate(qrels, *_two(runs), ["nDCG@3", "P@3"], test="sign"),
    "ties": lambda qrels, runs: ties(
        qrels, {q: dict.fromkeys(row, 1.0) for q, row in next(iter(runs.values())).items()}, ["nDCG@3", "RR"]
    ),
    "rundiff": lambda qrels, runs: rundiff(qrels, *_two(runs), ["nDCG@3"]),
    "tools": lambda qrels, runs: tools(qrels, runs, ["nDCG@3"], find_causes=True),
    "why": lambda qrels, runs: why(qrels, dict([next(iter(runs.items()))]), ["nDCG@3=0.3851"]),
}


@cache
def study(kind: str, *names: str) -> StudyDocument:
    """The document of a study; ``names`` begin queries, docnos and runs."""
    known = {name: profiles()[name] for name in _TOOLS}
    with patch(f"crosscheck.studies.{kind}.profiles", lambda: known, create=True):
        return STUDIES[kind](*_renamed(names or ("",)))


def _renamed(names: Sequence[str]) -> tuple[Qrels, Runs]:
    """The example with ids that begin with the names, each with the next one."""
    qrels, runs = gain_flips_two_systems()

    def id(text: str, place: int) -> str:
        return f"{names[place % len(names)]}{text}"

    def of(table: Mapping[str, Mapping[str, V]]) -> dict[str, dict[str, V]]:
        rows = ((id(q, i), enumerate(sorted(row.items()), i)) for i, (q, row) in enumerate(table.items()))
        return {q: {id(d, place): v for place, (d, v) in row} for q, row in rows}

    return of(qrels), {id(run, i): of(table) for i, (run, table) in enumerate(runs.items())}


#: Name -> a document. ``run`` is made up, ``evidence`` is real, with rankings and a mean in steps; so is
#: ``audit``, and has beside it what few audits have: alternatives, cases, and input that is accepted.
_OTHERS: dict[str, Callable[[], object]] = {
    "run": samples.everything,
    "evidence": lambda: crosscheck.run(str(FIXTURES / "label-rank-order"), backends=["native"]),
    "audit": partial(samples.saved, "kind-audit"),
    "properties": partial(samples.saved, "kind-properties"),
    "diff": lambda: diff(replace(samples.everything(), comparisons=[]), samples.everything()),
    "describe": lambda: describe(measures=["nDCG@3", "AP"]),
}
#: One or more of every kind.
NAMES = (*_OTHERS, *STUDIES)


@cache
def document(name: str) -> Any:
    """One of :data:`NAMES`, made when a test needs it."""
    return study(name) if name in STUDIES else _OTHERS[name]()


def page(name: str) -> Page:
    """The page of a document."""
    return page_of(document(name))
