"""A run from files to the result document: which comparisons are made, and with what."""

import json
import re
from pathlib import Path

import pytest

from crosscheck.backends import Options, make
from crosscheck.formats.cases import find_cases
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.harness.runner import planned
from crosscheck.model import Case
from crosscheck.names import DEFAULT_MEASURES, parse_measure
from crosscheck.report import render
from crosscheck.results import Document, Mean, TieInterval
from tests.harness import misbehaving
from tests.harness.data import QRELS, RUN, asked, case_of, comparison, keys, run, write_case

ODD = f"python:{misbehaving.__file__}:off_on_one_query"
NATIVE, BOTH = {"backends": ("native",), "reference": None}, {"backends": ("native", "ir-measures")}
LACKS = "pytrec_eval does not have"
NOWHERE = "reference recorded:nowhere.txt: not available"


def told(document: Document) -> list[str]:
    """Measure, candidate, reference and outcome of each comparison, with a message or cause."""
    causes = [c.diagnosis.causes if c.diagnosis else [] for c in document.comparisons]
    return [
        " ".join(filter(None, (c.measure, c.candidate, c.reference, c.outcome, c.message, *of)))
        for c, of in zip(document.comparisons, causes, strict=True)
    ]


@pytest.mark.parametrize(
    ("config", "measures", "settings", "expected", "code"),
    [
        # Both spellings, commas and repetitions are one comparison each, in order.
        ("", ("P_5,ndcg_cut.10", "P@5", "map", "AP(rel=1)", "RR"), {},
         [f"{m} native native:trec_eval-10 match" for m in ("P@5", "nDCG@10", "AP", "RR")], 0),
        # Published numbers need no list of measures, and add to one that is there.
        ('[published]\n"P_5" = 0.2\n', (), {}, ["P@5 native native:trec_eval-10 match",
         "P@5 published native:trec_eval-10 mismatch missing-queries"], 1),
        ('measures = ["AP"]\n[published]\n"RR" = 0.75\n', (), {},
         ["AP native native:trec_eval-10 match", "RR native native:trec_eval-10 match",
          "RR published native:trec_eval-10 match"], 0),
        # Another reference is taken only where nobody named one, and our measures are not compared with
        # themselves.
        ("", ("RR@10",), NATIVE, [f"RR@10 native pytrec_eval unsupported {LACKS} RR@10"], 3),
        ("", ("RR@10",), {"backends": ("ir-measures",), "reference": "pytrec_eval"},
         [f"RR@10 ir-measures pytrec_eval unsupported {LACKS} RR@10"], 3),
        ('reference = "pytrec_eval"\n', ("RR@10",), {"backends": ("ir-measures",), "reference": None},
         [f"RR@10 ir-measures pytrec_eval unsupported {LACKS} RR@10"], 3),
        ('[published]\n"RR@10" = 0.75\n', ("RR@10",), NATIVE, ["RR@10 published native match"], 0),
        # Nobody's number is invented where the reference or the candidate lacks the measure.
        ("", ("DCG",), {**BOTH, "reference": "pytrec_eval"},
         [f"DCG {id} pytrec_eval unsupported {LACKS} DCG" for id in BOTH["backends"]], 3),
        ("", ("DCG",), {"backends": ("pytrec_eval",), "reference": "native"},
         [f"DCG pytrec_eval native unsupported {LACKS} DCG"], 3),
        ('[[expect]]\ncandidate = "pytrec_eval"\nmeasure = "DCG"\ncauses = ["gain"]\nreason = "?"\n',
         ("DCG",), {"backends": ("pytrec_eval",), "reference": "native"},
         [f"DCG pytrec_eval native unsupported {LACKS} DCG"], 3),
        # Comparisons without a reference do not count as compared.
        ('[published]\n"RR" = 0.75\n', ("RR",), {"reference": "recorded:nowhere.txt"},
         [f"RR {id} recorded:nowhere.txt error {NOWHERE}" for id in ("native", "published")], 3),
        # A user's function as reference: what no known convention reproduces is not explained away.
        ("", ("P@5",), {"reference": ODD}, [f"P@5 native {ODD} mismatch unexplained"], 1),
    ],
)  # fmt: skip
def test_comparisons_that_are_made(tmp_path, config, measures, settings, expected, code):
    """Each with its reference and outcome; why there is none is said. The exit code sums them up. Those that
    the candidate has, or case.toml expects, are planned."""
    write_case(tmp_path / "c", QRELS, RUN, config)
    document = run(tmp_path, *measures, **settings)
    made = told(document)
    assert [one[: len(start)] for one, start in zip(made, expected, strict=True)] == expected
    assert exit_code(document) == code
    (case,) = find_cases([str(tmp_path)])
    assert sorted(planned(case, asked(*measures, **settings))) == sorted(
        (c.run, c.candidate, c.measure)
        for c in document.comparisons
        if c.outcome != "unsupported" or config or make(c.candidate).supports(parse_measure(c.measure))
    )


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


