"""A query's value depends on the other queries that are evaluated with it."""

from __future__ import annotations

from crosscheck.diagnosis.base import Cause

__all__ = ["CAUSE"]

CAUSE = Cause(
    label="cross-query-leak",
    axis=None,
    priority=22,
    summary="a query's value depends on which other queries are evaluated with it",
    prose="""\
A query evaluated alone and the same query evaluated together with others must have the same value. Where a
backend's mean over all queries is not the mean of its values query by query (nor that sum over any other
number of queries), data leaks from one query into another. trectools 0.0.50 does this in Rprec under
pandas 3: it joins on the docno alone, so a document relevant for one query counts for all.

    qrels: 1 0 a 1          run: 1 Q0 a 1 2.0 tag      2 Q0 a 1 2.0 tag
           2 0 b 1               1 Q0 b 2 1.0 tag      2 Q0 b 2 1.0 tag

Rprec is 1.0 for query 1 and 0.0 for query 2, mean 0.5; the leak makes the mean 1.0. In ranx a query without
relevant documents makes bpref divide by zero, which ends the loop: the queries behind it count 0.
Way out: none but a fixed version of the tool.""",
    needs="queries that share documents, or without relevant ones",
)
