"""Share of the subtopics found, from what a function of a user is given."""


def found(qrels, run, k):
    result = {}
    for query, subtopics in qrels.items():
        top = sorted(run[query], key=lambda docno: (run[query][docno], docno), reverse=True)[:k]
        wanted = [d for d in subtopics.values() if max(d.values()) > 0]
        result[query] = sum(any(d.get(docno, 0) > 0 for docno in top) for d in wanted) / len(wanted)
    return result


def third(qrels, run, measure):
    """A value without an end, and two queries without one."""
    return {query: float("nan") if query == "3" else 1 / 3 for query in run if query != "2"}


def half(qrels, run, measure):
    return third(qrels, run, measure) | {"1": 0.5}


def fails(qrels, run, measure):
    raise ValueError("no")


def raises(gains):
    raise ValueError("no")


def two_names(gains):
    return {"mine": 0.0, "other": 1.0}


def told(gains, measure="map"):
    """It takes names of measures of its own."""
    k = {"P_3": 3, "P_5": 5}[measure]
    return sum(gain > 0 for gain in gains[:k]) / k


def of_records(qrels, run):
    """P@5 of the documents of level 2 and more."""
    found = {d.doc_id for d in run[:5]}
    return sum(q.rel > 1 and q.doc_id in found for q in qrels) / 5
