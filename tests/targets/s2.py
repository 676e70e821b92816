"""S2, a notebook that sets its own data-frame measures beside those of HF evaluate's ``trec_eval``.

Its names are Portuguese. It orders a ranking by the rank column and never looks at scores, its gain is
2^grade - 1 unless told otherwise, the ideal list is made of all judged documents, precision divides by k,
and :func:`metricas` has a row for every query with a grade above 0. Nothing guards an ideal DCG of 0.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

__all__ = ["dcg", "idcg", "metricas", "mrr", "ndcg", "precisao_recall"]


def precisao_recall(
    retornados: Sequence[str], relevantes: Collection[str], k: int | None = None
) -> tuple[float, float]:
    """Precision and recall of the first ``k``, of all without k; a document that stands twice counts once."""
    if k is None:
        k = len(retornados)
    acertos = len(set(retornados[:k]) & set(relevantes))
    return acertos / max(k, 1), acertos / len(relevantes)


def mrr(retornados: Sequence[str], relevantes: Collection[str], k: int | None = None) -> float:
    """1 / rank of the first relevant document; 0.0 where none is in the first ``k``."""
    for posicao, documento in enumerate(retornados[:k], start=1):
        if documento in relevantes:
            return 1 / posicao
    return 0.0


def dcg(
    documentos: Sequence[str],
    relevancias: Mapping[str, int],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """Sum over the first ``k`` of gain / log2(rank + 1), with a line for each document under ``debug``."""
    soma = 0.0
    for posicao, documento in enumerate(documentos[:k], start=1):
        relevancia = relevancias.get(documento, 0)
        ganho = relevancia if aproximacao_trec_eval else 2**relevancia - 1
        termo = ganho / math.log(posicao + 1, 2)
        if debug:
            print(documento, posicao, termo)
        soma += termo
    return soma


def idcg(
    documentos: Sequence[str],
    relevancias: Mapping[str, int],
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """:func:`dcg` of all judged documents, highest grade first, equal ones as they were returned."""
    lugar = {documento: i for i, documento in reversed([*enumerate(documentos)])}
    ideal = sorted(relevancias, key=lambda d: (-relevancias[d], lugar.get(d, len(documentos))))
    return dcg(ideal, relevancias, k, debug, aproximacao_trec_eval)


def ndcg(
    resultados: Any,
    qrels: Any,
    coluna_documento: str = "docid",
    coluna_posicao: str = "rank",
    coluna_relevancia: str = "rel",
    k: int | None = None,
    debug: bool = True,
    aproximacao_trec_eval: bool = False,
) -> float:
    """nDCG of one query, from a data frame of its results and one of its judgements."""
    documentos = list(resultados.sort_values(coluna_posicao, kind="stable")[coluna_documento])
    relevancias = dict(zip(qrels[coluna_documento], qrels[coluna_relevancia], strict=True))
    ideal = idcg(documentos, relevancias, k, debug, aproximacao_trec_eval)
    return dcg(documentos, relevancias, k, debug, aproximacao_trec_eval) / ideal


def metricas(
    resultados: Any,
    qrels: Any,
    coluna_consulta_resultados: str = "query",
    coluna_documento_resultados: str = "docid",
    coluna_posicao_resultados: str = "rank",
    coluna_consulta_qrels: str = "query",
    coluna_documento_qrels: str = "docid",
    coluna_relevancia_qrels: str = "rel",
    k: Sequence[int] = [5, 10, 50],
    debug: bool = False,
    aproximacao_trec_eval: bool = False,
) -> Any:
    """One row per query that has a grade above 0: ``QUERY_KEY``, P@k for every k, then R@k, MRR@k and nDCG@k.

    Queries that only the results have are ignored; a query without results has 0 everywhere.
    """
    import pandas as pd

    qrels = qrels[qrels[coluna_relevancia_qrels] > 0]
    linhas = []
    for consulta in qrels[coluna_consulta_qrels].unique():
        julgados = qrels[qrels[coluna_consulta_qrels] == consulta]
        retornados = resultados[resultados[coluna_consulta_resultados] == consulta]
        retornados = retornados.sort_values(coluna_posicao_resultados, kind="stable")
        documentos = retornados[coluna_documento_resultados].tolist()
        relevantes = julgados[coluna_documento_qrels].tolist()
        linha = {"QUERY_KEY": consulta}
        linha |= {f"P@{kk}": precisao_recall(documentos, relevantes, kk)[0] for kk in k}
        linha |= {f"R@{kk}": precisao_recall(documentos, relevantes, kk)[1] for kk in k}
        linha |= {f"MRR@{kk}": mrr(documentos, relevantes, kk) for kk in k}
        colunas = (coluna_documento_resultados, coluna_posicao_resultados, coluna_relevancia_qrels)
        julgados = julgados.rename(columns={coluna_documento_qrels: coluna_documento_resultados})
        for kk in k:
            linha[f"nDCG@{kk}"] = ndcg(retornados, julgados, *colunas, kk, debug, aproximacao_trec_eval)
        linhas.append(linha)
    return pd.DataFrame(linhas)
