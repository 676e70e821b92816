"""What a document has beside its comparisons: evidence for checks by hand, tools that only inform, groups of
queries, and the impact of the mismatches of a case."""

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec.structs import replace

from crosscheck import backends
from crosscheck.formats.cases import find_cases
from crosscheck.harness import exit_code, run_with
from crosscheck.report import render
from crosscheck.results import Document
from tests import harness
from tests.harness.data import Qrels, Rows, asked, fields, run, write_case
from tests.studies.examples import gain_flips_two_systems
from tests.support.kept import Absent, examples

Case = tuple[Qrels, Rows]

QRELS = {"1": {"a": 1, "b": 3, "c": 0}, "2": {"d": 2}}
RUN = [("1", "a", 2.0), ("1", "c", 1.0), ("1", "b", 1.0), ("1", "e", 0.5), ("2", "d", 1.0)]


def compared(folder: Path, candidate: str, measure: str, case: Case = (QRELS, RUN)) -> Document:
    write_case(folder / "case", *case)
    return run(folder, measure, backends=(candidate,), reference="native")


def evidence(changed: str, measure: str, case: Case = (QRELS, RUN)) -> str:
    """What is shown of a difference: means in steps, rankings and ideal lists of either side, what agrees."""
    document = compared(Path(), f"native:{changed}", measure, case)
    (found,), (comparison,) = document.evidence, document.comparisons
    assert found.steps[-1].mean == comparison.mean.candidate_value
    lines = [fields(step) for step in found.steps]
    for query in found.rankings:
        lines.append(fields(query, "reference_ranking", "candidate_ranking", "ideal"))
        lines += [f"  reference {fields(document)}" for document in query.reference_ranking]
        lines += [f"  candidate {fields(document)}" for document in query.candidate_ranking]
        lines += [f"  ideal {fields(rank)}" for rank in query.ideal]
    return "\n".join([*lines, f"agreeing: {found.agreeing}"])


def many() -> str:
    """How much is shown of 312 queries, eleven of which differ."""
    differing = {f"d{i:03}": {"a": 1, "b": 3} for i in range(11)}
    qrels = differing | {f"e{i:03}": {"a": 1, "b": 0} for i in range(301)}
    rows = [(query, docno, score) for query in qrels for docno, score in (("a", 2.0), ("b", 1.0))]
    document = compared(Path(), "native:gain=exponential", "nDCG", (qrels, rows))
    (found,), (comparison,) = document.evidence, document.comparisons
    documents = sum(bool(cell.documents) for cell in comparison.cells[:10]), comparison.cells[10].documents
    return f"{len(found.rankings)} rankings, {len(found.agreeing)} values, {documents} with documents"


def loose(source: str, reference: str, *named: str) -> str:
    """Loose files with candidates that are named, or else ``native`` and a metric: which ones inform, and the
    exit code."""
    write_case(Path("case"), QRELS, RUN)
    Path("m.py").write_text(source)
    usual = ("native", "python:m.py:f")
    with patch.object(backends, "default_candidates", lambda: usual):
        document = run(Path(), "RR", backends=named, reference=reference, loose=True)
    informing = [f"{c.candidate} {c.outcome}" + ", informs" * c.informs for c in document.comparisons]
    return "\n".join([*informing, f"exit code {int(exit_code(document))}"])


TOPICS = "query,difficulty\n1,hard\n2,hard\n3,easy\n4,easy\n6,easy\n"


def grouped() -> str:
    """The groups of each comparison, which sum to it, and what reports say of them."""
    if not find_spec("scipy"):
        raise Absent
    qrels, runs = gain_flips_two_systems()
    rows: dict[str, Any] = {
        name: [(q, d, s) for q, row in run.items() for d, s in row.items()] for name, run in runs.items()
    }
    (case,) = find_cases([str(write_case(Path("case"), qrels, [], **rows))])
    Path("topics.csv").write_text(TOPICS)
    runs_alone = tuple(path for path in case.runs if not path.endswith("/run"))
    case = replace(case, runs=runs_alone, topics="topics.csv")
    settings = {"backends": ("native:gain=exponential",), "reference": "native", "group_by": "difficulty"}
    document = run_with([case], asked("nDCG@3", "P@3", **settings))
    lines = []
    for c in document.comparisons:
        found = [g for g in document.groups if (g.run, g.measure) == (c.run, c.measure)]
        sums = [sum(getattr(g, field) for g in found) for field in ("queries", "matches", "mismatches")]
        assert sums == [c.queries, c.matches, c.mismatches]
        lines += [fields(g, "case") for g in found]
    text, markdown = (render(document, format) for format in ("text", "markdown"))
    assert max(map(len, text.splitlines())) <= 80
    said = [line for line in f"{text}\n{markdown}".splitlines() if re.search("difficulty|group", line)]
    return "\n".join([*lines, *said])


#: Rankings, ideal lists and means in steps; joint conventions; what informs; and groups.
test_examples = examples(globals(), str, harness)
