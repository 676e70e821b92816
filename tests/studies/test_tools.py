"""Claims about crosscheck.studies.tools: what tools print, why they differ, and what in the input does it."""

import pytest

from crosscheck.conventions import Conventions, conventions
from crosscheck.errors import InputError, InputWarning, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.names import parse_measure, parse_measures
from crosscheck.report import render
from crosscheck.studies.compare import compare
from crosscheck.studies.lint import LintFinding
from crosscheck.studies.tools import prediction, tools
from tests.programs.real.tools import against_saved, wrong

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"d": 1}, "3": {"e": 1, "f": -1}}
RUN = {"1": {"a": 0.5, "b": 0.5, "x": 0.1}, "2": {"d": 2.0}}


def test_tools_are_grouped_by_what_they_print_and_the_cause_is_named():
    """trec_eval ranks b before a; the tools that keep the order of the file print 1.0."""
    document = tools({"1": QRELS["1"]}, {"run": {"1": RUN["1"]}}, ["RR"])
    assert document.summary.startswith(
        "Tools differ: 13 of 20 tools, trec_eval-9.0.8 among them, print 0.5000;"
        " 5 print 1.0000: documents with equal scores are ordered in input order (ir-measures-cwl_eval"
    )
    first, second, *_ = document.groups
    assert (first.printed, first.conventions, "trec_eval-9.0.8" in first.tools) == ("0.5000", {}, True)
    assert (second.printed, second.conventions) == ("1.0000", {"ties": "input"})
    assert {"ir-measures-cwl_eval", "sources.S4"} <= set(second.tools)


def test_a_tool_that_prints_a_number_by_other_conventions_stands_apart():
    """P@1 is the same in the worst order of two documents as in the order of the file."""
    qrels, run = {"1": {"a": 0, "b": 1}}, {"1": {"a": 0.5, "b": 0.5}}
    document = tools(qrels, {"run": run}, ["P@1"])
    group = next(group for group in document.groups if "catboost" in group.tools)
    assert group.conventions == {"ties": "input"}
    assert ("catboost" in group.otherwise, "xgboost" in group.otherwise) == (True, False)
    assert f"; {len(group.otherwise)} by other conventions)" in document.summary
    text = " ".join(render(document, "text").split())
    assert f"; the same number by other conventions: {', '.join(group.otherwise)}" in text


def test_a_measure_without_a_profile_is_named_beside_the_others():
    """As the headline where it is alone; tools may have it all the same."""
    said = "Crosscheck has no profile of a tool for Accuracy"
    assert tools(QRELS, {"run": RUN}, ["Accuracy"]).summary.startswith(said)
    notes = tools(QRELS, {"run": RUN}, ["AP", "Accuracy"]).notes
    assert any(note.startswith(said) for note in notes)
    assert tools(QRELS, {"run": RUN}, ["AP"]).notes == [note for note in notes if said not in note]


def test_a_tool_that_fails_on_the_input_prints_nothing():
    """Query 3 has no results: trec_eval 10 and ranx end with an error there, with -c it counts as 0."""
    document = tools(QRELS, {"run": RUN}, ["AP"])
    by_tool = {tool: group for group in document.groups for tool in group.tools}
    for tool in ("trec_eval-10", "ranx"):
        assert (by_tool[tool].printed, by_tool[tool].reason) == (
            "",
            "fails on judged queries without results",
        )
    assert by_tool["trec_eval-10-c"].conventions == {"missing_queries": "zero"}
    barren = tools({"1": {"a": 1, "b": 0}, "2": {"d": 0}}, {"run": RUN}, ["bpref", "P@1"]).groups
    reasons = {group.measure: group.reason for group in barren if "ranx" in group.tools}
    assert reasons["bpref"].startswith("depends on its number of threads")
    assert "thread" not in reasons["P@1"]


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


def test_the_run_is_named_where_there_are_several():
    """The summary tells one number: of which measure, and of which run if that is open."""
    for names, told in ((["one"], "RR: "), (["one", "two"], "RR of one: ")):
        summary = tools(QRELS, dict.fromkeys(names, RUN), ["RR", "AP"]).summary
        assert f" the same in every tool. {told}" in summary


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


def test_systems_that_change_places_are_named():
    """By trec_eval the second run is better, by tools that keep the order of the file the first."""
    runs = {"tied": {"1": RUN["1"]}, "plain": {"1": {"x": 3.0, "a": 2.0, "c": 1.0}}}
    document = tools({"1": {"a": 1, "b": 0, "c": 2}}, runs, ["P@1", "RR"])
    assert document.swaps == []
    runs["plain"] = {"1": {"b": 3.0, "x": 2.0, "a": 1.5, "y": 1.0}}
    runs["tied"] = {"1": {"a": 0.5, "b": 0.5, "x": 0.5, "y": 0.5}}
    (swap,) = tools({"1": {"a": 1, "b": 0}}, runs, ["RR"]).swaps
    assert (swap.better, swap.worse, "ir-measures-cwl_eval" in swap.tools) == ("plain", "tied", True)


def found(lint: list[LintFinding] | None) -> dict[str, tuple[int, dict[str, object]]]:
    assert lint is not None
    return {finding.says: (finding.queries, dict(finding.effects)) for finding in lint}