def test_a_measure_that_the_default_reference_lacks_is_compared(tmp_path):
    """pytrec_eval has no RR@10: crosscheck's own measures are the reference, said in the document and the
    report; the others keep theirs, in the order of the measures. ir_measures computes it itself."""
    qrels, runs = {"1": {"a": 1}, "2": {"b": 1}}, [("1", "x", 1.0), ("1", "a", 1.0), ("2", "b", 1.0)]
    write_case(tmp_path / "c", qrels, runs)
    document = run(tmp_path, "RR@10", "AP", "RR@1", **BOTH, reference=None)
    made = [(c.measure, c.candidate, c.reference) for c in document.comparisons]
    assert made == [
        ("RR@10", "ir-measures", "native"),
        *(("AP", candidate, "pytrec_eval") for candidate in ("native", "ir-measures")),
        ("RR@1", "ir-measures", "native"),
    ]
    first = comparison(document, "RR@10", "ir-measures")
    assert (first.outcome, first.mean.reference_value, first.mean.candidate_value) == ("mismatch", 0.75, 1.0)
    assert first.diagnosis.causes == ["tie-breaking"]
    assert first.notes == ["native is the reference here: pytrec_eval does not have the measure"]
    assert not comparison(document, "AP", "ir-measures").notes
    said = " ".join(render(document, "text").split())
    assert re.search(r"Reference pytrec_eval [0-9.]+, native for RR@10, RR@1; 1 case", said)


def test_conventions_that_a_run_cannot_follow_are_an_error_of_the_backend(tmp_path):
    """A run without rank column cannot be ordered by it; the other candidates are compared."""
    folder = write_case(tmp_path / "c", QRELS, RUN)
    (folder / "run").write_text(json.dumps({topic: {doc: score} for topic, doc, score in RUN}))
    document = run(tmp_path, "RR", backends=("native:order=rank-column", "native"))
    failed, fine = document.comparisons
    assert (failed.outcome, fine.outcome) == ("error", "match")
    assert "rank" in (failed.message or "")


def test_only_the_queries_asked_for_are_compared(tmp_path):
    """Values, means and inputs are those of the chosen queries."""
    write_case(tmp_path / "c", QRELS, RUN)
    document = run(tmp_path, "RR", queries=("1", "3"))
    (found,), (about,) = document.comparisons, document.inputs
    assert (found.queries, found.mean.reference_value) == (1, 0.5)
    assert (about.queries, about.missing_queries, about.unjudged) == (1, ["3"], 0)


def test_the_tolerance_of_the_call_goes_before_the_cases_own(tmp_path):
    """Without either it is 1e-9, and 0 for ``native`` against the engine it follows."""
    write_case(tmp_path / "a", QRELS, RUN, "tolerance = 0.25\n")
    write_case(tmp_path / "b", QRELS, RUN)
    settings = {"backends": ("native", "native:trec_eval-10"), "reference": "pytrec_eval"}
    own = [(c.case, c.tolerance) for c in run(tmp_path, "RR", **settings).comparisons]
    assert own == [("a", 0.25), ("a", 0.25), ("b", 0.0), ("b", 1e-9)]
    given = run(tmp_path, "RR", tolerance=0.5, **settings)
    assert {c.tolerance for c in given.comparisons} == {0.5}


# ---- metrics that raise, crash, hang and lie: one outcome each, and never the end of the run ----------

JUDGED = {"1": {"a": 1, "b": 0}, "2": {"c": 2, "d": 1}, "3": {"e": 1, "f": 0}, "4": {"g": 1}}
RETRIEVED = {"1": [("a", 1), ("b", 1)], "2": [("c", 3), ("z", 2), ("d", 1)], "3": [("f", 2), ("e", 1)]}
TIED = [(query, doc, float(score)) for query, row in RETRIEVED.items() for doc, score in row]
#: Metric and measure -> the cells that differ without a known cause, mean, and queries that match.
UNEXPLAINED = {
    ("nan", "P@1"): ({"2": (1.0, "NaN")}, "NaN", 2),
    ("infinite", "P@10"): ({q: (int(q) % 2 / -10 + 0.2, "Infinity") for q in "123"}, "Infinity", 0),
    ("drops_a_query", "P@1"): ({"2": (1.0, None)}, 0.0, 2),
    ("off_on_one_query", "P@10"): ({"2": (0.2, 0.2 + 0.013)}, pytest.approx(0.413 / 3), 2),
}


