"""A notebook over lists of ids and data frames; its names are Portuguese.

Results are ordered by the rank column; precision divides by k; the gain is 2^level - 1, or the level itself
with ``aproximacao_trec_eval``. In :func:`metricas` judged queries without results count as 0, and queries
without a level above 0 have no row. ``debug`` prints a line per document of a DCG: document, rank, term.
A document that stands twice in a list counts once in precision and recall, twice in DCG; data frames with
such a document are refused, because both cannot be meant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from crosscheck.conventions import Conventions
from crosscheck.frames import BY_RANK, QrelsColumns, ResultColumns, evaluate_frames
from crosscheck.frames.tables import Table, like, whole
from crosscheck.vectors import reciprocal_rank, relevance_vector
from crosscheck.vectors._engine import measured

__all__ = ["dcg", "idcg", "metricas", "mrr", "ndcg", "precisao_recall"]

Frame = TypeVar("Frame")
_Id = TypeVar("_Id", bound=Hashable)


def _rules(aproximacao_trec_eval: bool) -> Conventions:
    return BY_RANK.with_changes(gain="linear") if aproximacao_trec_eval else BY_RANK


def precisao_recall(
    retornados: Sequence[_Id], relevantes: Iterable[_Id], k: int | None = None
) -> tuple[float, float]:
    """Precision and recall of the first k documents, or of all returned documents if k is None.

    >>> precisao_recall(["doc_2", "doc_1", "x"], ["doc_1", "doc_2", "doc_3"], 5)
    (0.4, 0.6666666666666666)
    """
    cutoff = len(retornados) if k is None else k
    expected = frozenset(relevantes)
    levels = [int(docno in expected) for docno in dict.fromkeys(retornados[:cutoff])]
    precision = measured("P", [levels], max(cutoff, 1))[0]
    return precision, measured("R", [levels], relevant=[len(expected)])[0]


def mrr(retornados: Sequence[_Id], relevantes: Iterable[_Id], k: int | None = None) -> float:
    """1 / rank of the first relevant document among the first k; 0.0 without one.

    >>> mrr(["x", "doc_1"], ["doc_1"])
    0.5
    """
    return reciprocal_rank(relevance_vector(retornados[:k], dict.fromkeys(relevantes, 1)))


def dcg(
    docs: Sequence[_Id],
    relevancias: Mapping[_Id, float],
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
    levels = relevance_vector(docs[:k], relevancias)
    gain = _rules(aproximacao_trec_eval).plain("gain")
    if debug:
        alone = ([0] * place + [level] for place, level in enumerate(levels))
        for rank, term in enumerate(measured("DCG", alone, gain=gain), 1):
            print(docs[rank - 1], rank, term)  # noqa: T201 - that is what debug is for
    return measured("DCG", [levels], gain=gain)[0]


def idcg(
    docs: Sequence[_Id],
    relevancias: Mapping[_Id, float],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """DCG of the ideal list: all documents with a level, highest first, equal levels in ``docs`` order.

    >>> idcg(["A", "B"], {"A": 2, "B": 3}, debug=False)
    8.892789260714373
    """
    place = {docno: rank for rank, docno in reversed([*enumerate(docs)])}
    ideal = sorted(relevancias, key=lambda docno: (-relevancias[docno], place.get(docno, len(docs))))
    return dcg(ideal, relevancias, k, debug, aproximacao_trec_eval)


def ndcg(
    resultados: object,
    qrels: object,
    docid: str = "docid",
    rank: str = "rank",
    rel: str = "rel",
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """nDCG of the results of one query, in the order of the rank column; 0.0 without a level above 0.

    >>> ndcg({"docid": ["B", "A"], "rank": [2, 1]}, {"docid": ["A", "B"], "rel": [1, 1]}, debug=False)
    1.0
    """
    run, judged = Table(resultados, "results frame"), Table(qrels, "qrels frame")
    places = run.cells(rank, whole, "a rank: a whole number")
    docs = [docno for _, docno in sorted(zip(places, run.column(docid), strict=True), key=lambda row: row[0])]
    levels = judged.cells(rel, whole, "a relevance level: a whole number")
    relevancias = dict(zip(judged.column(docid), levels, strict=True))
    if debug:
        dcg(docs, relevancias, k, True, aproximacao_trec_eval)
        idcg(docs, relevancias, k, True, aproximacao_trec_eval)
    found, gain = relevance_vector(docs, relevancias), _rules(aproximacao_trec_eval).plain("gain")
    return measured("nDCG", [found], k, judged=[levels], gain=gain)[0]


def metricas(
    resultados: Frame,
    qrels: object,
    query: str = "query",
    docid: str = "docid",
    rank: str = "rank",
    qrels_query: str = "query",
    qrels_docid: str = "docid",
    rel: str = "rel",
    k: Sequence[int] = (5, 10, 50),
    debug: bool = False,
    aproximacao_trec_eval: bool = False,
) -> Frame:
    """One row per query of the qrels: ``QUERY_KEY``, then P@k for every k, R@k, MRR@k and nDCG@k.

    Args:
        resultados, qrels: frames as :func:`crosscheck.frames.evaluate_frames` takes them.
        query, docid, rank: columns of the results; qrels_query, qrels_docid, rel: of the qrels.
        debug: print the DCG of each query and that of its ideal list, at every k.

    Raises:
        InputError: as :func:`crosscheck.frames.evaluate_frames`.
    """
    found = evaluate_frames(
        resultados,
        qrels,
        k,
        conventions=_rules(aproximacao_trec_eval),
        result_columns=ResultColumns(query, docid, rank),
        qrels_columns=QrelsColumns(qrels_query, qrels_docid, rel),
    ).per_query
    table = Table(found, "results")
    rows = {"QUERY_KEY" if name == query else name: table.column(name) for name in table.names}
    if debug:
        run = _by_query(Table(resultados, "results frame"), query, docid, rank)
        judged = _by_query(Table(qrels, "qrels frame"), qrels_query, qrels_docid, rel)
        for name in rows["QUERY_KEY"]:
            docs, ranks = run[name]
            known, levels = judged[name]
            for cutoff in k:
                ndcg(
                    {"docid": docs, "rank": ranks},
                    {"docid": known, "rel": levels},
                    k=cutoff,
                    aproximacao_trec_eval=aproximacao_trec_eval,
                )
    return like(resultados, rows)


def _by_query(table: Table, query: str, docid: str, number: str) -> Mapping[Any, tuple[list[Any], list[Any]]]:
    """Query -> its documents, and for each of them the cell in the column ``number``."""
    found: defaultdict[Any, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for name, docno, cell in zip(table.column(query), table.column(docid), table.column(number), strict=True):
        found[name][0].append(docno)
        found[name][1].append(cell)
    return found
