"""What tools are predicted to print is what they do print; what is said of it is in test_outputs.py."""

import pytest

from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import parse_measure, parse_measures
from crosscheck.studies.compare import compare
from crosscheck.studies.tools import prediction, tools
from tests.programs.real.tools import against_saved, wrong

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}, "3": {"e": 1, "f": -1}}
RUN = {"1": {"a": 0.5, "b": 0.5, "x": 0.1}, "2": {"d": 2.0}}


def test_a_run_itself_a_path_and_a_run_by_name_are_one_run(tmp_path):
    """In every form that evaluate takes; a dict of runs is one level deeper."""
    rows = [(q, d, score) for q, row in RUN.items() for d, score in row.items()]
    path = tmp_path / "mine.txt"
    path.write_text("".join(f"{q} Q0 {d} 0 {score} t\n" for q, d, score in rows))
    columns = tuple(zip(*rows, strict=True))
    forms = [(RUN, "run"), ({"x": RUN}, "x"), (columns, "run"), (path, "mine.txt"), ([path], "mine.txt")]
    for given, name in forms:
        document = tools(QRELS, given, ["nDCG@3"])  # type: ignore[arg-type]
        assert document.runs == [name]
        assert document.groups[0].printed == "0.6199"
    with pytest.raises(UsageError, match="at least 2 runs, not 1"):
        compare(QRELS, RUN)


@pytest.mark.parametrize(
    ("tool", "fixed"), [("recbole", "gain=binary"), ("sklearn-ignore-ties", "universe=retrieved")]
)
def test_an_unknown_axis_gives_the_range_of_its_values(tool, fixed):
    """Their order of ties is arbitrary: whatever it is, the value lies in the range."""
    run, qrels = run_from_dict({"1": RUN["1"]}), qrels_from_dict({"1": QRELS["1"]})
    view = Recomputer(Rankings(run, qrels), parse_measure("nDCG@1"), Conventions())
    found = prediction(view, conventions(tool))
    assert (found.low, found.high) == (0.0, 1.0)
    for ties in ("docid-desc", "input", "average"):
        known = conventions(f"{fixed},ties={ties}")
        value = prediction(view, known).value
        assert value is not None
        assert 0.0 <= value <= 1.0


def test_a_tool_that_rounds_each_value_prints_their_mean():
    """gdeval rounds to five decimals: the mean of two such values may have six."""
    run = {q: {"x": 3.0, "y": 2.0, **dict.fromkeys(QRELS[q], 1.0)} for q in ("1", "2")}
    rankings = Rankings(run_from_dict(run), qrels_from_dict({q: QRELS[q] for q in run}))
    view = Recomputer(rankings, parse_measure("ERR@5"), Conventions())
    gdeval = conventions("ir-measures-gdeval")
    values = view.evaluated(gdeval).values.tolist()
    assert values == [round(value, 5) for value in values]
    mean = prediction(view, gdeval).value
    assert mean == pytest.approx(sum(values) / 2, abs=1e-12)
    assert mean != round(sum(values) / 2, 5)


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
