"""Claims about crosscheck.studies.why: planted numbers are explained, and invented ones are not."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from crosscheck.conventions import conventions, profiles
from crosscheck.errors import InputError, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.summarise import evaluate
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import conventions_for, parse_measure, with_version
from crosscheck.report import render
from crosscheck.studies.why import why
from tests.programs.real.runs import parts
from tests.programs.real.why import changed, check, invented, planted
from tests.support.sampling import WHOLE

Table = dict[str, dict[str, float]]


def example(seed: int = 1) -> tuple[dict[str, dict[str, int]], Table]:
    """Twenty queries with graded judgements and ties."""
    rng = random.Random(seed)
    docs = [f"d{i}" for i in range(50)]
    run = {str(q): {doc: float(rng.randint(1, 12)) for doc in rng.sample(docs, 30)} for q in range(20)}
    qrels = {str(q): {doc: rng.choice((0, 0, 1, 2, 3)) for doc in rng.sample(docs, 20)} for q in range(22)}
    return qrels, run


def mean(qrels: dict[str, dict[str, int]], run: Table, measure: str, spec: str = "trec_eval-9.0.8") -> str:
    """As a paper prints it."""
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    found = evaluate(rankings, parse_measure(measure), conventions_for(spec, parse_measure(measure))).mean
    return f"{found:.4f}"


def test_a_set_is_found_with_its_tools_and_the_question_to_ask():
    """Exponential gain and ties in input order are one answer, with another run after it; never proved."""
    qrels, run = example()
    spec = "gain=exponential,ties=input"
    numbers = {m: mean(qrels, run, m, spec) for m in ("nDCG@10", "nDCG@5", "AP")}
    document = why(qrels, {"run": run}, numbers)
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
        ("hf-evaluate", "AP nDCG@10 P@10", "nDCG@10: documents are ordered by line order"),
        ("trectools", "AP nDCG@10 P@10", "nDCG@10: documents with equal scores are ordered by docno"),
        ("sklearn", "AP nDCG@10", "AP: documents with equal scores"),
        ("catboost", "AP nDCG@10 RR", "nDCG@10: a query without relevant documents gets 1"),
        ("beir", "RR@10 nDCG@10", "RR@10: documents with equal scores are ordered in input order"),
        ("ir-measures", "AP nDCG@10 RR@10", "RR@10: documents with equal scores are ordered by docno"),
    ],
)
def test_a_tool_is_one_answer(tool, measures, says):
    """Its measures are computed in different ways, which are said of each; it is named with its version."""
    qrels, run = example()
    qrels |= {"0": dict.fromkeys(qrels["0"], 0)}
    document = why(qrels, {"run": run}, {m: mean(qrels, run, m, tool) for m in measures.split()})
    first = document.answers[0]
    assert tool in first.tools
    assert says in first.says
    measure = says.partition(":")[0]
    spec = ",".join(
        f"{axis}={value}" for axis, value in {**first.conventions, **first.by_measure[measure]}.items()
    )
    assert mean(qrels, run, measure, spec) == mean(qrels, run, measure, tool)
    assert document.summary.startswith("As in ")
    assert with_version(profiles()[tool]) in document.summary


def test_another_run_comes_first_where_several_would_fit_by_chance():
    """Two decimals of one measure are met by many sets of conventions; none of them is believed."""
    qrels, run = example()
    document = why(
        qrels, {"run": run}, [f"nDCG@10={float(mean(qrels, run, 'nDCG@10', 'gain=exponential')):.2f}"]
    )
    assert (document.fitting > 3, document.by_chance > 1) == (True, True)
    assert document.answers[0].another
    assert document.summary.startswith("Perhaps the number is from a different run")
    chances = [answer.chance or 0.0 for answer in document.answers[1:]]
    assert all(first < second for first, second in pairwise(chances))


def test_sets_with_equal_predictions_are_one_answer():
    """Without ties no tie rule changes a number: they are counted, not listed."""
    qrels, run = example()
    distinct = {
        q: {doc: score + i / 100 for i, (doc, score) in enumerate(row.items())} for q, row in run.items()
    }
    document = why(qrels, {"run": distinct}, [f"AP={mean(qrels, distinct, 'AP')}"])
    assert document.answers[0].conventions == {}
    assert document.answers[0].others > 5
    assert "pytrec_eval" in document.answers[0].tools
    assert document.distinct < document.tried


def test_a_bare_number_tries_the_measures():
    """The measure is named in the answer."""
    qrels, run = example()
    document = why(qrels, {"run": run}, [mean(qrels, run, "nDCG@20")])
    assert document.answers[0].says.endswith(", for nDCG@20")  # which measure was not said
    told = [(*answer.measures, *answer.values) for answer in document.answers if not answer.another]
    assert len(told) == len(set(told))
    named = [answer.measures for answer in document.answers if not answer.another and not answer.conventions]
    assert named == [["nDCG@20"]]
    assert document.numbers[0].measure is None


def prefixed(run: Table) -> Table:
    return {q: {f"c:{doc}": score for doc, score in row.items()} for q, row in run.items()}


def in_passages(run: Table) -> Table:
    return {q: {f"{d}#{n}": s - n for d, s in row.items() for n in (0, 1)} for q, row in run.items()}


def test_a_tool_whose_conventions_are_known_in_part_is_named_beside_another_run():
    """Rprec of Hugging Face depends on other queries, and is not predicted: the other numbers name it."""
    qrels, run = example()
    numbers = {m: mean(qrels, run, m, "hf-evaluate") for m in ("nDCG@10", "P@10")}
    document = why(qrels, {"run": run}, {**numbers, "Rprec": "0.9876"})
    assert document.answers[0].another
    assert document.summary.endswith(
        " But hf-evaluate 0.4.6 gives all but Rprec, for which the conventions are not known."
    )
    half = {query: qrels[query] for query in sorted(qrels)[: (len(qrels) + 1) // 2]}
    of_half = {m: mean(half, run, m, "hf-evaluate") for m in ("nDCG@10", "P@10")}
    assert "But" not in why(qrels, {"run": run}, {**of_half, "Rprec": "0.9876"}).summary
    own = {m: mean(qrels, run, m) for m in ("nDCG@10", "P@10")}
    assert "But" not in why(qrels, {"run": run}, {**own, "Rprec": "0.9876"}).summary


def test_the_user_s_own_input_is_preferred_and_tools_are_those_of_the_same_input():
    """Binary gains are the same as binary levels, but trec_eval does not print the number for these qrels."""
    qrels, run = example()
    numbers = {m: mean(qrels, run, m, "gain=binary") for m in ("nDCG@10", "nDCG@5")}
    first = why(qrels, {"run": run}, numbers).answers[0]
    assert (first.change, first.conventions) == ("", {"gain": "binary"})
    assert "trec_eval-9.0.8" not in first.tools


def test_a_tool_that_fails_on_the_input_is_not_named():
    """scikit-learn refuses a list of one document: for all queries only torchmetrics is said to print the
    number, and scikit-learn for the queries that it takes."""
    qrels, run = example()
    run |= {str(q): {next(iter(qrels[str(q)])): 1.0} for q in range(5)}
    of_all = why(qrels, {"run": run}, {"nDCG@10": mean(qrels, run, "nDCG@10", "sklearn")})
    assert of_all.answers[0].tools == ["torchmetrics"]
    left = {query: docs for query, docs in run.items() if len(docs) > 1}
    numbers = {m: mean(qrels, left, m, "sklearn") for m in ("nDCG@10", "nDCG@5")}
    first, *_ = why(qrels, {"run": run}, numbers).answers
    assert first.change == "the queries with more than one retrieved document"
    assert "sklearn" in first.tools


@pytest.mark.parametrize(
    ("says", "change"),
    [
        ("up to the first ':'", prefixed),
        ("passages as documents", in_passages),
        ("levels of 2 and more made 1", None),
        ("the first half of the queries", None),
    ],
)
def test_changes_of_the_input_are_answers(says, change):
    """Numbers of the input before or after a change are explained by it."""
    qrels, run = example()
    measured, given = qrels, run
    if change is not None:
        given = change(run)
    elif says.startswith("levels"):
        measured = {q: {d: int(level > 1) for d, level in r.items()} for q, r in qrels.items()}
    else:
        measured = dict(sorted(qrels.items())[:11])
    numbers = {m: mean(measured, run, m) for m in ("nDCG@10", "AP")}
    document = why(qrels, {"run": given}, numbers)
    first = document.answers[0]
    assert says in first.change
    assert first.conventions == {}
    assert first.ask == f"Ask whether they used {first.change}."


def test_other_qrels_are_tried(tmp_path):
    """A folder of versions: the one that gives the numbers is the answer, by its name."""
    qrels, run = example()
    other, _ = example(2)
    for name, held in (("v1", qrels), ("v2", other)):
        lines = [f"{q} 0 {d} {level}\n" for q, row in held.items() for d, level in row.items()]
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "README").write_text("no qrels\n")
    numbers = {m: mean(other, run, m) for m in ("nDCG@10", "AP")}
    document = why(qrels, {"run": run}, numbers, qrels_candidates=str(tmp_path))
    assert document.answers[0].change == "the qrels v2"
    assert [note.split()[0] for note in document.notes] == ["README"]
    with pytest.raises(InputError, match="folder cannot be read"):
        why(qrels, {"run": run}, numbers, qrels_candidates=str(tmp_path / "nowhere"))


def test_a_value_of_a_query_that_is_not_there_fits_nothing(tmp_path):
    """As when the numbers belong to other qrels; no explanation gives such a number."""
    qrels, run = example()
    (tmp_path / "values").write_text("ndcg_cut_10 elsewhere 0.5000\n")
    document = why(qrels, {"run": run}, values=str(tmp_path / "values"))
    assert [answer.another for answer in document.answers] == [True]
    assert document.fitting == 0


def test_a_table_and_single_queries(tmp_path):
    """Rows of systems are explained together; values of queries leave no chance."""
    qrels, run = example()
    better = {q: {d: s + (qrels[q].get(d, 0) > 1) for d, s in row.items()} for q, row in run.items()}
    runs = {"base": run, "better": better}
    spec = "missing_queries=zero"
    rows = [f"{name},AP,{mean(qrels, held, 'AP', spec)}\n" for name, held in runs.items()]
    (tmp_path / "paper.csv").write_text("System,Measure,Value\n" + "".join(rows))
    document = why(qrels, runs, table=str(tmp_path / "paper.csv"))
    assert document.answers[0].conventions == {"missing_queries": "zero"}
    assert [one.run for one in document.numbers] == ["base", "better"]
    rankings = Rankings(run_from_dict(run), qrels_from_dict(qrels))
    found = evaluate(rankings, parse_measure("nDCG@10"), conventions("gain=exponential"))
    topics = [topic.decode() for topic in rankings.pairing.all_topics]
    lines = [
        f"ndcg_cut_10 {t} {v:.4f}\n" for t, v, p in zip(topics, found.values, found.present, strict=True) if p
    ]
    (tmp_path / "queries").write_text("".join(lines))
    document = why(qrels, {"run": run}, values=str(tmp_path / "queries"))
    assert document.answers[0].conventions == {"gain": "exponential"}
    assert document.by_chance < 1e-9


def test_percentages_are_numbers():
    """``42.1%`` has the digits of 0.421."""
    qrels, run = example()
    printed = f"{100 * float(mean(qrels, run, 'AP')):.1f}%"
    document = why(qrels, {"run": run}, [f"AP={printed}"])
    assert any(not answer.another and not answer.conventions for answer in document.answers)


def test_a_measure_that_trec_eval_lacks_has_conventions_of_crosscheck():
    """The value is the same; trec_eval is not said to print it."""
    qrels, run = example()
    document = why(qrels, {"run": run}, [f"Accuracy={mean(qrels, run, 'Accuracy')}"])
    says = [answer.says for answer in document.answers]
    assert "crosscheck's own conventions" in says
    assert "trec_eval's own conventions" not in says
    assert "trec_eval" not in render(document, "text").rpartition("Numbers")[2]


def test_numbers_above_one_are_percentages_of_a_share_and_not_of_a_count():
    """45.32 for 0.4532 is said as one more convention beside the gain; a number of documents has no unit."""
    qrels, run = example()
    spec = "gain=exponential"
    printed = {m: f"{100 * float(mean(qrels, run, m, spec)):.2f}" for m in ("nDCG@10", "nDCG@5")}
    first = why(qrels, {"run": run}, printed).answers[0]
    assert first.conventions == {"gain": "exponential", "unit": "percent"}
    plain = why(qrels, {"run": run}, {"nDCG@10": f"{100 * float(mean(qrels, run, 'nDCG@10')):.2f}"})
    assert plain.summary.startswith("Trec_eval's value, as a percentage (otherwise as in trec_eval-9.0.8, ")
    assert "but for the percentage: trec_eval-9.0.8" in " ".join(render(plain, "text").split())
    counted = why(qrels, {"run": run}, {"NumRet": "60000"})
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
        (["base"], [], "a,b\n1,2\n", "system, measure and value"),
    ],
)
def test_what_is_no_number_of_a_run_is_refused(tmp_path, runs, numbers, table, message):
    """With the form that is expected, or the name that may be meant."""
    qrels, run = example()
    path = tmp_path / "table.csv"
    path.write_text(table)
    with pytest.raises((UsageError, InputError), match=message):
        why(qrels, dict.fromkeys(runs, run), numbers, table=str(path) if table else None)


@pytest.mark.parametrize(
    ("kind", "made"), [("planted", planted), ("changed", changed), ("invented", invented)]
)
def test_numbers_on_realistic_runs(kind, made):
    """One of each, or two; ``python -m tests.programs.real.why`` tries forty."""
    inputs = list(parts("made-quantised"))
    for case in made(inputs, 2 if WHOLE else 1, 5):
        right, line = check(case, made.__name__)
        assert right, line
