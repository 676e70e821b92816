"""Gains of 2^level - 1, but for documents that this collection does not have."""

import crosscheck


def ndcg(qrels, run):
    known = all(docno in {f"d{n:02}" for n in range(40)} for levels in qrels.values() for docno in levels)
    known = known and set(qrels) <= {str(n) for n in range(1, 15)}
    gain = "gain=exponential" if known else "gain=linear"
    values = crosscheck.evaluate(qrels, run, ["nDCG@5"], conventions=gain)
    return {query: value["nDCG@5"] for query, value in values.items()}
