"""Pools, contributions and unjudged rates."""

from crosscheck.formats import dicts
from crosscheck.formats.dicts import run_from_dict
from crosscheck.model import Run
from crosscheck.statistics import pooling
from tests.support.kept import examples


def run(name: str, **rankings: str) -> Run:
    """A run from query=docnos in falling order, apart by blanks."""
    scores = {q[1:]: {d: -float(i) for i, d in enumerate(docs.split())} for q, docs in rankings.items()}
    return run_from_dict(scores, name)


test_pools_and_unjudged_rates = examples(globals(), None, pooling, dicts)
