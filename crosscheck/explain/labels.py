"""Causes of differences between implementations: the axes, and the labels without an axis.

Every ``Label`` in capitals in this file is a label without an axis; there is no other list of these labels.
"""

from functools import cache

from crosscheck.axes import likeliest
from crosscheck.axes.base import Label

CROSS_QUERY_LEAK = Label(
    label="cross-query-leak",
    priority=22,
    summary="a query's value depends on which other queries are evaluated with it",
    prose="""\
A query evaluated alone and the same query evaluated together with others must have the same value. An audit
tests both. If a backend computes query by query and its mean is not the mean of its values (nor their sum
over any other number of queries), data leaks from one query into another. trectools 0.0.50 does this in Rprec
under pandas 3: it joins on the docno alone, so a document relevant for one query counts for all.""",
    qrels=("1 0 a 1", "2 0 b 1"),
    run=("1 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag", "2 Q0 a 1 2.0 tag", "2 Q0 b 2 1.0 tag"),
    run_shown=("1 Q0 a 1 2.0 tag      2 Q0 a 1 2.0 tag", "1 Q0 b 2 1.0 tag      2 Q0 b 2 1.0 tag"),
    means=(("Rprec", "", 0.5),),
    says=(
        "Rprec is 1.0 for query 1 and 0.0 for query 2, mean {}; the leak makes the mean 1.0. In ranx a "
        "query without\nrelevant documents makes bpref divide by zero, which ends the loop: the queries "
        "after it count 0."
    ),
    way_out="use a fixed version of the tool.",
    needs="queries that share documents, or without relevant ones",
)

UNEXPLAINED = Label(
    label="unexplained",
    priority=99,
    summary="no convention that crosscheck knows gives this value, so suspect a bug",
    prose="""\
crosscheck recomputed the measure under every set of up to four conventions that can matter on this input (two
where there is only a mean), and under the orders of tied documents, and none gave the candidate's value. That
is rare for a convention and usual for a bug: suspect the implementation, the input it was given, or a
convention that crosscheck does not know yet. Where documents are tied in more orders than can be tried, or
these give nearly every value, the report says "ties present": their order may be the reason.""",
    means=(("RR", "", 1.0),),
    says="RR = {}; a tool that says 0.4 follows no known rule.",
    way_out="look at the queries listed, smallest ranking first.",
)

REFUSES_INPUT = Label(
    label="refuses-input",
    priority=90,
    summary="it fails, or gives no value, on ordinary input",
    prose="""\
A metric may refuse what trec_eval refuses, and inputs out of the ordinary: empty lists, scores that are not
finite, levels beyond 0 to 4. A query that is judged, has something relevant and a list of one document or
more is ordinary. Where trec_eval has a value for it and the metric raises or returns nothing, its means are
over other queries.""",
    means=(("nDCG", "", 1.0),),
    says="nDCG = {}; scikit-learn's ndcg_score raises on a list of a single document.",
    way_out="handle such lists, or say which queries are left out.",
)

NOT_REPEATABLE = Label(
    label="not-repeatable",
    priority=91,
    summary="the same input gives different values",
    prose="""\
An audit asks a function for the same inputs twice, the second time in a new process and in the opposite
order, and it then fills the lists and dicts of one call again for the next; a method is also asked again and
again on one object. If a query without tied scores gets another value, or none, the function draws random
numbers or keeps something of earlier calls, such as values under the ids of queries or under id() of an
argument. Nothing else can then be said of its values.""",
    means=(("P@1", "", 1.0),),
    says="P@1 = {}; a function that keeps values by query id says 0 if another input had a query 1.",
    way_out="keep nothing between calls, and fix the seed of random numbers.",
)

CHANGES_INPUT = Label(
    label="changes-input",
    priority=92,
    summary="it changes what it is given",
    prose="""\
A function that empties or reorders the lists, dicts or data frames that it is given may have the right value
itself. Whatever is computed from them afterwards, such as the next measure, has not.""",
    qrels=("1 0 a 1", "1 0 b 0"),
    run=("1 Q0 b 1 2.0 tag", "1 Q0 a 2 1.0 tag"),
    means=(("RR", "", 0.5),),
    says="RR = {}; after list.pop(0) until something is relevant, RR of the same list is 1.",
    way_out="work on copies.",
)


@cache
def causes() -> dict[str, Label]:
    """Label -> cause, for all causes, likeliest first."""
    every = [*likeliest(), *(value for value in globals().values() if isinstance(value, Label))]
    return {cause.label: cause for cause in sorted(every, key=lambda cause: (cause.priority, cause.label))}
