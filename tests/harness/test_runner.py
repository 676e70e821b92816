"""A run from files to the result document: which comparisons are made, and with what."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from crosscheck.backends.base import Options
from crosscheck.errors import InputError, UsageError
from crosscheck.formats.cases import find_cases
from crosscheck.harness import ExitCode, Settings, Timings, exit_code, run_with
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES
from crosscheck.report import render
from tests.harness import misbehaving
from tests.harness.data import (
    QRELS,
    RUN,
    SHAPES,
    comparison,
    keys,
    recorded_case,
    run,
    write_case,
    write_random,
)

# Which comparisons are made


def test_a_case_without_measures_gets_the_default_ones(tmp_path: Path) -> None:
    """In their order; published numbers need no list of measures, and add to one that is there. Both
    spellings, commas and repetitions end up as one comparison each; two runs share their qrels."""
    write_case(tmp_path / "c", QRELS, RUN, second=[("3", "e", 1.0)])
    both = [(r, m, "native") for r in ("run", "run.second") for m in DEFAULT_MEASURES]
    assert keys(run(tmp_path)) == both
    document = run(tmp_path, "P_5,ndcg_cut.10", "P@5", "map", "AP(rel=1)", "AP(rel=2)", "RR")
    assert keys(document)[:5] == [("run", m, "native") for m in ("P@5", "nDCG@10", "AP", "AP(rel=2)", "RR")]
    about = {i.run: (i.queries, i.missing_queries, i.unjudged_queries) for i in document.inputs}
    assert about == {"run": (2, ["3"], ["9"]), "run.second": (1, ["1", "2"], [])}
    assert comparison(document, "RR", "native", "run.second").mean.candidate_value == 1.0
    write_case(tmp_path / "more" / "a", QRELS, RUN, '[published]\n"P_5" = 0.2\n')
    write_case(tmp_path / "more" / "b", QRELS, RUN, 'measures = ["AP"]\n[published]\n"RR" = 0.75\n')
    found = {(c.case, c.measure) for c in run(tmp_path / "more").comparisons if c.candidate == "native"}
    assert found == {("a", "P@5"), ("b", "AP"), ("b", "RR")}


def test_runs_of_the_same_file_name_are_told_apart(tmp_path: Path) -> None:
    """Loose files from two folders are named by their paths, in comparisons and inputs."""
    folders = [write_case(tmp_path / name, QRELS, RUN) for name in ("x", "y")]
    paths = tuple(str(folder / "run") for folder in folders)
    case = Case(name="loose", qrels=str(folders[0] / "qrels"), runs=paths)
    document = run_with(
        [case], Settings(measures=("RR",), backends=("native",), reference="native:trec_eval-10")
    )
    assert [c.run for c in document.comparisons] == [i.run for i in document.inputs] == list(paths)


def test_a_measure_that_the_default_reference_lacks_is_compared(tmp_path: Path) -> None:
    """pytrec_eval has no RR@10: crosscheck's own measures are the reference, said in the document and the
    report; the others keep theirs, in the order of the measures. ir_measures computes it itself."""
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, [("1", "x", 1.0), ("1", "a", 1.0), ("2", "b", 1.0)]
    write_case(tmp_path / "c", qrels, runs)
    settings: dict[str, Any] = {"backends": ("native", "ir-measures"), "reference": None}
    document = run(tmp_path, "RR@10", "AP", "RR@1", **settings)
    made = [(c.measure, c.candidate, c.reference) for c in document.comparisons]
    assert made == [
        ("RR@10", "ir-measures", "native"),
        *(("AP", candidate, "pytrec_eval") for candidate in ("native", "ir-measures")),
        ("RR@1", "ir-measures", "native"),
    ]
    first = comparison(document, "RR@10", "ir-measures")
    assert (first.outcome, first.mean.reference_value, first.mean.candidate_value) == ("mismatch", 0.75, 1.0)
    assert first.diagnosis is not None
    assert first.diagnosis.causes == ["tie-breaking"]
    assert first.notes == ["native is the reference here: pytrec_eval does not have the measure"]
    assert not comparison(document, "AP", "ir-measures").notes
    said = " ".join(render(document, "text").split())
    assert re.search(r"Reference pytrec_eval [0-9.]+, native for RR@10, RR@1; 1 case", said)


def test_another_reference_is_taken_only_where_nobody_named_one(tmp_path: Path) -> None:
    """Neither on the command line nor in the case; and our measures are not compared with themselves."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    for settings in (
        {"backends": ("native",), "reference": None},
        {"backends": ("ir-measures",), "reference": "pytrec_eval"},
    ):
        (one,) = run(tmp_path, "RR@10", **settings).comparisons
        assert (one.outcome, one.reference) == ("unsupported", "pytrec_eval")
        assert one.message == "pytrec_eval does not have RR@10"
    (folder / "case.toml").write_text('reference = "pytrec_eval"\n')
    (one,) = run(tmp_path, "RR@10", backends=("ir-measures",), reference=None).comparisons
    assert (one.outcome, one.reference) == ("unsupported", "pytrec_eval")
    (folder / "case.toml").unlink()
    (folder / "recorded.json").write_text('{"1": {"RR@10": 0.5}}')
    (one,) = run(tmp_path, "RR@10", backends=("native",), reference=None).comparisons
    assert (one.candidate, one.reference) == ("recorded:recorded.json", "native")


