"""Everything that notebook S2 prints: the numbers of HF evaluate, from its input, and of its functions."""

import math
from typing import Any

import pytest

import crosscheck
from crosscheck.errors import InputError
from crosscheck.notebooks import s2
from tests.support.rows import claims, is_true
from tests.test_frames import QRELS, RESULTS, TABLE

THREE = {"doc_1": 3, "doc_2": 2, "doc_3": 1}
CASE_1 = ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12"]


def close(value: float) -> object:
    """The notebook takes ``math.log(x, 2)``, trec_eval and this package log2: the last digit may move."""
    return pytest.approx(value, rel=0, abs=2 * math.ulp(value))


def columns(rows: list[tuple[Any, ...]], *names: str) -> dict[str, list[Any]]:
    """A dict of columns, as HF evaluate takes it."""
    more = {"q0": ["q0"] * len(rows)}
    return more | {name: list(held) for name, held in zip(names, zip(*rows, strict=True), strict=True)}


def judged(*grades: int) -> dict[str, list[Any]]:
    return columns([(0, f"doc_{i}", grade) for i, grade in enumerate(grades, 1)], "query", "docid", "rel")


TWO, THIRD = [("doc_2", 0, 1.5, "s"), ("doc_1", 1, 1.2, "s")], [("doc_3", 0, 2, "s2")]


@pytest.mark.parametrize(
    ("grades", "rows", "p", "expected"),
    [
        ((3, 2, 1), TWO, 0.4, 0.8174935137996165),
        ((10, 9, 8), TWO, 0.4, 0.777975983841851),
        ((30, 20, 10), TWO, 0.4, 0.8174935137996167),
        ((3, 2, 1), [("doc_2", 0, 0, "s"), ("doc_1", 1, 1000, "s")], 0.4, 0.8174935137996165),
        ((3, 2, 1), TWO + THIRD, 0.6, 0.9224945116765986),
        ((3, 2, 1), THIRD, 0.2, 0.21000199575396408),
    ],
)
def test_hf_evaluates_input_is_accepted(grades, rows, p, expected):
    """Rows 2 to 7, from the dicts that HF evaluate takes. Its nDCG follows the order of the rows."""
    run = columns([(0, *row) for row in rows], "query", "docid", "rank", "score", "system")
    wanted = crosscheck.evaluate(judged(*grades), run, ["P@5"], mean=True)
    assert wanted == {"P@5": p}
    run["score"] = list(range(len(rows), 0, -1))
    assert crosscheck.evaluate(judged(*grades), run, ["nDCG@5"]) == {"0": {"nDCG@5": close(expected)}}


#: Two frames under the notebook's names. The rank column reverses the order of the rows.
QI = {"QUERY_KEY": [1, 1, 1], "DOC_KEY": ["x", "A", "B"], "RANK": [3, 2, 1], "SCORE": [1, 2, 3]}
JI = {"QUERY_KEY": [1, 1, 1, 1], "DOC_KEY": ["A", "B", "C", "x"], "SCORE": [1, 2, 1, 0]}
WRITTEN = ("QUERY_KEY", "DOC_KEY", "RANK", "QUERY_KEY", "DOC_KEY", "SCORE")
LOG3 = math.log2(3)
ABCDE, LEVELS = list("ABCDE"), {"A": 2, "B": 3, "D": 1, "E": 2}
IDEAL = 2 + 1 / LOG3 + 1 / 2
BY_ROWS, FROM_RANKS = (1 / LOG3 + 2 / 2) / IDEAL, (2 + 1 / LOG3) / IDEAL

FRAMES = pytest.mark.parametrize("library", ["builtins.dict", "pandas.DataFrame"])
KEYS = {"col_resultado_doc_key": "DOC_KEY", "col_qrels_doc_key": "DOC_KEY", "col_qrels_score": "SCORE"}


def framed(library: str, columns: dict[str, list[Any]]) -> Any:
    module, maker = library.split(".")
    return getattr(pytest.importorskip(module), maker)(columns)


