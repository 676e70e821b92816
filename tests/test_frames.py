"""The data-frame measures, for every kind of frame."""

from typing import Any

import numpy as np

from crosscheck.frames import evaluate_frames
from tests.support.kept import Kept, frame

#: The four queries of the notebook's table: cases 1, 3, 2 and 7.
RESULTS: dict[str, list[Any]] = {
    "query": [0, 0, 0, 0, 0, 1, 1, 2, 2, 3],
    "docid": ["doc_2", "doc_1", "doc_10", "doc_11", "doc_12", "doc_2", "doc_1", "doc_2", "doc_1", "doc_3"],
    "rank": [1, 2, 3, 3, 4, 0, 1, 0, 1, 0],
}
QRELS: dict[str, list[Any]] = {
    "query": [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3],
    "docid": ["doc_1", "doc_2", "doc_3"] * 4,
    "rel": [3, 2, 1, 10, 9, 8, 3, 2, 1, 3, 2, 1],
}
#: The table as the notebook prints it, six decimals, the same nDCG at every cutoff.
TABLE = {
    "P@5": ["0.4", "0.4", "0.4", "0.2"],
    "P@10": ["0.2", "0.2", "0.2", "0.1"],
    "P@50": ["0.04", "0.04", "0.04", "0.02"],
    **{f"R@{k}": ["0.666667", "0.666667", "0.666667", "0.333333"] for k in (5, 10, 50)},
    **{f"MRR@{k}": ["1", "1", "1", "1"] for k in (5, 10, 50)},
    **{f"nDCG@{k}": ["0.817494", "0.777976", "0.817494", "0.210002"] for k in (5, 10, 50)},
}


def second(one, **cell):
    """Results with a second row that has this cell."""
    row = {"query": "q", "docid": "b", "rank": 2} | cell
    return evaluate_frames({name: [*one[name], row[name]] for name in row}, one)


def told(found):
    """The values by query, their summary, and notes."""
    return "\n".join(map(str, (found.per_query, found.summary, *found.notes)))


NAMES = {one.__name__: one for one in (second, told, frame, evaluate_frames)}
EXAMPLES = Kept(__file__, within=(NAMES,), RESULTS=RESULTS, QRELS=QRELS, array=np.array)
test_examples = EXAMPLES.test()