def test_nothing_is_lost_silently(tmp_path: Path) -> None:
    """All queries of one side only are counted, and the first twenty are named."""
    qrels = {**QRELS, **{f"m{i:02}": {"x": 1} for i in range(25)}}
    write_case(tmp_path / "c", qrels, RUN)
    (about,) = run(tmp_path, "RR").inputs
    assert (about.queries, about.missing, about.unjudged) == (2, 26, 1)
    assert about.missing_queries == ["3", *(f"m{i:02}" for i in range(19))]
    assert about.unjudged_queries == ["9"]


def test_notes_of_the_files_are_handed_on(tmp_path: Path) -> None:
    """A byte order mark, which trec_eval takes for a part of the first id, is reported."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    (folder / "run").write_bytes(b"\xef\xbb\xbf" + (folder / "run").read_bytes())
    (about,) = run(tmp_path, "RR").inputs
    assert "byte order mark" in " ".join(about.notes)
    assert about.unjudged == 2


# Backends


def test_unsupported_measures_are_told_on_either_side(tmp_path: Path) -> None:
    """Nobody's number is invented where the reference or the candidate lacks the measure."""
    write_case(tmp_path / "c", QRELS, RUN)
    document = run(tmp_path, "DCG", "RR", reference="pytrec_eval", backends=("native", "ir-measures"))
    found = {
        (c.measure, c.candidate): (c.outcome, c.message) for c in document.comparisons if c.measure == "DCG"
    }
    for candidate in ("native", "ir-measures"):
        assert found["DCG", candidate] == ("unsupported", "pytrec_eval does not have DCG")
    swapped = run(tmp_path, "DCG", reference="native", backends=("pytrec_eval",))
    (only,) = swapped.comparisons
    assert (only.outcome, only.message) == ("unsupported", "pytrec_eval does not have DCG")
    assert exit_code(swapped) is ExitCode.INCONCLUSIVE


def test_an_optional_backend_that_is_absent_is_reported_and_no_more(tmp_path: Path) -> None:
    """It is listed with what installs it; only who requires it gets an inconclusive result."""
    write_case(tmp_path / "c", QRELS, RUN)
    settings = Settings(
        measures=("RR",),
        backends=("native", "trec_eval"),
        options=Options(trec_eval_bin=str(tmp_path / "nowhere")),
    )
    document = run_with(find_cases([str(tmp_path)]), settings)
    (about,) = [b for b in document.backends if b.id == "trec_eval"]
    assert not about.available
    assert "github.com/usnistgov/trec_eval" in (about.reason or "")
    assert keys(document) == [("run", "RR", "native")]
    assert exit_code(document) is ExitCode.AS_EXPECTED
    assert exit_code(document, required=["trec_eval"]) is ExitCode.INCONCLUSIVE


def test_a_reference_that_is_absent_fails_every_comparison(tmp_path: Path) -> None:
    """Comparisons without a reference must not count as compared."""
    recorded_case(tmp_path / "c")
    document = run(tmp_path, "AP", reference="recorded:nowhere.txt")
    assert {(c.candidate, c.outcome) for c in document.comparisons} == {
        ("native", "error"),
        ("recorded:recorded.txt", "error"),
    }
    assert all("recorded:nowhere.txt: not available" in (c.message or "") for c in document.comparisons)
    assert exit_code(document) is ExitCode.INCONCLUSIVE


def test_a_case_chooses_no_code_to_run_and_no_file_to_read(tmp_path: Path) -> None:
    """A case folder is somebody's data: what it may name as reference neither runs code nor reads files."""
    write_case(tmp_path / "c", QRELS, RUN, 'reference = "python:evil.py:run"\n')
    with pytest.raises(InputError, match="cannot choose this reference"):
        run(tmp_path, "RR", reference=None)


def test_conventions_that_a_run_cannot_follow_are_an_error_of_the_backend(tmp_path: Path) -> None:
    """A run without rank column cannot be ordered by it; the other candidates are compared."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    results: dict[str, dict[str, float]] = {}
    for topic, doc, score in RUN:
        results.setdefault(topic, {})[doc] = score
    (folder / "run").write_text(json.dumps(results))
    document = run(tmp_path, "RR", backends=("native:order=rank-column", "native"))
    failed = comparison(document, "RR", "native:order=rank-column")
    assert failed.outcome == "error"
    assert "rank" in (failed.message or "")
    assert comparison(document, "RR", "native").outcome == "match"


def test_the_reference_may_be_any_backend(tmp_path: Path) -> None:
    """A user's function as reference: what no known convention reproduces is not explained away."""
    write_case(tmp_path / "c", QRELS, RUN)
    odd = f"python:{misbehaving.__file__}:off_on_one_query"
    found = comparison(run(tmp_path, "P@5", reference=odd), "P@5", "native")
    assert found.reference == odd
    assert found.diagnosis is not None
    assert found.diagnosis.causes == ["unexplained"]
    assert "reference" in found.diagnosis.explanation


