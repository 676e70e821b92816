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
from tests.programs.sentences import sentences as printed
from tests.studies.examples import gain_flips_two_systems

QRELS = {"1": {"a": 1, "b": 0}, "2": {"a": 2}, "3": {"a": 1}}
RUN = {"1": {"a": 0.5, "b": 0.5}, "2": {"a": 1.0}}

NINE = "as in trec_eval 9.0.8"
PRECISE = "relevant from level 1 on, divided by"
DOCNO = "ties by docno descending"
WITH_RESULTS = "mean over the 2 queries with results."
SENTENCES = [
    ("nDCG@10", "trec_eval-9.0.8",
     (f"nDCG@10 {NINE}: linear gain, log2(i+1) discount, ideal over all judged documents, {DOCNO}, "
     f"{WITH_RESULTS}")),
    ("P@5", "precision_denominator=min(k,retrieved),missing_queries=zero",
     (f"P@5 {NINE} except for precision-denominator and missing-queries: relevant from level 1 on; P@k is "
     f"divided by min(k, documents returned); {DOCNO}; mean over the 3 judged queries (0 without results).")),
    ("P@5", "gain=exponential", f"P@5 {NINE}: {PRECISE} k, {DOCNO}, {WITH_RESULTS}"),
    ("gm_map", "trec_eval-9.0.8",
     f"gm_map {NINE}: {PRECISE} all relevant documents, {DOCNO}, geometric {WITH_RESULTS}"),
    ("nDCG(dcg='exp-log2')@10", "trec_eval-9.0.8",
     ("nDCG(dcg='exp-log2')@10 under the conventions of trec_eval 9.0.8: exponential gain (2^level - 1), "
     f"log2(i+1) discount, ideal over all judged documents, {DOCNO}, {WITH_RESULTS}")),
    ("nDCG@10", "sklearn",
     ("nDCG@10 as in scikit-learn 1.9.1: linear gain, log2(i+1) discount, ideal over the retrieved documents "
     "only, documents with equal scores are ordered by averaging over all their orders, scores are compared "
     f"as float64, {WITH_RESULTS}")),
    ("nDCG@10", "sources.S4",
     ("nDCG@10 as in document S4: relevant from level 1 on, binary gain, log2(i+1) discount, ideal over all "
     f"judged documents, documents are ordered by line order, {WITH_RESULTS}")),
]  # fmt: skip


@pytest.mark.parametrize(("measure", "spec", "said"), SENTENCES)
def test_the_sentence_of_a_measure(measure, spec, said):
    """Formula first, then the reading, then the queries, counted over both inputs: a run alone says nothing
    of the queries averaged."""
    assert describe(spec, [measure], qrels=QRELS, run=RUN).summary == said
    with pytest.raises(UsageError, match="counting queries needs a run and its qrels"):
        describe(spec, [measure], run=RUN)


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


def test_an_unknown_axis_is_named():
    """Also the value of a query without results, which stands among the last words."""
    assert sentence(parse_measure("P@5"), "elasticsearch") == (
        "P@5 as in Elasticsearch: relevant from level 1 on; P@k is divided by min(k, documents returned); "
        f"{DOCNO}; missing_queries unknown; mean over the queries with a value."
    )


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


def test_every_sentence_of_the_code_is_printed_once():
    """With what is put in, also inside of calls; docstrings and short texts are none."""
    source = """
def f(n):
    'What this function is for.'
    say(f"it reads {n:,} of {len(x)} lines", "two words", n and 'or it reads none at all')
"""
    found = [text for _, text in printed(source)]
    assert found == ["it reads {n} of {len(x)} lines", "or it reads none at all"]
