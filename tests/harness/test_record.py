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
from tests.support.kept import REMEDY, Kept

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
    lines = [f"{step.cause}: {step.mean:.12g}" for step in found.steps]
    for query in found.rankings:
        lines.append(f"query {query.query}, {query.documents} documents")
        for name, side in (("reference", query.reference_ranking), ("candidate", query.candidate_ranking)):
            for d in side:
                shown = (d.docno, f"level {d.rel}", f"score {d.score:g}")
                if d.gain is not None:
                    shown += (f"gain {d.gain:.12g} / {d.discount:.12g}", f"in all {d.running:.12g}")
                lines.append(
                    f"  {name} {d.rank}: {', '.join(shown)}" + f", tied {d.tied}" * (d.tied is not None)
                )
        for i in query.ideal:
            reference, candidate = (i.reference_gain, i.reference_sum), (i.candidate_gain, i.candidate_sum)
            lines.append(f"  ideal {i.rank}: {_pair(reference)}; {_pair(candidate)}")
    return "\n".join([*lines, f"agreeing: {found.agreeing}"])


def _pair(pair: tuple[float | None, float | None]) -> str:
    return " in all ".join("none" if one is None else f"{one:.12g}" for one in pair)


def many() -> str:
    """How much is shown of 312 queries, eleven of which differ."""
    differing = {f"d{i:03}": {"a": 1, "b": 3} for i in range(11)}
    qrels = differing | {f"e{i:03}": {"a": 1, "b": 0} for i in range(301)}
    rows = [(query, docno, score) for query in qrels for docno, score in (("a", 2.0), ("b", 1.0))]
    document = compared(Path(), "native:gain=exponential", "nDCG", (qrels, rows))
    (found,), (comparison,) = document.evidence, document.comparisons
    documents = sum(bool(cell.documents) for cell in comparison.cells[:10]), comparison.cells[10].documents
    return f"{len(found.rankings)} rankings, {len(found.agreeing)} values, {documents} with documents"


EXAMPLES = Kept(__file__, evidence=evidence, many=many)


def test_examples():
    """Evidence for checks by hand: rankings, ideal lists and means in steps."""
    assert EXAMPLES.anew() == EXAMPLES.read(), REMEDY


def test_two_measures_that_differ_have_joint_conventions(tmp_path):
    """One has only its own."""
    write_case(tmp_path / "case", QRELS, RUN)
    for measures, number in ((("nDCG",), 0), (("nDCG", "nDCG@10"), 1)):
        document = run(tmp_path, *measures, backends=("native:gain=exponential",), reference="native")
        assert [tool.conventions for tool in document.tools] == [{"gain": "exponential"}] * number


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