def test_lint_names_what_makes_tools_differ_with_its_effect():
    """Ties, a missing query, an unjudged document, a negative level, levels; nothing that is not there."""
    document = tools(QRELS, {"run": RUN}, ["RR", "bpref"], find_causes=True)
    told = found([one for one in document.lint or [] if one.measure == "RR"])
    assert (told["equal scores in the ranking"][0], told["equal scores in the ranking"][1]["input"]) == (1, 1)
    queries, effects = told["judged queries without results"]
    assert (queries, effects["zero"]) == (1, 0.5)
    assert told["unjudged documents in the ranking"][0] == 1
    assert found(document.lint)["judgements with a negative level"][0] == 1
    assert "a document twice under a query" not in told
    assert "scores that differ as doubles and are equal in float32" not in told
    assert "equal scores in the ranking" in render(document, "markdown")


def test_lint_says_no_effect_that_a_formula_cannot_have():
    """bpref would be -0.5 if unjudged documents were nonrelevant there, and nowhere else."""
    qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    run = {"1": {"x": 4.0, "y": 3.0, "z": 2.0, "a": 1.0}}
    told = found(tools(qrels, run, ["bpref"], find_causes=True).lint)
    assert told["unjudged documents in the ranking"][1].keys() == {"removed"}


#: Judged ids, retrieved ones, what lint says of them, and the value under which they are one.
SPELT = [
    ("1", "Doc", "1", "dOC", "ids that differ in letter case alone", "case"),
    ("1", "d", "1", " d", "ids that differ in blanks, or a byte order mark, around them alone", "strip"),
    ("1", "d", "\ufeff1", "d", "ids that differ in blanks, or a byte order mark, around them alone", "strip"),
    ("1", "007", "1", "7", "ids that are the same number: 01 and 1", "int"),
    ("01", "d", "1", "d", "ids that are the same number: 01 and 1", "int"),
    ("2010-12", "d", "12", "d", "query ids such as 2010-12, which gdeval reads as 12", "query-suffix"),
]


@pytest.mark.parametrize(("topic", "docno", "asked", "retrieved", "says", "value"), SPELT)
def test_lint_tells_ids_that_are_the_same_for_some_tools(topic, docno, asked, retrieved, says, value):
    """Only the queries concerned are counted, and the effect is the mean with these ids taken as one."""
    qrels = {topic: {docno: 1, "other": 0}, "3": {"e": 1, "f": 1}}
    run = {asked: {retrieved: 2.0}, "3": {"e": 1.0}}
    document = tools(qrels, run, ["AP"], find_causes=True)
    told = found(document.lint)
    one = next(finding for finding in document.lint or [] if finding.says == says)
    assert (one.queries, one.effects) == (1 if asked == topic or "-" in topic else 2, {value: 0.75})
    assert one.value == (0.25 if asked == topic else 0.5)
    assert {name for _, _, _, _, name, _ in SPELT} & told.keys() == {says}


def test_lint_does_not_join_documents_of_different_queries():
    """``D`` of one query and ``d`` of another are two documents for every tool; 2010-12 is always told."""
    qrels, run = {"1-1": {"D": 1}, "1-2": {"d": 1}}, {"1-1": {"D": 2.0}, "1-2": {"d": 2.0}}
    told = found(tools(qrels, run, ["AP"], find_causes=True).lint)
    assert told["query ids such as 2010-12, which gdeval reads as 12"] == (2, {"query-suffix": 1.0})
    assert not any("letter case" in says for says in told)


def test_lint_looks_as_far_down_as_the_measure():
    """Ties and unjudged documents below the cutoff change nothing; a tie across it does."""
    qrels, run = {"1": {"a": 1, "b": 0, "c": 0}}, {"1": {"a": 3.0, "b": 2.0, "c": 1.0, "x": 1.0}}
    told = {k: found(tools(qrels, run, [f"P@{k}"], find_causes=True).lint).keys() for k in (2, 3, 4)}
    assert [f"equal scores down to rank {k}" in told[k] for k in told] == [False, True, True]
    assert [f"unjudged documents down to rank {k}" in told[k] for k in told] == [False, True, True]


ODD = """1 Q0 a 1 1.00000001 t
1 Q0 b 2 1.0 t
1 Q0 a 3 0.5 t
1 Q0 D 1 0.4 t
1 Q0 c 9 0.6 t
1 Q0 1 9 -2.0 t
"""


def test_lint_sees_what_only_a_file_can_have(tmp_path):
    """A document twice, float32 collisions, the rank column and the line order, letter case, own ids."""
    (tmp_path / "run").write_text(ODD)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 d 1\n")
    paths = [str(tmp_path / "run")]
    with pytest.warns(InputWarning, match="'D', which differs from 'd'"):
        document = tools(str(tmp_path / "qrels"), paths, ["RR", "AP"], find_causes=True)
    assert [f.queries for f in document.lint or [] if f.measure == "AP"] == [1] * 9
    assert found(document.lint)["a document twice under a query"][1].keys() >= {"first", "each"}
    refused = next(group for group in document.groups if "trec_eval-9.0.8" in group.tools)
    assert "twice under one query" in refused.reason
    assert "pytrec_eval" not in refused.tools
    (tmp_path / "run").write_text("1 Q0 a 1 what t\n")
    with pytest.raises(InputError):
        tools(str(tmp_path / "qrels"), paths, ["RR"])


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
