"""What a document has beside its comparisons: evidence for checks by hand, tools that only inform, groups of
queries, and the impact of the mismatches of a case."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from crosscheck import backends
from crosscheck.harness import ExitCode, Settings, exit_code, run_with
from crosscheck.report import render
from crosscheck.results import Document
from tests.harness.data import Qrels, Rows, case_of, run, write_case
from tests.studies.examples import Runs as Systems
from tests.studies.examples import gain_flips_two_systems

Case = tuple[Qrels, Rows]

QRELS = {"1": {"a": 1, "b": 3, "c": 0}, "2": {"d": 2}}
RUN = [("1", "a", 2.0), ("1", "c", 1.0), ("1", "b", 1.0), ("1", "e", 0.5), ("2", "d", 1.0)]


def compared(folder: Path, candidate: str, measure: str, case: Case = (QRELS, RUN)) -> Document:
    write_case(folder / "case", *case)
    return run(folder, measure, backends=(candidate,), reference="native")


def test_both_rankings_are_shown_with_what_each_place_adds(tmp_path):
    """c and b are tied: trec_eval has c first, input order too; ascending docnos have b first."""
    (found,) = compared(tmp_path, "native:ties=docid-asc", "nDCG").evidence
    (query,) = found.rankings
    assert (query.query, query.documents) == ("1", 4)
    sides = [
        [(d.rank, d.docno, d.rel, d.tied, d.gain) for d in side]
        for side in (query.reference_ranking, query.candidate_ranking)
    ]
    assert sides == [
        [(1, "a", 1, None, 1.0), (2, "c", 0, 1, None), (3, "b", 3, 1, 3.0), (4, "e", None, None, None)],
        [(1, "a", 1, None, 1.0), (2, "b", 3, 1, 3.0), (3, "c", 0, 1, None), (4, "e", None, None, None)],
    ]
    running = [d.running for d in query.reference_ranking]
    assert running == [1.0, None, pytest.approx(1 + 3 / 2, abs=1e-15), None]
    assert found.agreeing == {"2": 1.0}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("ideal=retrieved", [(1, 3, 3, 2, 2), (2, 2, pytest.approx(3 + 2 / 1.5849625), None, None)]),
        ("universe=retrieved", [(1, 3, 3, 2, 2), (2, 2, pytest.approx(3 + 2 / 1.5849625), None, None)]),
        ("ideal=max-grade", [(1, 3, 3, 3, 3), (2, 2, pytest.approx(4.2618595), 3, pytest.approx(4.8927893))]),
        ("gain=exponential", []),
    ],
)
def test_the_ideal_lists_are_shown_where_they_are_of_other_documents(tmp_path, changed, expected):
    """Rank, and gain and sum of either side: both rankings are the same there, and show nothing."""
    case = ({"1": {"a": 2, "b": 3}}, [("1", "a", 2.0), ("1", "c", 1.0)])
    (found,) = compared(tmp_path, f"native:{changed}", "nDCG", case).evidence
    (query,) = found.rankings
    assert query.reference_ranking[0].docno == query.candidate_ranking[0].docno == "a"
    held = [
        (i.rank, i.reference_gain, i.reference_sum, i.candidate_gain, i.candidate_sum) for i in query.ideal
    ]
    assert held == expected


def test_the_mean_goes_in_steps_from_one_side_to_the_other(tmp_path):
    """One step per cause, in the order of an evaluation; the last one is the candidate's mean."""
    document = compared(tmp_path, "native:ties=docid-asc,gain=exponential", "nDCG")
    (found,), (comparison,) = document.evidence, document.comparisons
    assert [step.cause for step in found.steps] == ["tie-breaking", "gain"]
    assert found.steps[-1].mean == comparison.mean.candidate_value
    only_ties = compared(tmp_path / "ties", "native:ties=docid-asc", "nDCG").comparisons[0]
    assert found.steps[0].mean == only_ties.mean.candidate_value


def test_two_measures_that_differ_have_joint_conventions(tmp_path):
    """One has only its own."""
    write_case(tmp_path / "case", QRELS, RUN)
    for measures, number in ((("nDCG",), 0), (("nDCG", "nDCG@10"), 1)):
        document = run(tmp_path, *measures, backends=("native:gain=exponential",), reference="native")
        assert [tool.conventions for tool in document.tools] == [{"gain": "exponential"}] * number


def test_long_rankings_are_cut_to_what_matters(tmp_path):
    """The top of either side, and relevant documents that change places further down; none for a measure of
    sets, in whose value ranks have no part."""
    document = compared(tmp_path / "sets", "native:relevance_level=2", "SetP")
    assert [found.rankings for found in document.evidence] == [[]]
    docs = [f"d{i:03}" for i in range(200)]
    rows = [("1", doc, 1.0 if 100 <= i < 110 else 300.0 - i) for i, doc in enumerate(docs)]
    case = ({"1": {"d000": 1, "d105": 1}}, rows)
    (found,) = compared(tmp_path / "long", "native:ties=docid-asc", "AP", case).evidence
    (query,) = found.rankings
    assert query.documents == 200
    assert [d.rank for d in query.reference_ranking][:10] == list(range(1, 11))
    assert {d.docno for d in query.reference_ranking} == {d.docno for d in query.candidate_ranking}
    assert len(query.reference_ranking) == 11


