"""A run from files to the result document: which comparisons are made, and with what."""

import re
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from crosscheck.backends import Options, make
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, run_with
from crosscheck.harness.runner import planned
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES, parse_measure
from crosscheck.report import render
from tests.harness import data
from tests.harness.data import QRELS, RUN, asked, run, told, write_case
from tests.support.kept import examples


def plan(config: str, *measures: str, source: str = "", **settings: Any) -> str:
    """The comparisons that are made; those that the candidate has, or case.toml expects, were planned."""
    write_case(Path("c"), QRELS, RUN, config)
    Path("m.py").write_text(source)
    document = run(Path(), *measures, **settings)
    (case,) = find_cases(["."])
    assert sorted(planned(case, asked(*measures, **settings))) == sorted(
        (c.run, c.candidate, c.measure)
        for c in document.comparisons
        if c.outcome != "unsupported" or config or make(c.candidate).supports(parse_measure(c.measure))
    )
    return told(document)


def first_lines(*measures: str, qrels: data.Qrels, rows: data.Rows, **settings: Any) -> str:
    """What a report says before its tables."""
    write_case(Path("c"), qrels, rows)
    text = render(run(Path(), *measures, **settings), "text").partition("\n\n\n")[0]
    return re.sub(r"(pytrec_eval|crosscheck) [0-9.]+", r"\1 VERSION", text)


#: Of the ties of query 1 the relevant document is last by docno descending, and first ascending.
JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1, "f": 0}, "4": {"g": 1}}
RETRIEVED = {"1": [("a", 1), ("b", 1)], "2": [("c", 3), ("z", 2), ("d", 1)], "3": [("f", 2), ("e", 1)]}
TIED = [(query, doc, float(score)) for query, row in RETRIEVED.items() for doc, score in row]


def misbehaved(source: str, *functions: str, timeout: float = 60.0) -> str:
    """What is told of P@1 and P@10 of functions that raise, crash, hang and lie, and of ``native``."""
    Path("m.py").write_text(source)
    backends = (*(f"python:m.py:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    document = run_with(find_cases([str(write_case(Path("case"), JUDGED, TIED))]), settings)
    return re.sub(r" \(\w+\.py:\d+ in \w+\)", "", told(document))


def several() -> str:
    """Two runs of a case without measures; then two loose files of one name, of which one begins with a byte
    order mark, and qrels with many queries that they lack."""
    folder = write_case(Path("c"), QRELS, RUN, second=[("3", "e", 1.0)])
    document = run(Path())
    made = [(c.run, c.measure, c.candidate) for c in document.comparisons]
    assert made == [(r, m, "native") for r in ("run", "run.second") for m in DEFAULT_MEASURES]
    other = write_case(Path("other"), {**QRELS, **{f"m{i:02}": {"x": 1} for i in range(25)}}, RUN)
    (other / "run").write_bytes(b"\xef\xbb\xbf" + (other / "run").read_bytes())
    case = Case(name="loose", qrels=str(other / "qrels"), runs=(str(folder / "run"), str(other / "run")))
    loose = run_with([case], asked("RR"))
    only = replace(document, comparisons=[data.comparison(document, "RR", "native", "run.second")])
    return f"{told(only)}\n{told(loose)}"


#: Comparisons that are made, each with its reference and outcome, or why there is none.
test_examples = examples(globals(), str, data)
