"""A notebook over lists of ids and data frames; its names are Portuguese.

Precision divides by k; the gain is 2^level - 1, or the level itself with ``aproximacao_trec_eval``. Lists,
and the rows that :func:`ndcg` takes, are in rank order. :func:`metricas` sorts by the rank column; in its
table, judged queries without results have the value 0, and queries without a level above 0 have no row.
``debug`` prints a line per document of a DCG: document, rank, term. A document that occurs twice in a list is
counted once in precision and recall, but twice in DCG. In :func:`metricas` it is an error, because these two
rules contradict each other.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

from crosscheck.conventions import Conventions
from crosscheck.frames import BY_RANK, FrameTable, QrelsColumns, ResultColumns, evaluate_frames, like, whole
from crosscheck.notebooks import also_named
from crosscheck.vectors import measured, reciprocal_rank, relevance_vector

__all__ = ["dcg", "idcg", "metricas", "mrr", "ndcg", "precisao_recall"]

Frame = TypeVar("Frame")
_Id = TypeVar("_Id", bound=Hashable)

#: The notebook's name of a column -> the name in ``evaluate_frames``.
_OURS = {"QUERY_KEY": "query", "DOC_KEY": "docid", "RANK": "rank", "SCORE": "rel"}
_LEVEL = "a relevance level: a whole number"


def _rules(aproximacao_trec_eval: bool) -> Conventions:
    return BY_RANK.with_changes(gain="linear") if aproximacao_trec_eval else BY_RANK


@also_named(retornados="docs_retornados", relevantes="docs_relevantes")
def precisao_recall(
    docs_retornados: Iterable[_Id], docs_relevantes: Iterable[_Id], k: int | None = None
) -> tuple[float, float]:
    """Precision and recall of the first k documents, or of all returned documents if k is None.

    >>> precisao_recall(["doc_2", "doc_1", "x"], ["doc_1", "doc_2", "doc_3"], 5)
    (0.4, 0.6666666666666666)
    """
    docs, relevant = list(docs_retornados), list(docs_relevantes)
    cutoff = len(docs) if k is None else k
    expected = frozenset(relevant)
    levels = [int(docno in expected) for docno in dict.fromkeys(docs[:cutoff])]
    return measured("P", [levels], max(cutoff, 1))[0], measured("R", [levels], relevant=[len(relevant)])[0]


@also_named(retornados="docs_retornados", relevantes="docs_relevantes")
def mrr(docs_retornados: Iterable[_Id], docs_relevantes: Iterable[_Id], k: int | None = None) -> float:
    """1 / rank of the first relevant document among the first k; 0.0 without one.

    >>> mrr(["x", "doc_1"], ["doc_1"])
    0.5
    """
    return reciprocal_rank(relevance_vector(list(docs_retornados)[:k], dict.fromkeys(docs_relevantes, 1)))


@also_named(docs="doc_retornados", relevancias="doc_relevantes")
def dcg(
    doc_retornados: Iterable[_Id],
    doc_relevantes: Mapping[_Id, float],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """Sum of gain / log2(rank + 1) over the first k; a document without a level gains nothing.

    >>> dcg(["A", "B"], {"A": 2, "B": 3})
    A 1 3.0
    B 2 4.4165082750002025
    7.4165082750002025
    """
    docs = list(doc_retornados)[:k]
    levels = relevance_vector(docs, doc_relevantes)
    gain = _rules(aproximacao_trec_eval).plain("gain")
    if debug:
        alone = [[0] * place + [level] for place, level in enumerate(levels)]
        terms = measured("DCG", alone, gain=gain)
        for rank, (docno, term) in enumerate(zip(docs, terms, strict=True), 1):
            print(docno, rank, term)  # noqa: T201 - that is what debug is for
    return measured("DCG", [levels], gain=gain)[0]


@also_named(docs="doc_retornados", relevancias="doc_relevantes")
def idcg(
    doc_retornados: Iterable[_Id],
    doc_relevantes: Mapping[_Id, float],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """DCG of the ideal list: all documents with a level, highest first, equal levels as they were returned.

    >>> idcg(["A", "B"], {"A": 2, "B": 3}, debug=False)
    8.892789260714373
    """
    docs = list(doc_retornados)
    place = {docno: rank for rank, docno in reversed([*enumerate(docs)])}
    ideal = sorted(doc_relevantes, key=lambda docno: (-doc_relevantes[docno], place.get(docno, len(docs))))
    return dcg(ideal, doc_relevantes, k, debug, aproximacao_trec_eval)


def _ndcg_of_lists(
    doc_retornados: Iterable[_Id],
    doc_relevantes: Mapping[_Id, float],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    docs = list(doc_retornados)
    for printed in (dcg, idcg) if debug else ():
        printed(docs, doc_relevantes, k, True, aproximacao_trec_eval)
    levels, judged = relevance_vector(docs, doc_relevantes), list(doc_relevantes.values())
    return measured("nDCG", [levels], k, judged=[judged], gain=_rules(aproximacao_trec_eval).plain("gain"))[0]


@also_named(resultados="resultado_pesquisa", rel="col_qrels_score")
def _ndcg_of_frames(
    resultado_pesquisa: object,
    qrels: object,
    col_resultado_doc_key: str,
    col_qrels_doc_key: str,
    col_qrels_score: str,
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    docs = FrameTable(resultado_pesquisa, "results frame").column(col_resultado_doc_key)
    judged = FrameTable(qrels, "qrels frame")
    levels = judged.cells(col_qrels_score, whole, _LEVEL)
    grades = dict(zip(judged.column(col_qrels_doc_key), levels, strict=True))
    return _ndcg_of_lists(docs, grades, k, debug, aproximacao_trec_eval)


@wraps(_ndcg_of_frames)
def ndcg(*args: Any, **kwargs: Any) -> float:
    """nDCG of one query; 0.0 if no level is above 0. The notebook has two functions of this name.

    If the first argument is a list of ids (or a column of a frame), the second argument maps each judged id
    to its level. If the first argument is a frame with rows in rank order, the second argument is a frame of
    the query's qrels.

    >>> ndcg(["A", "B"], {"A": 1, "B": 1}, debug=False)
    1.0
    >>> frames = {"DOC_KEY": ["A", "B"]}, {"DOC_KEY": ["B", "A"], "SCORE": [1, 1]}
    >>> ndcg(*frames, "DOC_KEY", "DOC_KEY", "SCORE", debug=False)
    1.0
    """
    first = args[0] if args else None
    column = len(getattr(first, "shape", ())) == 1
    of_lists = isinstance(first, Sequence) or column or "doc_retornados" in kwargs
    return _ndcg_of_lists(*args, **kwargs) if of_lists else _ndcg_of_frames(*args, **kwargs)


@also_named(
    resultados="resultado_pesquisa",
    query="col_resultado_query_key",
    docid="col_resultado_doc_key",
    rank="col_resultado_rank",
    qrels_query="col_qrels_query_key",
    qrels_docid="col_qrels_doc_key",
    rel="col_qrels_score",
)
def metricas(
    resultado_pesquisa: Frame,
    qrels: object,
    col_resultado_query_key: str = "QUERY_KEY",
    col_resultado_doc_key: str = "DOC_KEY",
    col_resultado_rank: str = "RANK",
    col_qrels_query_key: str = "QUERY_KEY",
    col_qrels_doc_key: str = "DOC_KEY",
    col_qrels_score: str = "SCORE",
    k: Sequence[int] = [5, 10, 50],
    debug: bool = False,
    aproximacao_trec_eval: bool = False,
) -> Frame:
    """One row per query of the qrels: ``QUERY_KEY``, then P@k for every k, R@k, MRR@k and nDCG@k.

    Args:
        resultado_pesquisa, qrels: frames as :func:`crosscheck.frames.evaluate_frames` takes them. If a frame
            lacks a column with the default name, the column with the name that ``evaluate_frames`` uses is
            read: ``query``, ``docid``, ``rank``, ``rel``.
        debug: print the DCG of each query and of its ideal list, at every k.

    Raises:
        InputError: as by :func:`crosscheck.frames.evaluate_frames`.
    """
    run, judged = FrameTable(resultado_pesquisa, "results frame"), FrameTable(qrels, "qrels frame")
    names = _columns(run, col_resultado_query_key, col_resultado_doc_key, RANK=col_resultado_rank)
    names_of_qrels = _columns(judged, col_qrels_query_key, col_qrels_doc_key, SCORE=col_qrels_score)
    of_run, of_qrels = ResultColumns(*names), QrelsColumns(*names_of_qrels)
    rules = _rules(aproximacao_trec_eval)
    found = evaluate_frames(
        resultado_pesquisa, qrels, k, conventions=rules, result_columns=of_run, qrels_columns=of_qrels
    )
    table = FrameTable(found.per_query, "results")
    rows = {"QUERY_KEY" if name == of_run.query else name: table.column(name) for name in table.names}
    if debug:
        places = _by_query(run, of_run.query, of_run.docid, run.cells(of_run.rank, whole, "a rank"))
        levels = _by_query(judged, of_qrels.query, of_qrels.docid, judged.cells(of_qrels.rel, whole, _LEVEL))
        for query in rows["QUERY_KEY"]:
            docs = sorted(places[query], key=places[query].__getitem__)
            grades = {docno: level for docno, level in levels[query].items() if level > 0}
            for cutoff in k:
                _ndcg_of_lists(docs, grades, cutoff, True, aproximacao_trec_eval)
    return like(resultado_pesquisa, rows)


def _columns(table: FrameTable, query: str, docid: str, **third: str) -> Iterator[str]:
    """The columns to read: those that were asked for, the third one by its default name in the notebook. If
    a name is the default and the frame has only the column of ``evaluate_frames``, that is read."""
    for default, name in {"QUERY_KEY": query, "DOC_KEY": docid, **third}.items():
        lacks = name == default and default not in table.names and _OURS[default] in table.names
        yield _OURS[default] if lacks else name


def _by_query(table: FrameTable, query: str, docid: str, numbers: list[Any]) -> dict[Any, dict[Any, Any]]:
    """Query -> its documents, each with its number."""
    held: defaultdict[Any, dict[Any, Any]] = defaultdict(dict)
    for name, docno, number in zip(table.column(query), table.column(docid), numbers, strict=True):
        held[name][docno] = number
    return held