@pytest.mark.parametrize("id", ["natvie", "python:file.py", "recorded:", "native:gain=log"])
def test_a_backend_that_cannot_be_is_a_usage_error(tmp_path: Path, id: str) -> None:
    """It is found before anything is computed."""
    write_case(tmp_path / "c", QRELS, RUN)
    with pytest.raises(UsageError):
        run(tmp_path, "RR", backends=(id,))


# Queries


def test_only_the_queries_asked_for_are_compared(tmp_path: Path) -> None:
    """Values, means and inputs are those of the chosen queries."""
    write_case(tmp_path / "c", QRELS, RUN)
    document = run(tmp_path, "RR", queries=("1", "3"))
    (found,) = document.comparisons
    assert (found.queries, found.mean.reference_value) == (1, 0.5)
    (about,) = document.inputs
    assert (about.queries, about.missing_queries, about.unjudged) == (1, ["3"], 0)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("77", "query '77' is not judged"),
        ("9", "query '9' is not judged"),
        ("3", "for none of the judged queries that were asked for"),
        ("\udcff", "is not judged"),
    ],
)
def test_a_query_that_cannot_be_compared_is_an_input_error(tmp_path: Path, query: str, said: str) -> None:
    """Unknown, unjudged and without results are told apart; an id of any bytes is just an id."""
    write_case(tmp_path / "c", QRELS, RUN)
    with pytest.raises(InputError, match=said):
        run(tmp_path, "RR", queries=(query,))


def test_a_run_without_any_judged_query_is_an_input_error(tmp_path: Path) -> None:
    """The message shows an id of each side."""
    write_case(tmp_path / "c", QRELS, [("q1", "a", 1.0)])
    with pytest.raises(InputError) as caught:
        run(tmp_path, "RR")
    assert "for none of the judged queries" in str(caught.value)
    assert "'q1'" in str(caught.value)
    assert "such as '1'" in str(caught.value)


# The run as a whole


def test_the_document_does_not_depend_on_how_many_work_at_a_time(tmp_path: Path) -> None:
    """One job or four, once or twice: the same document."""
    for seed, name in enumerate(("shallow", "short")):
        write_random(tmp_path / name, seed, SHAPES[name])
    backends = ("ir-measures", "native", f"python:{misbehaving.__file__}:nan", "native:trec_eval-10-c")
    documents = [
        run(tmp_path, "P@5", "P@10", reference="pytrec_eval", backends=backends, jobs=jobs)
        for jobs in (1, 4, 1)
    ]
    assert len(documents[0].comparisons) == 16
    # NaN is a text in a document, so equality holds where it occurs.
    assert documents[0] == documents[1] == documents[2]


def test_timings_tell_what_was_spent_where(tmp_path: Path) -> None:
    """Every stage and every backend, with the memory of those that have a process of their own."""
    write_random(tmp_path / "c", 1, SHAPES["shallow"])
    timings, said = Timings(), list[str]()
    settings = Settings(measures=("nDCG@10",), backends=("native:gain=exponential",))
    run_with(find_cases([str(tmp_path)]), settings, progress=said.append, timings=timings)
    assert said == ["c: run (1 of 1)"]
    assert {"read", "native", "compare", "diagnose"} <= timings.stages.keys()
    seconds, peak = timings.backends["pytrec_eval"]
    assert seconds > 0
    assert peak > 1_000_000
    assert timings.backends["native:gain=exponential"][1] == 0


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    """Ctrl-C before the second case: the first one's comparisons, in a document that is not complete."""
    for name in ("a", "b"):
        write_case(tmp_path / name, QRELS, RUN)

    def interrupt(message: str) -> None:
        if message.startswith("b"):
            raise KeyboardInterrupt

    settings = Settings(measures=("RR",), backends=("native",))
    document = run_with(find_cases([str(tmp_path)]), settings, progress=interrupt)
    assert not document.complete
    assert [c.case for c in document.comparisons] == ["a"]
    assert document.summary.comparisons == 1
    assert exit_code(document) is ExitCode.INTERRUPTED


def test_the_tolerance_of_the_call_goes_before_the_cases_own(tmp_path: Path) -> None:
    """Without either it is 1e-9, and 0 for ``native`` against the engine it follows."""
    write_case(tmp_path / "a", QRELS, RUN, "tolerance = 0.25\n")
    write_case(tmp_path / "b", QRELS, RUN)
    settings = {"backends": ("native", "native:trec_eval-10"), "reference": "pytrec_eval"}
    own = [(c.case, c.tolerance) for c in run(tmp_path, "RR", **settings).comparisons]
    assert own == [("a", 0.25), ("a", 0.25), ("b", 0.0), ("b", 1e-9)]
    given = run(tmp_path, "RR", tolerance=0.5, **settings)
    assert {c.tolerance for c in given.comparisons} == {0.5}
