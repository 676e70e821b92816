"""Numbers that come with a case, published or recorded: candidates like any other."""

import json
import math
import random
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

import crosscheck as api
from crosscheck.compare import differ
from crosscheck.formats.cases import read_config
from crosscheck.harness import Settings, run_with
from crosscheck.model import Case, MeasureValues, Printed
from tests.harness.data import QRELS, RUN, comparison, run, write_case

ONE = {"1": {"a": 1, "b": 0, "c": 1}}
ONE_RUN = [("1", "b", 3.0), ("1", "a", 2.0), ("1", "c", 1.0)]

SECOND = {"second": [("3", "e", 1.0)]}
A, B = '[[published]]\nsource = "A"\n', '[[published]]\nsource = "B"\n'


@pytest.mark.parametrize(
    ("qrels", "config", "more", "queries", "expected"),
    [
        # The mean over a single query is that query's value; over several it is no query's.
        (ONE, A + 'decimals = 2\n"P@3" = 0.67\n"RR" = 0.6\n', {}, (),
         ["run published P@3 match 1 2 A", "run published RR mismatch 1 2 A"]),
        (QRELS, A + '"RR" = 0.75\n"P@1" = 0.4\n', {}, (),
         ["run published RR match 0 2 A", "run published P@1 mismatch 0 1 A"]),
        # ``decimals`` speaks for every number of the table, text included.
        (QRELS, A + 'decimals = 1\n"RR" = "0.8000"\n"P@1" = 0.50\n', {}, (),
         ["run published RR match 0 1 A", "run published P@1 match 0 1 A"]),
        # No printed number replaces another, whatever the spelling.
        (QRELS, A + '"RR" = 0.75\n' + B + '"RR" = 0.5\n"P@5" = 0.3\n"P_5" = 0.2\n', {}, (),
         ["run published RR match 0 2 A", "run published-2 RR mismatch 0 1 B",
          "run published P@5 match 0 1 B", "run published-2 P@5 mismatch 0 1 B"]),
        # ``run =`` chooses; without it every run is compared.
        (QRELS, A + 'run = "run.second"\n"RR" = 1.0\n' + B + '"P@1" = 0.5\n', SECOND, (),
         ["run published P@1 match 0 1 B", "run.second published RR match 0 1 A",
          "run.second published P@1 mismatch 0 1 B"]),
        # A mean over three queries says nothing about one of them.
        (QRELS, A + '"RR" = 0.5\n', {}, ("1",), []),
    ],
)  # fmt: skip
def test_published_numbers_are_candidates(tmp_path, qrels, config, more, queries, expected):
    """Each with its run, candidate, measure, outcome, queries, decimals and source."""
    write_case(tmp_path / "c", qrels, ONE_RUN if qrels is ONE else RUN, config, **more)
    found = [c for c in run(tmp_path, queries=queries).comparisons if c.candidate != "native"]
    assert [
        f"{c.run} {c.candidate} {c.measure} {c.outcome} {c.queries} {c.decimals} {c.candidate_engine}"
        for c in found
    ] == expected
    cells = [(cell.query, cell.reference_value, cell.candidate_value) for c in found for cell in c.cells]
    assert cells == ([("1", 0.5, 0.6)] if qrels is ONE else [])


@pytest.mark.parametrize(
    ("published", "agrees", "decimals"),
    [
        *(
            ("0.583", True, 3),
            ('"0.58"', True, 2),
            ('"0.580"', False, 3),
            ("0.580", False, 3),
            ("0.6", True, 1),
        ),
        *(("5.8e-1", True, 2), ("0.5833333333333333", True, None), ("1", True, 0), ('"58.3"', False, 1)),
    ],
)
def test_whatever_rounds_to_the_printed_digits_agrees(tmp_path, published, agrees, decimals):
    """The mean is 7/12; what is printed beside it has digits of its own, and percent are not guessed."""
    rows = [("1", "a", 1.0), *(("2", doc, 9.0 - rank) for rank, doc in enumerate("vwxyzb"))]
    entry = f'[published]\n"RR" = {published}\n"P@1" = 0.50\n'
    write_case(tmp_path / "c", {"1": {"a": 1}, "2": {"b": 1}}, rows, entry)
    document = run(tmp_path)
    found, other = (comparison(document, measure, "published") for measure in ("RR", "P@1"))
    assert (found.outcome == "match", found.decimals) == (agrees, decimals)
    assert (other.outcome, other.decimals) == ("match", 2)


