"""The provider for ir_measures: the numbers of its own providers, and its command."""

import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given, settings

from crosscheck.ir_measures_provider import crosscheck, install, uninstall
from tests.support.strategies import RunDict, qrels_and_run

ROOT = Path(__file__).parents[1]
#: Measures that trec_eval has: everything, ties included, is the same.
OF_TREC_EVAL = [
    *("P@5", "P(rel=2)@3", "P(judged_only=True)@2", "RR", "RR(rel=2)", "Rprec", "AP", "AP(rel=2)@3", "nDCG"),
    *("nDCG@3", "nDCG(judged_only=True)@3", "R@5", "Bpref", "NumQ", "NumRel", "NumRet", "NumRet(rel=2)"),
    *("SetAP", "SetF", "SetP", "SetP(relative=True)", "SetR", "Success@1", "IPrec@0.1", "infAP"),
]


def values(provider, measures, qrels, run):
    found = provider.iter_calc(measures, qrels, run)
    return {(metric.query_id, str(metric.measure)): metric.value for metric in found}


@settings(max_examples=100)
@given(data=qrels_and_run())
def test_values_are_those_of_the_provider_pytrec_eval(data):
    """0 ULP apart, for missing queries too, which ir_measures itself fills in."""
    qrels, run = data
    # A level above all judgements makes pytrec_eval read foreign memory.
    qrels = {query: {**levels, "top": 2} for query, levels in qrels.items()}
    measures = [ir_measures.parse_measure(name) for name in OF_TREC_EVAL]
    assert values(crosscheck, measures, qrels, run) == values(ir_measures.pytrec_eval, measures, qrels, run)


def test_subtopics_and_other_measures_in_one_call():
    """Several parameters too; a generator of judgements is gone through once."""
    rows = [("1", "a", 1, "s"), ("1", "b", 1, "t"), ("2", "a", 1, "s")]
    wanted = [ir_measures.StRecall @ 1, ir_measures.StRecall(rel=2) @ 1, ir_measures.AP]
    found = values(crosscheck, wanted, (ir_measures.Qrel(*row) for row in rows), {"1": {"a": 2.0, "c": 1.0}})
    first = {("1", "StRecall@1"): 0.5, ("1", "StRecall(rel=2)@1"): 0.0, ("1", "AP"): 0.5}
    second = {("2", "StRecall@1"): 0.0, ("2", "StRecall(rel=2)@1"): 0.0, ("2", "AP"): 0.0}
    assert found == first | second
    assert values(crosscheck, wanted, [], {"1": {"a": 2.0}}) == {}


def test_a_query_without_a_relevant_document_has_no_accuracy():
    """As with ir_measures' own provider, nothing is filled in."""
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"b": 1}}
    run = {"1": {"b": 2.0, "a": 1.0, "c": 0.5}, "2": {"b": 1.0}}
    accuracy = ir_measures.Accuracy @ 5
    found = values(crosscheck, [accuracy], qrels, run)
    assert found == values(ir_measures.providers.registry["accuracy"], [accuracy], qrels, run)
    assert found == {("1", "Accuracy@5"): 0.5}


@pytest.mark.parametrize("name", ["alpha_nDCG", "StRecall(rel=2)", "NRBP(alpha=1.5)"])
def test_measures_that_are_not_supported(name):
    """Without the cutoff that they need, or with a parameter that makes no sense: an error and not a zero."""
    assert crosscheck.supports(ir_measures.parse_measure("alpha_nDCG(alpha=0.3,judged_only=True)@30"))
    measure = ir_measures.parse_measure(name)
    assert not crosscheck.supports(measure)
    with pytest.raises(ValueError, match="unsupported measure"):
        crosscheck.evaluator([measure], {"q": {"a": 1}})


def test_an_evaluator_takes_many_runs():
    """The judgements are prepared once; nothing of a run is left for the next one."""
    evaluator = crosscheck.evaluator([ir_measures.AP], {"q": {"a": 1}})
    runs: list[RunDict] = [{"q": {"a": 1.0}}, {"q": {"b": 1.0, "a": 0.5}}, {"q": {"a": 1.0}}]
    assert [evaluator.calc_aggregate(run)[ir_measures.AP] for run in runs] == [1.0, 0.5, 1.0]


def command(folder, *start):
    """``ir_measures --provider crosscheck``, started in one way or another, on two documents."""
    (folder / "qrels").write_text("1 0 a 1\n1 0 b 0\n")
    (folder / "run").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    words = ("--provider", "crosscheck", str(folder / "qrels"), str(folder / "run"), "RR nDCG@2")
    done = subprocess.run(
        [sys.executable, *start, *words], capture_output=True, text=True, check=False, cwd=ROOT
    )
    return done.returncode, done.stdout, done.stderr


PRINTED = (0, "RR\t0.5000\nnDCG@2\t0.6309\n", "")


def test_the_command_of_ir_measures_knows_it(tmp_path):
    """``python -m crosscheck.ir_measures_provider`` is the command ``ir_measures`` with the provider."""
    assert command(tmp_path, "-m", "crosscheck.ir_measures_provider") == PRINTED


def test_the_plain_command_knows_the_provider_once_it_is_installed(tmp_path):
    """``install`` makes ``ir_measures --provider crosscheck`` work, and ``uninstall`` undoes that."""
    # What a new interpreter does with the folder before it starts a command.
    start = "import runpy, site, sys; site.addsitedir(sys.argv.pop(1)); "
    start += "runpy.run_module('ir_measures', run_name='__main__', alter_sys=True)"
    assert Path(install(str(tmp_path))).parent == tmp_path
    assert command(tmp_path, "-c", start, str(tmp_path)) == PRINTED
    uninstall(str(tmp_path))
    code, _, said = command(tmp_path, "-c", start, str(tmp_path))
    assert (code, "invalid choice: 'crosscheck'" in said) == (2, True)


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path):
    """Installing into such a folder raises an error that names the file."""
    with pytest.raises(FileNotFoundError) as error:
        install(str(tmp_path / "missing"))
    assert str(tmp_path / "missing") in str(error.value.filename)
