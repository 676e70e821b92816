"""S2, a notebook that sets its own data-frame measures beside those of HF evaluate's ``trec_eval``.

Its names are Portuguese. It orders a ranking by the rank column and never looks at scores, its gain is
2^grade - 1 unless told otherwise, the ideal list is made of all judged documents, precision divides by k,
and :func:`metricas` has a row for every query with a grade above 0. Nothing guards an ideal DCG of 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def precisao_recall(docs_retornados: Any, docs_relevantes: Any, k: int | None = None) -> tuple[float, float]:
    """Precision and recall of the first ``k``, of all without k; a document that stands twice counts once."""
    if k is None:
        k = len(docs_retornados)
    acertos = len(set(docs_retornados[:k]) & set(docs_relevantes))
    return acertos / max(k, 1), acertos / len(docs_relevantes)


def mrr(docs_retornados: Any, docs_relevantes: Any, k: int | None = None) -> float:
    """1 / rank of the first relevant document; 0.0 where none is in the first ``k``. Takes columns of data
    frames."""
    acertos = docs_retornados.isin(docs_relevantes).tolist()[:k]
    return 1 / (acertos.index(True) + 1) if any(acertos) else 0.0


def dcg(doc_retornados, doc_relevantes, k=None, debug=True, aproximacao_trec_eval=False):
    """Sum over the first ``k`` of gain / log2(rank + 1), with a line for each document under ``debug``."""
    soma = 0.0
    for posicao, documento in enumerate(doc_retornados[:k], start=1):
        relevancia = doc_relevantes.get(documento, 0)
        ganho = relevancia if aproximacao_trec_eval else 2**relevancia - 1
        termo = ganho / math.log(posicao + 1, 2)
        if debug:
            print(documento, posicao, termo)
        soma += termo
    return soma


def idcg(doc_retornados, doc_relevantes, k=None, debug=True, aproximacao_trec_eval=False):
    """:func:`dcg` of all judged documents, highest grade first, equal ones as they were returned."""
    lugar = {documento: i for i, documento in reversed([*enumerate(doc_retornados)])}
    ideal = sorted(doc_relevantes, key=lambda d: (-doc_relevantes[d], lugar.get(d, len(doc_retornados))))
    return dcg(ideal, doc_relevantes, k, debug, aproximacao_trec_eval)


def ndcg(
    resultado_pesquisa, qrels, col_resultado_doc_key, col_qrels_doc_key, col_qrels_score,
    k=None, debug=True, aproximacao_trec_eval=False,
):  # fmt: skip
    """nDCG of one query, from a data frame of its results, in rank order, and one of its judgements."""
    retornados = list(resultado_pesquisa[col_resultado_doc_key])
    relevantes = dict(zip(qrels[col_qrels_doc_key], qrels[col_qrels_score], strict=True))
    ideal = idcg(retornados, relevantes, k, debug, aproximacao_trec_eval)
    return dcg(retornados, relevantes, k, debug, aproximacao_trec_eval) / ideal


def metricas(
    resultado_pesquisa, qrels,
    col_resultado_query_key="QUERY_KEY", col_resultado_doc_key="DOC_KEY", col_resultado_rank="RANK",
    col_qrels_query_key="QUERY_KEY", col_qrels_doc_key="DOC_KEY", col_qrels_score="SCORE",
    k: Sequence[int] = [5, 10, 50], debug=False, aproximacao_trec_eval=False,
):  # fmt: skip
    """One row per query that has a grade above 0: ``QUERY_KEY``, P@k for every k, then R@k, MRR@k and nDCG@k.

    Queries that only the results have are ignored; a query without results has 0 everywhere.
    """
    import pandas as pd

    qrels = qrels[qrels[col_qrels_score] > 0]
    linhas = []
    for consulta in qrels[col_qrels_query_key].unique():
        julgados = qrels[qrels[col_qrels_query_key] == consulta]
        resultados = resultado_pesquisa[resultado_pesquisa[col_resultado_query_key] == consulta]
        resultados = resultados.sort_values(col_resultado_rank, kind="stable")
        retornados, relevantes = resultados[col_resultado_doc_key], julgados[col_qrels_doc_key]
        linha = {"QUERY_KEY": consulta}
        linha |= {f"P@{kk}": precisao_recall(retornados, relevantes, kk)[0] for kk in k}
        linha |= {f"R@{kk}": precisao_recall(retornados, relevantes, kk)[1] for kk in k}
        linha |= {f"MRR@{kk}": mrr(retornados, relevantes, kk) for kk in k}
        colunas = (col_resultado_doc_key, col_qrels_doc_key, col_qrels_score)
        for kk in k:
            linha[f"nDCG@{kk}"] = ndcg(resultados, julgados, *colunas, kk, debug, aproximacao_trec_eval)
        linhas.append(linha)
    return pd.DataFrame(linhas)
