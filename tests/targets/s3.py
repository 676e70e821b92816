"""S3, a notebook of short formulas over the levels of one list in rank order; some names are Spanish.

Where it leaves trec_eval: DCG divides by the natural logarithm of the rank from rank 2 on, and the ideal
list holds the highest level of the scale at every position.
"""

from __future__ import annotations

import math
from typing import Any


def precision(recuperados: set[str], relevantes: set[str]) -> float:
    """Share of the retrieved documents that are relevant."""
    return len(recuperados & relevantes) / len(recuperados)


def recall(recuperados: set[str], relevantes: set[str]) -> float:
    """Share of the relevant documents that were retrieved."""
    return len(recuperados & relevantes) / len(relevantes)


def average_precision(ranked_list: Any, total_relevant_doc: Any) -> float:
    """Sum of the precision at each rank whose level is not 0, over ``total_relevant_doc``."""
    encontrados, suma = 0, 0.0
    for posicion, relevancia in enumerate(ranked_list, start=1):
        if relevancia != 0:
            encontrados += 1
            suma += encontrados / posicion
    return suma / total_relevant_doc


def dcg(ranked_list: Any, max_relevance: int = 3) -> float:
    """The first level undiscounted, then the sum over ranks i of level / ln(i)."""
    suma = 0.0
    for posicion, relevancia in enumerate(ranked_list, start=1):
        suma += relevancia if posicion == 1 else relevancia / math.log(posicion)
    return suma


def ndcg(ranked_list: Any, max_relevance: int = 3) -> float:
    """:func:`dcg` over that of a list of the same length that holds ``max_relevance`` everywhere."""
    return dcg(ranked_list) / dcg([max_relevance] * len(ranked_list))
