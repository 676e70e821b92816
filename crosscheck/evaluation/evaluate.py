"""A measure on a run under any conventions: all five stages."""

from __future__ import annotations

from crosscheck.conventions import Conventions
from crosscheck.evaluation.formula import score
from crosscheck.evaluation.parameters import with_measure_parameters
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import Evaluated, summarise
from crosscheck.model import Measure

__all__ = ["evaluate"]


def evaluate(rankings: Rankings, measure: Measure, conventions: Conventions) -> Evaluated:
    """Values of one measure for every query of a run, under any conventions.

    A judged query without results has no value, unless ``missing_queries`` gives it one, and a query of the
    run without judgements has none, unless ``unjudged_queries`` does. The axis ``no_relevant`` sets the value
    of a query without relevant documents. The mean is taken over the queries with a value, in byte order of
    their ids, unless ``query_set`` divides by more.

    Raises:
        InputError: a document occurs twice under a query, and the conventions refuse that.
        UsageError: the conventions order by a rank column that the run does not have, or the measure has no
            value under their tie rule.
    """
    conventions = with_measure_parameters(conventions, measure)
    return summarise(score(rankings, measure, conventions), measure, conventions)
