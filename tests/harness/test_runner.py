"""A run from files to the result document: which comparisons are made, and with what."""

import re
from pathlib import Path
from typing import Any

from crosscheck.backends import Options, make
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, run_with
from crosscheck.harness.runner import planned
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES, parse_measure
from crosscheck.report import render
from tests.harness.data import (
    QRELS,
    RUN,
    Qrels,
    Rows,
    asked,
    case_of,
    compared,
    comparison,
    keys,
    run,
    told,
    write_case,
)
from tests.support.kept import REMEDY, Kept


def plan(config: str, *measures: str, **settings: Any) -> str:
    """The comparisons that are made; those that the candidate has, or case.toml expects, were planned."""
    write_case(Path("c"), QRELS, RUN, config)
    document = run(Path(), *measures, **settings)
    (case,) = find_cases(["."])
    assert sorted(planned(case, asked(*measures, **settings))) == sorted(
        (c.run, c.candidate, c.measure)
        for c in document.comparisons
        if c.outcome != "unsupported" or config or make(c.candidate).supports(parse_measure(c.measure))
    )
    return told(document)


def first_lines(*measures: str, qrels: Qrels, rows: Rows, **settings: Any) -> str:
    """What a report says before its tables."""
    write_case(Path("c"), qrels, rows)
    text = render(run(Path(), *measures, **settings), "text").partition("\n\n\n")[0]
    return re.sub(r"(pytrec_eval|crosscheck) [0-9.]+", r"\1 VERSION", text)


#: Of the ties of query 1 the relevant document is last by docno descending, and first ascending.
JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1, "f": 0}, "4": {"g": 1}}
RETRIEVED = {"1": [("a", 1), ("b", 1)], "2": [("c", 3), ("z", 2), ("d", 1)], "3": [("f", 2), ("e", 1)]}
TIED = [(query, doc, float(score)) for query, row in RETRIEVED.items() for doc, score in row]


def misbehaved(*functions: str, timeout: float = 60.0) -> str:
    """What is told of P@1 and P@10 of functions that raise, crash, hang and lie, and of ``native``."""
    backends = (*(f"python:tests.harness.misbehaving:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    document = run_with([case_of(write_case(Path("case"), JUDGED, TIED))], settings)
    return re.sub(r" \(\w+\.py:\d+ in \w+\)", "", told(document))


USED = (compared, plan, first_lines, misbehaved)
EXAMPLES = Kept(
    __file__, **{one.__name__: one for one in USED}, ODD="python:tests.harness.misbehaving:off_on_one_query"
)


def test_examples():
    """Comparisons that are made, each with its reference and outcome, or why there is none."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_several_runs_share_their_qrels(tmp_path):
    """A case without measures gets the default ones. Loose files of one name are told apart by their paths.
    All queries of one side only are counted, and the first twenty named; notes of files are handed on."""
    folder = write_case(tmp_path / "c", QRELS, RUN, second=[("3", "e", 1.0)])
    document = run(tmp_path)
    assert keys(document) == [(r, m, "native") for r in ("run", "run.second") for m in DEFAULT_MEASURES]
    about = {i.run: (i.queries, i.missing_queries, i.unjudged_queries) for i in document.inputs}
    assert about == {"run": (2, ["3"], ["9"]), "run.second": (1, ["1", "2"], [])}
    assert comparison(document, "RR", "native", "run.second").mean.candidate_value == 1.0
    qrels = {**QRELS, **{f"m{i:02}": {"x": 1} for i in range(25)}}
    other = write_case(tmp_path / "other", qrels, RUN)
    (other / "run").write_bytes(b"\xef\xbb\xbf" + (other / "run").read_bytes())
    paths = tuple(str(one / "run") for one in (folder, other))
    case = Case(name="loose", qrels=str(other / "qrels"), runs=paths)
    settings = Settings(measures=("RR",), backends=("native",), reference="native:trec_eval-10")
    document = run_with([case], settings)
    assert [c.run for c in document.comparisons] == [i.run for i in document.inputs] == list(paths)
    about_one, marked = document.inputs
    assert (about_one.queries, about_one.missing, about_one.unjudged) == (2, 26, 1)
    assert about_one.missing_queries == ["3", *(f"m{i:02}" for i in range(19))]
    assert (marked.unjudged, "byte order mark" in " ".join(marked.notes)) == (2, True)
