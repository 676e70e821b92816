"""The sentence for a paper says all that a measure depends on, in the words of the axes."""

from pathlib import Path

import pytest

from crosscheck import report
from crosscheck.axes import axes
from crosscheck.conventions import profiles
from crosscheck.errors import UsageError
from crosscheck.evaluation import sentence as words
from crosscheck.measures import family
from crosscheck.names import describing, parse_measure
from crosscheck.studies.compare import CompareDocument, compare
from crosscheck.studies.describe import describe
from tests.studies.examples import gain_flips_two_systems
from tests.support.kept import examples

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"a": 1}}
RUN = {"1": {"a": 0.5, "b": 0.5}, "2": {"a": 1.0}}


def of(measure: str, spec: str) -> str:
    """The sentence with the queries counted over both inputs: a run alone says nothing of those averaged."""
    with pytest.raises(UsageError, match="counting queries needs a run and its qrels"):
        describe(spec, [measure], run=RUN)
    return describe(spec, [measure], qrels=QRELS, run=RUN).summary


@pytest.mark.parametrize("profile", profiles())
def test_profiles_that_compute_another_way_are_described_in_other_words(profile):
    """Whatever a profile, or the part of it for this measure, changes is in the sentence."""
    plain = profiles()["trec_eval-9.0.8"].conventions
    for name in ("nDCG@10", "AP", "P@10", "RR", "RR@10", "RR@100", "Judged@10", "nDCG"):
        measure = parse_measure(name)
        try:
            of_tool = describing(profiles()[profile], measure)
        except UsageError:
            continue
        said, usual = (
            words.sentence(measure, spec).partition(": ")[2] for spec in (profile, "trec_eval-9.0.8")
        )
        changed = of_tool.changes_from(plain)
        about = family(measure.family)
        read = [a for a in changed if axes()[a].read_by(about) and axes()[a].cite(changed[a])]
        assert (said == usual) == (not read)


def half() -> CompareDocument:
    """Runs under a function, of which nobody knows what it computes."""
    Path("mine.py").write_text("def half(qrels, run):\n    return {query: len(run) / 2 for query in run}\n")
    return compare(QRELS_OF_TWO, TWO, measures=["P@3"], backend="python:mine.py:half")


QRELS_OF_TWO, TWO = gain_flips_two_systems()
#: Formula first, then the reading, then the queries; and the sentences of documents.
test_the_sentence_of_a_measure = examples(globals(), None, words, report)