def midpoint(scaled: int, decimals: int) -> float:
    return float(Decimal(2 * scaled + 1).scaleb(-decimals) / 2)


@given(
    st.integers(0, 8).flatmap(
        lambda decimals: st.tuples(
            st.just(decimals),
            st.floats(-10, 10) | st.builds(midpoint, st.integers(-(10**6), 10**6), st.just(decimals)),
        )
    ),
    st.booleans(),
)
def test_a_value_agrees_with_what_is_printed_of_it(tmp_path_factory, drawn, quoted):
    """Rounded as printf does, half up from the bits, or half up from the shortest digits; as text or as a
    literal. One unit of the last digit further away does not agree."""
    decimals, value = drawn
    unit = Decimal(1).scaleb(-decimals)
    halves = [number.quantize(unit, ROUND_HALF_UP) for number in (Decimal(value), Decimal(repr(value)))]
    near = {f"{value:.{decimals}f}", *(f"{half:f}" for half in halves)}
    far = {f"{Decimal(text) + (unit if Decimal(text) >= value else -unit):f}" for text in near}
    path = tmp_path_factory.mktemp("case") / "case.toml"
    for text in near | far:
        path.write_text("[published]\n" + (f'"RR" = "{text}"\n' if quoted else f'"RR" = {text}\n'))
        (published,) = read_config(str(path), []).published
        printed = published.values["RR"]
        assert isinstance(printed, Printed)
        assert printed.decimals == decimals
        exact = MeasureValues({}, value, "exact")
        shown = MeasureValues({}, float(printed), "printed", printed.decimals)
        assert differ(exact, shown).agree == (text in near), text


def test_a_geometric_mean_is_saved_as_logarithms_or_printed_as_itself(tmp_path):
    """gm_map's values per query are logarithms: a file without means agrees in the mean, a printed mean is
    no value of a query."""
    folder = write_case(tmp_path / "c", ONE, ONE_RUN, '[published]\n"gm_map" = 0.583333\ndecimals = 6\n')
    (folder / "recorded.json").write_text(f'{{"1": {{"gm_map": {math.log((1 / 2 + 2 / 3) / 2)}}}}}')
    document = run(tmp_path)
    saved, printed = (comparison(document, "gm_map", name) for name in ("recorded.json", "published"))
    assert (saved.outcome, saved.queries, saved.mean.match) == ("match", 1, True)
    assert saved.mean.candidate_value == pytest.approx(7 / 12, abs=1e-15)
    assert (printed.outcome, printed.queries, printed.mean.match) == ("match", 0, True)


def test_a_printed_mean_has_causes_that_are_consistent_with_it(tmp_path):
    """The mean over all judged queries, printed alone, is missing-queries or query-set, or of another run."""
    write_case(tmp_path / "c", QRELS, RUN, '[published]\n"RR" = 0.5\n')
    found = comparison(run(tmp_path), "RR", "published").diagnosis
    assert (found.strength, found.reproduced, found.of) == ("consistent", 0, 0)
    assert found.causes == ["missing-queries"]
    assert found.fits == 1 + len(found.alternatives) < found.tried
    said = f"{found.fits} of {found.tried} sets of conventions give this mean, or it is another run."
    assert found.explanation.endswith(said)
    assert ["query-set"] in [a.causes for a in found.alternatives]


