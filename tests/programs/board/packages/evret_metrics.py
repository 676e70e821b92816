from evret.metrics import ERR
from shapes import define

define(globals())


def err(retrieved_doc_ids, expected_grades: dict[str, int], k=10):
    """The scale ends at level 4; levels below 0 count as 0."""
    return ERR(k).score_query(retrieved_doc_ids, expected_grades)
