"""Planted numbers are explained, invented ones are not, and what tools print is what was predicted."""

import random

import pytest

from crosscheck.conventions import profiles
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import parse_measures, with_version
from crosscheck.studies.why import why
from tests.programs.real.tools import against_saved, wrong
from tests.programs.real.why import KINDS, tried
from tests.studies.examples import collection, printed
from tests.support.sampling import WHOLE

QRELS, RUN = collection(1)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("tool", "measures", "says"),
    [
        ("trectools", "AP nDCG@10 P@10", "nDCG@10: documents with equal scores are ordered by docno"),
        ("hf-evaluate", "AP nDCG@10 P@10", "nDCG@10: documents are ordered by line order"),
        ("sklearn", "AP nDCG@10", "AP: documents with equal scores"),
        ("catboost", "AP nDCG@10 RR", "nDCG@10: a query without relevant documents gets 1"),
        ("beir", "RR@10 nDCG@10", "RR@10: documents with equal scores are ordered in input order"),
        ("ir-measures", "AP nDCG@10 RR@10", "RR@10: documents with equal scores are ordered by docno"),
    ],
)
def test_a_tool_is_one_answer(tool, measures, says):
    """Its measures are computed in different ways, which are said of each; it is named with its version."""
    qrels = QRELS | {"0": dict.fromkeys(QRELS["0"], 0)}
    document = why(qrels, RUN, printed(qrels, RUN, measures, tool))
    first = document.answers[0]
    assert tool in first.tools
    assert says in first.says
    measure = says.partition(":")[0]
    spec = ",".join(
        f"{axis}={value}" for axis, value in {**first.conventions, **first.by_measure[measure]}.items()
    )
    assert printed(qrels, RUN, measure, spec) == printed(qrels, RUN, measure, tool)
    assert document.summary.startswith("As in ")
    assert with_version(profiles()[tool]) in document.summary


@pytest.mark.parametrize(("apart", "leads"), [(0.15, False), (None, True)])
def test_numbers_of_a_run_with_slightly_other_scores_are_another_run(apart, leads):
    """Most conventions change little, so some predict numbers as near to trec_eval's as these."""
    spread = {
        q: {doc: score + (doc in QRELS[q]) + rng.gauss(0, 1) for doc, score in row.items()}
        for q, row in RUN.items()
        for rng in [random.Random(q)]
    }
    for seed in range(3):
        rng = random.Random(seed)
        moved = {q: {d: s + rng.gauss(0, apart or 0) for d, s in row.items()} for q, row in spread.items()}
        under = "gain=exponential" if apart is None else "trec_eval-9.0.8"
        document = why(QRELS, spread, printed(QRELS, moved, "nDCG@10 AP", under, ".3f"))
        assert document.answers[0].another != leads


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_on_realistic_runs(kind):
    """One of each, or two; ``python -m tests.programs.real.why`` tries forty."""
    for seed in range(5, 7 if WHOLE else 6):
        assert tried(kind, seed, "made-quantised") == ("right", "")


@pytest.mark.parametrize("collection", ["juristcu", "dbpedia-tti"])
def test_saved_outputs_of_trec_eval_are_predicted_to_the_last_digit(corpus, collection):
    """9.0.8, with and without -c, and 10.0; ``tests.programs.real.tools`` asks every tool."""
    (run,) = (corpus / collection).glob("run.*")
    rankings = Rankings(read_run(str(run)), read_qrels(str(corpus / collection / "qrels")))
    lines = [
        line for path in sorted((corpus / collection).glob("out.*")) for line in against_saved(rankings, path)
    ]
    assert len(lines) > 40
    assert [line for line, right in lines if not right] == []


@pytest.mark.one_in(3)
@pytest.mark.parametrize("backend", ["pytrec_eval", "ir-measures", "ir-measures:cwl_eval", "sklearn"])
def test_tools_print_what_is_predicted(corpus, backend):
    """Their own mean on a real run with ties and missing queries."""
    folder = corpus / "juristcu"
    rankings = Rankings(read_run(str(folder / "run.tcu_search.txt")), read_qrels(str(folder / "qrels")))
    lines = list(wrong(rankings, backend, parse_measures(["AP,P@10,nDCG@10,RR@10"])))
    assert lines
    assert [line for line, right in lines if not right] == []
