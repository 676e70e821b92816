"""Claims about crosscheck.studies.why: planted numbers are explained, and invented ones are not."""

import random
from itertools import pairwise

import pytest

from crosscheck.conventions import profiles
from crosscheck.errors import InputError, UsageError
from crosscheck.names import parse_measure, with_version
from crosscheck.native import evaluate
from crosscheck.report import render
from crosscheck.studies.why import _in_part, why
from tests.programs.real.runs import parts
from tests.programs.real.why import changed, check, invented, planted
from tests.support.sampling import WHOLE
from tests.support.strategies import QrelsDict, RunDict


def example(seed: int = 1) -> tuple[QrelsDict, RunDict]:
    """Twenty queries with graded judgements and ties."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(50)]
    run = {str(q): {doc: float(rng.randint(1, 12)) for doc in rng.sample(docs, 30)} for q in range(20)}
    qrels = {str(q): {doc: rng.choice((0, 0, 1, 2, 3)) for doc in rng.sample(docs, 20)} for q in range(22)}
    return qrels, run


QRELS, RUN = example()


def printed(
    measures: str,
    under: str = "trec_eval-9.0.8",
    qrels: QrelsDict = QRELS,
    run: RunDict = RUN,
    form: str = ".4f",
) -> dict[str, str]:
    """Measure -> its mean as a paper prints it."""
    means = evaluate(qrels, run, measures.split(), conventions=under, mean=True)
    return {measure: format(mean, form) for measure, mean in means.items() if mean is not None}


def test_a_set_is_found_with_its_tools_and_the_question_to_ask():
    """Exponential gain and ties in input order are one answer, with another run after it; never proved."""
    document = why(QRELS, RUN, printed("nDCG@10 nDCG@5 AP", "gain=exponential,ties=input"))
    first = document.answers[0]
    assert first.conventions == {"ties": "input", "gain": "exponential"}
    assert document.answers[1].another
    assert "Ask whether documents with equal scores are ordered in input order" in first.ask
    assert (document.fitting, document.by_chance < 0.01) == (1, True)
    assert "prove" not in document.summary
    assert "A different run or different judgements are not excluded" in document.summary


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
    document = why(qrels, RUN, printed(measures, tool, qrels))
    first = document.answers[0]
    assert tool in first.tools
    assert says in first.says
    measure = says.partition(":")[0]
    spec = ",".join(
        f"{axis}={value}" for axis, value in {**first.conventions, **first.by_measure[measure]}.items()
    )
    assert printed(measure, spec, qrels) == printed(measure, tool, qrels)
    assert document.summary.startswith("As in ")
    assert with_version(profiles()[tool]) in document.summary


def test_another_run_comes_first_where_several_would_fit_by_chance():
    """Two decimals of one measure are met by many sets of conventions; none of them is believed."""
    document = why(QRELS, RUN, printed("nDCG@10", "gain=exponential", form=".2f"))
    assert (document.fitting > 3, document.by_chance > 1) == (True, True)
    assert document.answers[0].another
    assert document.summary.startswith("Perhaps the number is from a different run")
    chances = [answer.chance or 0.0 for answer in document.answers[1:]]
    assert all(first < second for first, second in pairwise(chances))


def test_sets_with_equal_predictions_are_one_answer():
    """Without ties no tie rule changes a number: they are counted, not listed."""
    run = {q: {doc: score + i / 100 for i, (doc, score) in enumerate(row.items())} for q, row in RUN.items()}
    document = why(QRELS, run, printed("AP", run=run))
    assert document.answers[0].conventions == {}
    assert document.answers[0].others > 5
    assert "pytrec_eval" in document.answers[0].tools
    assert document.distinct < document.tried


def test_the_set_with_the_fewest_axes_that_matter_is_said_and_tools_after_it():
    """Axes of a tool that change nothing on the data are no part of the answer; other sets are counted."""
    few = {q: dict(list(row.items())[:12]) for q, row in RUN.items()}  # the sort of ranx keeps them in order
    document = why(QRELS, few, printed("nDCG@10 AP", "ties=input,missing_queries=zero", run=few))
    first = document.answers[0]
    assert first.conventions == {"ties": "input", "missing_queries": "zero"}
    assert "ranx-make-comparable" in first.tools
    assert first.others
    assert document.summary.startswith("Documents with equal scores are ordered in input order; judged")
    assert "would print the same. Of " in document.summary
    assert f"; {first.others} other sets of conventions are the same on these data" in document.summary
    complete = {q: QRELS[q] for q in RUN}  # no query lacks results, so nothing is said of these
    first = why(complete, few, printed("nDCG@10 nDCG@5", "ranx-burges", complete, few)).answers[0]
    assert "ranx-burges" in first.tools
    assert first.conventions.keys() <= {"gain", "ties"}


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
        document = why(QRELS, spread, printed("nDCG@10 AP", under, run=moved, form=".3f"))
        assert document.answers[0].another != leads


def test_a_bare_number_tries_the_measures():
    """The measure is named in the answer."""
    document = why(QRELS, RUN, printed("nDCG@20")["nDCG@20"])
    assert document.answers[0].says.endswith(", for nDCG@20")  # which measure was not said
    told = [(*answer.measures, *answer.values) for answer in document.answers if not answer.another]
    assert len(told) == len(set(told))
    named = [answer.measures for answer in document.answers if not answer.another and not answer.conventions]
    assert named == [["nDCG@20"]]
    assert document.numbers[0].measure is None


def test_a_tool_whose_conventions_are_known_in_part_is_named_beside_another_run():
    """Rprec of Hugging Face depends on other queries, and is not predicted: the other numbers name it."""
    rest = {"Rprec": "0.9876"}
    document = why(QRELS, RUN, printed("nDCG@10 P@10", "hf-evaluate") | rest)
    assert document.answers[0].another
    assert document.summary.endswith(
        " But hf-evaluate 0.4.6 gives all but Rprec, for which the conventions are not known."
    )
    half = {query: QRELS[query] for query in sorted(QRELS)[:11]}
    of_half = printed("nDCG@10 P@10", "hf-evaluate", half, {query: RUN[query] for query in half})
    for numbers in (of_half, printed("nDCG@10 P@10")):
        assert "But" not in why(QRELS, RUN, numbers | rest).summary
    of_two = {"hf-evaluate": [parse_measure("Rprec")], "sklearn": [parse_measure("P@10")]}
    assert _in_part(of_two).startswith(" But hf-evaluate 0.4.6 gives all but Rprec,")


def test_the_user_s_own_input_is_preferred_and_tools_are_those_of_the_same_input():
    """Binary gains are the same as binary levels, but trec_eval does not print the number for these qrels."""
    first = why(QRELS, RUN, printed("nDCG@10 nDCG@5", "gain=binary")).answers[0]
    assert (first.change, first.conventions) == ("", {"gain": "binary"})
    assert "trec_eval-9.0.8" not in first.tools


def test_a_tool_that_fails_on_the_input_is_not_named():
    """scikit-learn refuses a list of one document: for all queries only torchmetrics is said to print the
    number, and scikit-learn for the queries that it takes."""
    run = RUN | {str(q): {next(iter(QRELS[str(q)])): 1.0} for q in range(5)}
    of_all = why(QRELS, run, printed("nDCG@10", "torchmetrics", run=run))
    assert of_all.answers[0].tools == ["torchmetrics"]
    left = {query: docs for query, docs in run.items() if len(docs) > 1}
    first, *_ = why(QRELS, run, printed("nDCG@10 nDCG@5", "sklearn", run=left)).answers
    assert first.change == "the queries with more than one retrieved document"
    assert "sklearn" in first.tools


#: The answer -> the run that is given, and the qrels that were measured.
CHANGED: dict[str, tuple[RunDict, QrelsDict]] = {
    "up to the first ':'": ({q: {f"c:{d}": s for d, s in row.items()} for q, row in RUN.items()}, QRELS),
    "passages as documents": (
        {q: {f"{d}#{n}": s - n for d, s in row.items() for n in (0, 1)} for q, row in RUN.items()},
        QRELS,
    ),
    "levels of 2 and more made 1": (
        RUN,
        {q: {d: int(level > 1) for d, level in row.items()} for q, row in QRELS.items()},
    ),
    "the first half of the queries": (RUN, dict(sorted(QRELS.items())[:11])),
}


@pytest.mark.parametrize("says", CHANGED)
def test_changes_of_the_input_are_answers(says):
    """Numbers of the input before or after a change are explained by it."""
    run, measured = CHANGED[says]
    first = why(QRELS, run, printed("nDCG@10 AP", qrels=measured)).answers[0]
    assert says in first.change
    assert first.conventions == {}
    assert first.ask == f"Ask whether they used {first.change}."


def test_other_qrels_are_tried(tmp_path):
    """A folder of versions: the one that gives the numbers is the answer, by its name."""
    other, _ = example(2)
    for name, held in (("v1", QRELS), ("v2", other)):
        lines = [f"{q} 0 {d} {level}\n" for q, row in held.items() for d, level in row.items()]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "README").write_text("no qrels\n")
    numbers = printed("nDCG@10 AP", qrels=other)
    document = why(QRELS, RUN, numbers, qrels_candidates=str(tmp_path))
    assert document.answers[0].change == "the qrels v2"
    assert [note.split()[0] for note in document.notes] == ["README"]
    with pytest.raises(InputError, match="folder cannot be read"):
        why(QRELS, RUN, numbers, qrels_candidates=str(tmp_path / "nowhere"))


def test_a_value_of_a_query_that_is_not_there_fits_nothing(tmp_path):
    """As when the numbers belong to other qrels; no explanation gives such a number."""
    (tmp_path / "values").write_text("ndcg_cut_10 elsewhere 0.5000\n")
    document = why(QRELS, RUN, values=str(tmp_path / "values"))
    assert [answer.another for answer in document.answers] == [True]
    assert document.fitting == 0


def test_a_table_and_single_queries(tmp_path):
    """Rows of systems are explained together; values of queries leave no chance."""
    better = {q: {d: s + (QRELS[q].get(d, 0) > 1) for d, s in row.items()} for q, row in RUN.items()}
    runs = {"base": RUN, "better": better}
    means = {name: printed("AP", "missing_queries=zero", run=run)["AP"] for name, run in runs.items()}
    rows = [f"{name},AP,{mean}\n" for name, mean in means.items()]
    (tmp_path / "paper.csv").write_text("System,Measure,Value\n" + "".join(rows))
    document = why(QRELS, runs, table=str(tmp_path / "paper.csv"))
    assert document.answers[0].conventions == {"missing_queries": "zero"}
    assert [one.run for one in document.numbers] == ["base", "better"]
    values = evaluate(QRELS, RUN, ["nDCG@10"], conventions="gain=exponential")
    lines = [f"ndcg_cut_10 {topic} {of['nDCG@10']:.4f}\n" for topic, of in values.items()]
    (tmp_path / "queries").write_text("".join(lines))
    document = why(QRELS, RUN, values=str(tmp_path / "queries"))
    assert document.answers[0].conventions == {"gain": "exponential"}
    assert document.by_chance < 1e-9


def test_percentages_are_numbers():
    """``42.1%`` has the digits of 0.421."""
    document = why(QRELS, RUN, printed("AP", form=".1%"))
    assert any(not answer.another and not answer.conventions for answer in document.answers)


def test_a_measure_that_trec_eval_lacks_has_conventions_of_crosscheck():
    """The value is the same; trec_eval is not said to print it."""
    document = why(QRELS, RUN, printed("Accuracy"))
    says = [answer.says for answer in document.answers]
    assert "crosscheck's own conventions" in says
    assert "trec_eval's own conventions" not in says
    assert "trec_eval" not in render(document, "text").rpartition("Numbers")[2]


def test_numbers_above_one_are_percentages_of_a_share_and_not_of_a_count():
    """45.32 for 0.4532 is said as one more convention beside the gain; a number of documents has no unit."""
    in_percent = printed("nDCG@10 nDCG@5", "gain=exponential,unit=percent", form=".2f")
    first = why(QRELS, RUN, in_percent).answers[0]
    assert first.conventions == {"gain": "exponential", "unit": "percent"}
    plain = why(QRELS, RUN, printed("nDCG@10", "unit=percent", form=".2f"))
    assert plain.summary.startswith("Trec_eval's value, as a percentage (otherwise as in trec_eval-9.0.8, ")
    assert "but for the percentage: trec_eval-9.0.8" in " ".join(render(plain, "text").split())
    counted = why(QRELS, RUN, {"NumRet": "60000"})
    assert all("unit" not in (answer.conventions or {}) for answer in counted.answers)


@pytest.mark.parametrize(
    ("runs", "numbers", "table", "message"),
    [
        (["base"], ["nDCG@10=much"], "", "is not a number"),
        (["base"], [""], "", "not a number"),
        (["base"], ["nDCG@10="], "", "not a number"),
        (["base"], [], "", "no number to explain"),
        (["base"], ["nDGC@10=0.5"], "", "did you mean nDCG@10"),
        (["base", "better"], ["AP=0.5"], "", "do not say which run"),
        (["base", "better"], [], "system,measure,value\nbse,AP,0.5\n", "did you mean base"),
        (["base"], [], "system,measure,value\nbase,AP,1\nbase,P@5,\n", "table.csv:3: 'P@5=' is not a number"),
        (["base"], [], "system,measure,value\nbase,PA,1\n", "table.csv:2: unknown measure 'PA'"),
        (["base"], [], "system,measure,value\nba,AP,1\n", "table.csv:2: there is no run 'ba'"),
        (["base"], [], f"system,measure,value\nbase,{'P' * 140_000},1\n", "table.csv:2: invalid table"),
        (["base"], [], f"system,measure,value{'e' * 140_000}\n", "table.csv:1: invalid table"),
        (["base"], [], "a,b\n1,2\n", "system, measure and value"),
    ],
)
def test_what_is_no_number_of_a_run_is_refused(tmp_path, runs, numbers, table, message):
    """With the form that is expected, or the name that may be meant."""
    path = tmp_path / "table.csv"
    path.write_text(table)
    with pytest.raises((UsageError, InputError), match=message):
        why(QRELS, dict.fromkeys(runs, RUN), numbers, table=str(path) if table else None)


@pytest.mark.parametrize(
    ("kind", "made"), [("planted", planted), ("changed", changed), ("invented", invented)]
)
def test_numbers_on_realistic_runs(kind, made):
    """One of each, or two; ``python -m tests.programs.real.why`` tries forty."""
    inputs = list(parts("made-quantised"))
    for case in made(inputs, 2 if WHOLE else 1, 5):
        right, line = check(case, made.__name__)
        assert right, line
