"""What tools are predicted to print is what they do print; what is said of it is in test_outputs.py."""

import pytest

from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import parse_measures
from tests.programs.real.tools import against_saved, wrong


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