def test_evidence_is_of_a_few_queries(tmp_path):
    """Rankings of three, documents of ten, the values of three hundred that agree."""
    differing = {f"d{i:03}": {"a": 1, "b": 3} for i in range(11)}
    qrels = differing | {f"e{i:03}": {"a": 1, "b": 0} for i in range(301)}
    rows = [(query, docno, score) for query in qrels for docno, score in (("a", 2.0), ("b", 1.0))]
    document = compared(tmp_path, "native:gain=exponential", "nDCG", (qrels, rows))
    (found,), (comparison,) = document.evidence, document.comparisons
    assert (len(found.rankings), len(found.agreeing)) == (3, 300)
    assert [bool(cell.documents) for cell in comparison.cells] == [True] * 10 + [False]


def test_tools_that_nobody_named_inform(tmp_path, monkeypatch):
    """On loose files they fail nothing, whether they differ or break; native and named ones do."""
    write_case(tmp_path / "case", QRELS, RUN)
    half = tmp_path / "half.py"
    half.write_text("def f(qrels, run):\n    return {q: 0.5 for q in run}\n")
    monkeypatch.setattr(backends, "default_candidates", lambda: ("native", f"python:{half}:f"))

    def loose_files(reference: str, *backends: str) -> Document:
        return run(tmp_path, "RR", backends=backends, reference=reference, loose=True)

    loose = loose_files("native:rr_of=every")
    outcomes = {c.candidate.split(":")[0]: (c.outcome, c.expected, c.informs) for c in loose.comparisons}
    assert outcomes == {"native": ("mismatch", False, False), "python": ("mismatch", False, True)}
    assert exit_code(loose) is ExitCode.UNEXPECTED
    third, named = ("native:trec_eval-9.0.8",), ("native", f"python:{half}:f")
    assert exit_code(loose_files(*third)) is ExitCode.AS_EXPECTED
    assert exit_code(loose_files(*named)) is ExitCode.UNEXPECTED
    half.write_text("def f(qrels, run):\n    raise ValueError\n")
    assert exit_code(loose_files(*third)) is ExitCode.AS_EXPECTED
    assert exit_code(loose_files(*named)) is ExitCode.INCONCLUSIVE


# ---- groups of queries, and impacts ------------------------------------------------------------------

TOPICS = "query,difficulty\n1,hard\n2,hard\n3,easy\n4,easy\n6,easy\n"


def grouped(
    folder: Path, qrels: Qrels, runs: Systems, topics: str | None = None, group_by: str | None = None
) -> Document:
    pytest.importorskip("scipy.special", reason="scipy is not installed")
    rows = {name: [(q, d, s) for q, row in run.items() for d, s in row.items()] for name, run in runs.items()}
    case = case_of(write_case(folder / "case", qrels, [], **rows))
    case = replace(case, runs=tuple(path for path in case.runs if not path.endswith("/run")))
    if topics is not None:
        (folder / "topics.csv").write_text(topics)
        case = replace(case, topics=str(folder / "topics.csv"))
    backends = ("native:gain=exponential",)
    settings = Settings(measures=("nDCG@3", "P@3"), backends=backends, reference="native", group_by=group_by)
    return run_with([case], settings)


def test_groups_add_up_to_the_comparison(tmp_path):
    """Queries, matches and mismatches of the groups sum to those of their comparison; the mean of a group is
    over its queries only: all hard queries are alike, one easy one is perfect. Reports name the column, its
    groups, and the queries without one."""
    document = grouped(tmp_path, *gain_flips_two_systems(), TOPICS, "difficulty")
    for c in document.comparisons:
        found = [g for g in document.groups if (g.run, g.measure) == (c.run, c.measure)]
        assert [g.group for g in found] == ["easy", "hard", None]
        sums = [sum(getattr(g, field) for g in found) for field in ("queries", "matches", "mismatches")]
        assert sums == [c.queries, c.matches, c.mismatches]
        assert c.measure == "nDCG@3" or all(g.mean.match and g.mismatches == 0 for g in found)
    groups = {g.group: g for g in document.groups if (g.run, g.measure) == ("run.best", "nDCG@3")}
    hard, easy = groups["hard"].mean.reference_value, groups["easy"].mean.reference_value
    assert isinstance(hard, float)
    assert easy == pytest.approx((2 * hard + 1) / 3)
    assert groups["hard"].mean.match is False
    for format in ("text", "markdown", "json"):
        text = render(document, format)
        for word in ("difficulty", "hard", "easy", "null" if format == "json" else "(no group)"):
            assert word in text
        assert format != "text" or max(map(len, text.splitlines())) <= 80
