"""Pools, contributions and unjudged rates."""

from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.model import Run
from crosscheck.statistics import pooling
from tests.support.kept import examples


def run(name: str, **rankings: str) -> Run:
    """A run from query=docnos in falling order, apart by blanks."""
    scores = {q[1:]: {d: -float(i) for i, d in enumerate(docs.split())} for q, docs in rankings.items()}
    return run_from_dict(scores, name)


ONE, TWO = run("one", q1="a b c d", q2="x y"), run("two", q1="b e a f")
JUDGED = qrels_from_dict({"1": {"a": 1, "b": 0, "c": -1}, "3": {"z": 1}})
test_pools_and_unjudged_rates = examples(globals(), None, pooling)