@FRAMES
@claims("""
s2.ndcg(tuple(ABCDE), LEVELS, None, False, False) == close(0.8322420383257692)
s2.ndcg(doc_retornados=ABCDE, doc_relevantes=LEVELS, debug=False) == close(0.8322420383257692)
s2.ndcg(CASE_1, THREE, k=5, aproximacao_trec_eval=True) == close(0.8174935137996168)
s2.ndcg(qi["DOC_KEY"], {"A": 1, "B": 2, "C": 1}, 5, False, True) == close(BY_ROWS)
s2.ndcg(qi, ji, "DOC_KEY", "DOC_KEY", "SCORE", 5, False, True) == close(BY_ROWS)
s2.ndcg(resultado_pesquisa=qi, qrels=ji, aproximacao_trec_eval=True, **KEYS) == close(BY_ROWS)
s2.ndcg(resultado_pesquisa=qi, qrels=ji, **KEYS) == close((1 / LOG3 + 3 / 2) / (3 + 1 / LOG3 + 1 / 2))
s2.precisao_recall(qi["DOC_KEY"], ji["DOC_KEY"], 5)[0] == close(0.6)
s2.precisao_recall(docs_retornados=["x", "A"], docs_relevantes=["A", "B"]) == (0.5, 0.5)
s2.precisao_recall(["A"], ["A", "B", "B"]) == (1.0, 1 / 3)
s2.precisao_recall([], ["A"]) == s2.precisao_recall(["A"], ["A"], 0) == (0.0, 0.0)
s2.mrr(docs_retornados=qi["DOC_KEY"], docs_relevantes=["A"], k=5) == close(0.5)
s2.dcg(doc_retornados=ABCDE[:1], doc_relevantes=LEVELS, k=5) == close(3.0)
s2.idcg(doc_retornados=["A"], doc_relevantes=LEVELS, k=1) == close(7.0)
s2.metricas(qi, ji)["MRR@50"][0] == close(1.0)
s2.metricas(qi, ji, *WRITTEN, [5], False, True)["nDCG@5"][0] == close(FROM_RANKS)
s2.metricas(qi, ji, k=[5], aproximacao_trec_eval=True)["nDCG@5"][0] == close(FROM_RANKS)
s2.metricas(resultados=qi, qrels=ji, rank="SCORE", k=[1])["P@1"][0] == close(0.0)
""")
def test_calls_as_written(library, claim):
    """The notebook's order and names of arguments, from dicts and pandas; names of today work as well. The
    rows of ``ndcg`` are in rank order, those of ``metricas`` are ordered by the rank column."""
    assert is_true(claim, {**globals(), "qi": framed(library, QI), "ji": framed(library, JI)})


def test_ndcg_without_a_relevant_document_and_with_a_rank_column():
    """0.0 where the notebook divides by 0. A rank column in the place of another is an error, no number."""
    assert s2.ndcg({"d": ["a"]}, {"d": ["a"], "grade": [0]}, "d", "d", "grade", debug=False) == 0.0
    with pytest.raises(InputError, match="no column 'RANK'"):
        s2.ndcg(QI, JI, "DOC_KEY", "RANK", "SCORE", 5, False, True)
    with pytest.raises(InputError, match="no column 'PLACE'"):
        s2.metricas({**QI, "rank": [1, 2, 3]}, JI, col_resultado_rank="PLACE")
    with pytest.raises(TypeError, match="twice"):
        s2.mrr(retornados=["a"], docs_retornados=["a"], docs_relevantes=["a"])  # type: ignore[call-arg]


@FRAMES
def test_the_table_of_48_numbers(library):
    """``metricas`` under its own name, with its own columns in their order and linear gain."""
    results, qrels = framed(library, RESULTS), framed(library, QRELS)
    found = s2.metricas(results, qrels, aproximacao_trec_eval=True)
    assert list(found) == ["QUERY_KEY", *TABLE]
    assert list(found["QUERY_KEY"]) == [0, 1, 2, 3]
    assert {name: [f"{value:.6g}" for value in found[name]] for name in TABLE} == TABLE


def test_debug_prints_a_line_per_document(capsys):
    """Document, rank and term: of each list for ``dcg``, of list and ideal list for the others."""
    assert s2.dcg(["A", "x"], {"A": 2}) == 3.0
    assert capsys.readouterr().out == "A 1 3.0\nx 2 0.0\n"
    results = {"query": [7, 7], "docid": ["x", "A"], "rank": [2, 1]}
    qrels: dict[str, list[Any]] = {"query": [7, 7], "docid": ["A", "x"], "rel": [1, 0]}
    s2.metricas(results, qrels, k=[2], debug=True)
    assert capsys.readouterr().out == "A 1 1.0\nx 2 0.0\nA 1 1.0\n"
    # Equal levels are in the order in which their documents were first returned.
    s2.idcg(["B", "A", "B"], {"A": 1, "B": 1}, 1)
    assert capsys.readouterr().out == "B 1 1.0\n"
    s2.ndcg(["x", "A"], {"A": 2}, 1)
    assert capsys.readouterr().out == "x 1 0.0\nA 1 3.0\n"
    s2.ndcg({"d": ["A"]}, {"d": ["A"], "grade": [1]}, "d", "d", "grade")
    assert capsys.readouterr().out == "A 1 1.0\n" * 2
    assert s2.ndcg(["A"], {"A": 1}, debug=False) == s2.metricas(results, qrels)["P@5"][0] * 5 == 1.0
    assert capsys.readouterr().out == ""


def test_what_is_refused():
    """Frames with a document twice, and gains that no double holds (the notebook: OverflowError)."""
    qrels: dict[str, list[Any]] = {"query": [1], "docid": ["a"], "rel": [1]}
    with pytest.raises(InputError, match="occurs twice"):
        s2.metricas({"query": [1, 1], "docid": ["a", "a"], "rank": [1, 2]}, qrels)
    with pytest.raises(InputError, match="too large for nDCG@5"):
        s2.metricas({"query": [1], "docid": ["a"], "rank": [1]}, qrels | {"rel": [1024]})