def test_means_inherit_what_explains_them_together(tmp_path):
    """Only retrieved documents exist: for AP alone, another denominator is the likelier explanation, for nDCG
    another ideal list; together they single out the one axis, and each mean is said to follow it."""
    rng = random.Random(3)
    qrels = {str(q): {f"d{i}": rng.choice((0, 0, 1, 2)) for i in range(20)} for q in range(20)}
    lines = [(q, f"d{i}", rng.random()) for q in qrels for i in range(4, 24)]
    by_query = {q: {docno: score for topic, docno, score in lines if topic == q} for q in qrels}
    names = ("AP", "R@10", "nDCG")
    values = api.evaluate(qrels, by_query, names, conventions="universe=retrieved")
    means = {name: sum(of[name] for of in values.values()) / len(values) for name in names}

    def found(*published: str) -> dict[str, dict[str, object]]:
        folder = tmp_path / "-".join(published)
        rows = "".join(f'"{name}" = {means[name]:.6f}\n' for name in published)
        write_case(folder / "c", qrels, lines, f"[published]\n{rows}")
        made = {name: comparison(run(folder), name, "published").diagnosis for name in published}
        return {name: {} if one is None else dict(one.conventions) for name, one in made.items()}

    assert found("AP") == {"AP": {"ap_denominator": "retrieved-relevant"}}
    assert found(*names) == {name: {"universe": "retrieved"} for name in names}


# ---- trec_eval 10.0 held against 9.0.8, in each form in which its numbers are kept --------------------

MEASURES = ("map", "P_5", "P_10", "ndcg_cut_10", "recip_rank", "iprec_at_recall_0.60", "11pt_avg")


def written(folder: Path) -> tuple[dict[str, dict[str, dict[str, str]]], Case]:
    """What both versions print, by version, query (``all`` for the mean) and measure.

    Every run is in order of its scores; some of these are equal only in single precision.
    """
    rng, qrels, run = random.Random(4), list[str](), list[str]()
    for query in range(1, 26):
        score = 30.0
        for rank in range(1, 21):
            docno = f"d{rng.randrange(10**6)}"
            score -= rng.choice((0.5, 1e-7, 1e-8))
            qrels.append(f"{query} 0 {docno} {rng.choice((0, 0, 1, 2))}")
            run.append(f"{query} Q0 {docno} {rank} {score!r} t")
    (folder / "qrels").write_text("\n".join(qrels) + "\n")
    (folder / "run").write_text("\n".join(run) + "\n")
    paths = str(folder / "qrels"), str(folder / "run")
    printed: dict[str, dict[str, dict[str, str]]] = {}
    for version in ("trec_eval-9.0.8", "trec_eval-10"):
        values = api.evaluate(*paths, MEASURES, conventions=version)
        means = {name: fmean(of_query[name] for of_query in values.values()) for name in MEASURES}
        printed[version] = {
            query: {name: f"{value:.4f}" for name, value in of_query.items()}
            for query, of_query in [*values.items(), ("all", means)]
        }
    return printed, Case(name="versions", qrels=paths[0], runs=(paths[1],))


@pytest.mark.parametrize("form", ["-q", "summary", "JSON"])
def test_two_versions_differ_in_score_precision_and_recall_points_alone(tmp_path, form):
    """Single scores in order of the lines would give each of these means as well. Numbers of JSON are exact,
    but here they have no more digits than those of the reference."""
    printed, case = written(tmp_path)
    theirs = printed["trec_eval-10"]
    if form == "summary":
        theirs = {"all": theirs["all"]}
    for name, values in (("a", printed["trec_eval-9.0.8"]), ("b", theirs)):
        rows = [f"{m}\t{query}\t{text}" for query, of in values.items() for m, text in of.items()]
        (tmp_path / name).write_text("\n".join(rows) + "\n")
    if form == "JSON":
        exact = {query: {m: float(text) for m, text in of.items()} for query, of in theirs.items()}
        (tmp_path / "b").write_text(json.dumps(exact))
    settings = Settings(
        measures=MEASURES, backends=(f"recorded:{tmp_path / 'b'}",), reference=f"recorded:{tmp_path / 'a'}"
    )
    document = run_with([case], settings)
    found = {c.measure: c.diagnosis for c in document.comparisons if c.outcome == "mismatch"}
    assert len(found) >= 5
    for diagnosis in found.values():
        assert set(diagnosis.causes) <= {"score-precision", "recall-points"}
        assert diagnosis.strength in ("proved", "consistent")
    (joint,) = document.tools
    assert joint.conventions == {"score_precision": "float64", "recall_points": "round"}
    assert not joint.rest
