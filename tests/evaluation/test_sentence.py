"""The sentence for a paper says all that a measure depends on, in the words of the axes."""

import pytest

from crosscheck.axes import axes
from crosscheck.conventions import profiles
from crosscheck.errors import UsageError
from crosscheck.evaluation.sentence import sentence, sentences
from crosscheck.measures import family
from crosscheck.names import describing, parse_measure
from crosscheck.report import render
from crosscheck.studies.compare import compare
from crosscheck.studies.describe import describe
from crosscheck.studies.gate import gate
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.ties import ties
from tests.studies.examples import gain_flips_two_systems
from tests.support.kept import Kept, shown

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"a": 1}}
RUN = {"1": {"a": 0.5, "b": 0.5}, "2": {"a": 1.0}}


def of(measure: str, spec: str) -> str:
    """The sentence with the queries counted over both inputs: a run alone says nothing of those averaged."""
    with pytest.raises(UsageError, match="counting queries needs a run and its qrels"):
        describe(spec, [measure], run=RUN)
    return describe(spec, [measure], qrels=QRELS, run=RUN).summary


KEPT = Kept(
    __file__,
    TypeError,
    ValueError,
    within=({"of": of, "sentence": sentence, "parse_measure": parse_measure},),
    show=shown,
)


@KEPT.each()
def test_the_sentence_of_a_measure(given):
    """Formula first, then the reading, then the queries."""
    KEPT.holds(given)


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
        words, usual = (sentence(measure, spec).partition(": ")[2] for spec in (profile, "trec_eval-9.0.8"))
        changed = of_tool.changes_from(plain)
        about = family(measure.family)
        read = [a for a in changed if axes()[a].read_by(about) and axes()[a].cite(changed[a])]
        assert (words == usual) == (not read)


def test_documents_have_the_sentence_of_their_conventions():
    """Of those that the study was given, or of its backend."""
    (qrels, runs), gain = gain_flips_two_systems(), "gain=exponential"
    best, fair = runs["best"], runs["fair"]
    for document, other in (
        (compare(qrels, runs, measures=["nDCG@3"], backend=f"native:{gain}"), "gain"),
        (ties(qrels, best, ["nDCG@3"], conventions=gain), "gain"),
        (gate(qrels, fair, best, ["nDCG@3"], conventions=gain, test="t"), "gain and missing-queries"),
        (rundiff(qrels, fair, best, ["nDCG@3"], conventions=gain), "gain"),
    ):
        (said,) = document.sentences
        assert said.startswith(
            f"nDCG@3 as in trec_eval 9.0.8 except for {other}: exponential gain (2^level - 1), "
        )


def test_a_backend_of_unknown_conventions_has_no_sentence(tmp_path):
    """Nobody knows what a function computes; crosscheck does not describe it as trec_eval."""
    qrels, runs = gain_flips_two_systems()
    (tmp_path / "mine.py").write_text(
        "def half(qrels, run):\n    return {query: len(run) / 2 for query in run}\n"
    )
    document = compare(qrels, runs, measures=["P@3"], backend=f"python:{tmp_path / 'mine.py'}:half")
    assert document.measures[0].systems[0].mean == 3.0
    assert document.sentences == []
    assert len(sentences({"nDCG@10": None, "AP": None, "no such": None}, "beir")) == 1
    assert "For the paper" not in render(document, "markdown")
