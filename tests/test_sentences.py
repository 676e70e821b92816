"""The sentence for a paper says all that a measure depends on, in the words of the axes."""

from __future__ import annotations

import pytest

from crosscheck.axes import axes
from crosscheck.conventions import profiles
from crosscheck.errors import UsageError
from crosscheck.evaluation.sentence import sentence
from crosscheck.measures import family
from crosscheck.names import parse_measure
from crosscheck.report import render
from crosscheck.studies import describe_measures

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"a": 1}}
RUN = {"1": {"a": 0.5, "b": 0.5}, "2": {"a": 1.0}}

SENTENCES = [
    (
        "nDCG@10",
        "trec_eval-9.0.8",
        (
            "nDCG@10 as in trec_eval 9.0.8: linear gain, log2(i+1) discount, ideal over all judged "
            "documents, ties by docno descending, mean over the 2 queries with results."
        ),
    ),
    (
        "P@5",
        "precision_denominator=min(k,retrieved),missing_queries=zero",
        (
            "P@5 as in trec_eval 9.0.8 except for precision-denominator and missing-queries: relevant from "
            "level 1 on, precision at k divides by the documents retrieved where they are fewer than k, ties "
            "by docno descending, mean over the 3 judged queries (0 without results)."
        ),
    ),
    (
        "gm_map",
        "trec_eval-9.0.8",
        (
            "gm_map as in trec_eval 9.0.8: relevant from level 1 on, divided by all relevant documents, ties "
            "by docno descending, geometric mean over the 2 queries with results."
        ),
    ),
    (
        "nDCG(dcg='exp-log2')@10",
        "trec_eval-9.0.8",
        (
            "nDCG(dcg='exp-log2')@10 under the conventions of trec_eval 9.0.8: exponential gain "
            "(2^level - 1), log2(i+1) discount, ideal over all judged documents, ties by docno descending, "
            "mean over the 2 queries with results."
        ),
    ),
]


@pytest.mark.parametrize(("measure", "spec", "said"), SENTENCES, ids=[m for m, _, _ in SENTENCES])
def test_the_sentence_of_a_measure(measure: str, spec: str, said: str) -> None:
    """Formula first, then the reading, then the queries, counted over the inputs."""
    document = describe_measures(spec, [measure], qrels=QRELS, run=RUN)
    assert document.summary == said
    assert said in " ".join(render(document, "text").split())


@pytest.mark.parametrize("profile", profiles())
def test_profiles_that_compute_another_way_are_described_in_other_words(profile: str) -> None:
    """Whatever a profile changes of a measure is in its sentence."""
    plain = profiles()["trec_eval-9.0.8"].conventions
    for name in ("nDCG@10", "AP", "P@10", "RR"):
        measure = parse_measure(name)
        words, usual = (sentence(measure, spec).partition(": ")[2] for spec in (profile, "trec_eval-9.0.8"))
        changed = profiles()[profile].conventions.changes_from(plain)
        about = family(measure.family)
        read = [a for a in changed if axes()[a].read_by(about) and axes()[a].cite(changed[a])]
        assert (words == usual) == (not read)


def test_queries_are_counted_over_both_inputs() -> None:
    """A run alone says nothing of the queries averaged."""
    with pytest.raises(UsageError, match="counted over a run and its qrels"):
        describe_measures(run=RUN)