def misbehaved(folder: Path, *functions: str, timeout: float = 60.0) -> Document:
    """P@1 and P@10 of the functions, and of ``native``."""
    backends = (*(f"python:{misbehaving.__file__}:{name}" for name in functions), "native")
    settings = Settings(measures=("P@1", "P@10"), backends=backends, options=Options(timeout=timeout))
    return run_with([case_of(write_case(folder / "case", JUDGED, TIED))], settings)


def test_a_failing_metric_is_an_error_with_what_it_said(tmp_path):
    """No number at all; the others are compared all the same. A batch that fails is asked again one by one,
    so only the guilty measure is an error; the exit code says that not everything could be compared."""
    document = misbehaved(tmp_path, "aborts", "hangs", "raises_on_a_measure", timeout=5)
    for function, said in (("aborts", "SIGABRT"), ("hangs", "did not answer within 5 s")):
        for measure in ("P@1", "P@10"):
            found = comparison(document, measure, f":{function}")
            assert (found.outcome, found.expected) == ("error", False)
            assert said in (found.message or "")
            nothing = (found.mean.candidate_value, found.max_abs_diff, found.diagnosis, found.cells)
            assert (*nothing, found.queries, found.notes) == (None, None, None, [], 0, [])
            agreeing = comparison(document, measure, "native")
            assert agreeing.outcome == "match"
            assert found.mean == Mean(agreeing.mean.reference_value, None, False)
    assert comparison(document, "P@1", ":raises_on_a_measure").outcome == "match"
    guilty = comparison(document, "P@10", ":raises_on_a_measure")
    assert "no \\x1b[31mP@10\\x1b[0m today" in (guilty.message or "")
    assert exit_code(document) is ExitCode.INCONCLUSIVE
    assert (document.summary.error, document.summary.mismatch) == (5, 0)


def test_wrong_values_differ_and_get_no_invented_cause(tmp_path):
    """NaN is neither 0.0 nor absent, a dropped query is missing and not zero, infinity travels as such."""
    document = misbehaved(tmp_path, *(name for name, _ in UNEXPLAINED), "ties_ascending")
    for (function, measure), (cells, mean, matches) in UNEXPLAINED.items():
        found = comparison(document, measure, f":{function}")
        assert (found.diagnosis.strength, found.diagnosis.causes) == ("none", ["unexplained"])
        assert {cell.query: (cell.reference_value, cell.candidate_value) for cell in found.cells} == cells
        assert {cause for cell in found.cells for cause in cell.causes} == {"unexplained"}
        assert (found.mean.candidate_value, found.matches) == (mean, matches)
        missing = [cell.query for cell in found.cells if cell.outcome == "missing-in-candidate"]
        assert (found.missing, found.mismatches) == (len(missing), len(cells) - len(missing))
        assert missing == (["2"] if function == "drops_a_query" else [])
    assert comparison(document, "P@10", ":infinite").max_abs_diff == "Infinity"
    off = comparison(document, "P@10", ":off_on_one_query")
    size = 0.2 + 0.013 - 0.2, 468374361246532
    assert (off.max_abs_diff, off.max_ulp) == (off.cells[0].abs_diff, off.cells[0].ulp) == size
    # The one query with a tie across the cutoff differs, by the relevant document that crosses it.
    tied = comparison(document, "P@1", ":ties_ascending")
    assert (tied.diagnosis.strength, tied.diagnosis.causes) == ("consistent", ["tie-breaking"])
    (cell,) = tied.cells
    assert (cell.query, cell.reference_value, cell.candidate_value) == ("1", 0.0, 1.0)
    assert cell.ties == TieInterval(0.0, 1.0, 0.5)
    (shown,) = cell.documents
    assert (shown.docno, shown.reference_rank, shown.candidate_rank) == ("a", 2, 1)
    assert (shown.reference_adds, shown.candidate_adds) == (0.0, 1.0)
    assert comparison(document, "P@10", ":ties_ascending").outcome == "match"
