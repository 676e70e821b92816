"""The meaning of each parameter of a measure in a sentence; ``crosscheck explain`` prints it."""

from __future__ import annotations

from crosscheck.measures.base import Family

_TEXTS = {
    "k": "cutoff: only the first k documents of a ranking count",
    "rel": "lowest relevance level that counts as relevant",
    "judged_only": "unjudged documents are taken out of the ranking first, and the others move up",
    "gains": (
        "gain of each relevance level, as {1:3,2:9}; a level that is not named gains itself. They stand in"
        " place of the axis gain, so gain=exponential and the like change nothing beside them. As in"
        " trec_eval, gains less than 1 apart count as equal when the ideal list is made, which is wrong or"
        " empty then: give whole numbers"
    ),
    "dcg": "log2: gains are divided by log2(rank + 1); exp-log2: the gain is 2^level - 1 as well",
    "min_rel": "level that gains 0; max_rel is the one that gains most",
    "max_rel": "highest level of the scale, which gains most",
    "T": "how much relevance the user wants to find",
    "p": "persistence: how likely the user goes on to the next document",
    "normalize": "the value is divided by the highest one possible",
    "points": "levels of recall at which precision is read",
    "recall": "level of recall at which precision is read",
    "alpha": "how much a document loses by each one above it that says the same; 0: nothing",
    "beta": "how likely the user goes on to the next document",
    "multiple": "precision is read at this multiple of R, the number of relevant documents",
    "relative": "the divisor is the smaller of R and the number retrieved",
    "coefficients": "weights of relevant and of nonrelevant documents retrieved, of relevant ones missed, and"
    " of all others",
    "N": "documents in the collection",
}
#: Texts of parameters that have another meaning in one family.
_OF_FAMILY = {("SetF", "beta"): "weight of recall against precision; above 1 recall counts more"}


def parameter_texts(family: Family) -> dict[str, str]:
    """The parameters of a family of measures, in the order in which they are written, with their texts."""
    names = [*(["k"] if family.cutoff != "none" else []), *(["rel"] if family.rel else []), *family.params]
    return {name: _OF_FAMILY.get((family.name, name), _TEXTS[name]) for name in names}
