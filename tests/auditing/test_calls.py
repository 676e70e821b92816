"""Calls as text: parsed, never evaluated, and written as they were read; what is made and given for one."""

from __future__ import annotations

from typing import Any

import pytest

from crosscheck.auditing.calls import Watch, as_program, made, parse_call, returned_by, with_column
from crosscheck.auditing.words import OF_ALL_QUERIES, WORDS, Materials
from crosscheck.errors import UsageError
from crosscheck.formats.dicts import qrels_from_dict, run_from_dict
from crosscheck.names import parse_measure


@pytest.mark.parametrize(
    "text",
    [
        "f(gains, k)", "f(ranked_ids, set(relevant_ids), k)", "f([y_true], [y_score], k=k)", "f(qrels, run)",
        "f(results_df, qrels_df, [k], exponential=False)", "f((gains,), 'binary', -1, 0.5, None)",
        "f({1, 2}, list(binary), num_rel, max_grade)", "f(array(gains), judged_gains)",
        "f(each(relevant_ids), each(set(ranked_ids)), k)", "f(by_query(ranked_ids), qrels, each(query))",
        "f(items(scored), relevance)['ndcg'][0].value", "f(ranked_ids, relevant_ids)[-1]",
        "f(k).compute(ranked_ids, relevant_ids)", "f(k)(tensor([y_score]), tensor([y_true]))",
        "f(k=k).update(y_score, y_true).compute()",
        "f(results_df(query='user_id', docid='item_id', rank=None), qrels_df)",
        "f(dicts(ranked_rows(docid='_id')), judged_rows)",
        "f(qrels, {measure('ndcg_cut.{k}')}).evaluate(run)",
        "f(tensor(all_y_score), tensor(all_binary), tensor(query_index))",
        "f(each({'retrieved': ranked_ids, 'relevant': set(relevant_ids), 'k': 5}))",
        "f(frame(each({'gold': relevant_ids, 'hits': ranked_ids})), k=k)", "f(record({'gains': gains}))",
    ],
)  # fmt: skip
def test_a_call_is_read_and_written_the_same(text):
    """The text of a parsed call is the text it was parsed from."""
    assert str(parse_call(text)) == text


def test_every_word_can_be_used():
    """Each word that is documented is understood, alone or with a ranking beside it."""
    for word in WORDS:
        beside = "run" if word in OF_ALL_QUERIES else "gains"
        assert word in parse_call(f"f({word}, {beside})").words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("f(gain, k)", "did you mean gains?"),
        ("f(gains", "not a Python call"),
        ("gains", "not a Python call"),
        ("", "not a Python call"),
        ("f(__import__('os').system('x'))", "cannot contain"),
        ("f(gains[0])", "cannot contain"),
        ("f(*gains)", "cannot contain"),
        ("f(**gains)", "cannot contain **"),
        ("f(len(gains))", "cannot contain"),
        ("f(qrels, gains)", "mixes"),
        ("f(k)", "no ranking"),
        ("f({'k': k})", "no ranking"),
        ("f({gains: 1})", "cannot contain"),
        ("f({**qrels})", "cannot contain"),
        ("f({'a': qrels, 'b': gains})", "mixes"),
        ("f(record(gains))", "record() must be around a dict"),
        ("f(each(gains), num_rel)", "mixes"),
        ("f(gains)[k]", "not a Python call"),
        ("f(gains).x.y(1)()", "not a Python call"),
        ("f(results_df(item='x'), qrels_df)", "has the columns docid, query, rank, rel, score"),
        ("f(results_df(docid=5), qrels_df)", "has the columns docid, query, rank, rel, score"),
        ("f(" * 2000, "not a Python call"),
        # Some conversions are around certain words, and a file is a whole argument.
        ("f([file(qrels_rows), file(results_rows)])", "file() must be a whole argument"),
        ("f(list(tsv(qrels_rows)), tsv(results_rows))", "tsv() must be a whole argument"),
        ("f(file(gains))", "file() must be around qrels_rows or results_rows"),
        ("f(tsv(ranked_rows), relevant_ids)", "tsv() must be around qrels_rows or results_rows"),
        ("f(path(qrels_rows(docid='d')), run)", "path() must be around qrels_rows or results_rows"),
        ("f(flat(gains))", "flat() must be around qrels or run"),
        ("f(dicts(gains))", "dicts() must be around ranked_df or judged_df or "),
        ("f(polars(qrels_rows))", "polars() must be around ranked_df or judged_df or "),
    ],
)
def test_what_is_no_call_is_refused_with_the_words(text, said):
    """The message says what is wrong, and which words there are."""
    with pytest.raises(UsageError, match="gains, binary, judged_gains, ideal_gains, ranked_ids") as error:
        parse_call(text)
    assert said in str(error.value)


def test_nothing_is_evaluated(tmp_path):
    """An expression that would write a file does not."""
    with pytest.raises(UsageError):
        parse_call(f"f(open({str(tmp_path / 'x')!r}, 'w'))")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("relevant", ["relevant_ids", "set(relevant_ids)"])
def test_dicts_by_query_hold_the_queries_of_their_side(relevant):
    """Ranked ids are of the queries with results, relevant ids of those with judgements."""
    call = parse_call(f"f(by_query(ranked_ids), by_query({relevant}))")
    qrels = qrels_from_dict({"1": {"a": 1}, "3": {"b": 1}})
    run = run_from_dict({"1": {"a": 1.0}, "2": {"a": 1.0}})
    ((source,),) = Materials(qrels, run, parse_measure("P@5"), call).sources
    assert [list(made(argument, source)) for argument in call.arguments] == [["1", "2"], ["1", "3"]]


_UPDATED = ["metric = f()", "metric.update([3, 0])", "print(metric.compute()['x'].y[-1])"]


@pytest.mark.parametrize(
    ("call", "program"),
    [
        ("f(set(relevant_ids), k)", "f({'a', 'b', 'c', 'd', 'e', 'f'}, 5)"),
        ("f(set(ints(relevant_ids)), ints(relevance))",
         f"f({set(range(6))}, {dict.fromkeys(range(6), 3)})"),
        ("f(k=k)(array(gains), [[binary]])", "f(k=5)(array([3, 0]), [[[1, 0]]])"),
        ("f().update(gains).compute()['x'].y[-1]", _UPDATED),
        ("f(k).fit(gains).score()",
         ["metric = f(5)", "metric = metric.fit([3, 0]) or metric", "print(metric.score())"]),
        ("f(qrels_df, run)", "f(DataFrame({'query': ['1'], 'docid': ['a'], 'rel': [3]}), {'1': {'a': 2.0}})"),
        ("f(run, dicts(qrels_rows(docid='_id')))",
         "f({'1': {'a': 2.0}}, [{'query': '1', '_id': 'a', 'rel': 3}])"),
        ("f(ranked_rows(docid='id'))", "f([Result(id='a', score=2.0)])"),
        ("f(each({'got': ranked_ids, 'k': k}))", "f([{'got': ['a'], 'k': 5}])"),
        ("f(ints(ranked_ids), ints(relevant_id))", "f([0], 0)"),
        ("f(ranked_ids, relevant_id)", "f(['a'], 'a')"),
        ("f(record({'got': ranked_ids}))", "f(namespace(got=['a']))"),
        ("f(frame(each({'got': ranked_ids})))", "f(DataFrame({'got': [['a']]}))"),
    ],
)  # fmt: skip
def test_a_call_is_written_as_a_program(call, program):
    """With the values of its arguments, in an order that is the same each time. A method may return None."""
    if "_df" in call or "frame" in call:
        pytest.importorskip("pandas")
    docnos = "abcdef" if "relevant_ids" in call else "a"
    run = {"a": 2.0, "x": 1.0} if "gains" in call else {"a": 2.0}
    parsed = parse_call(call)
    inputs = qrels_from_dict({"1": dict.fromkeys(docnos, 3)}), run_from_dict({"1": run})
    ((source,),) = Materials(*inputs, parse_measure("P@5"), parsed).sources
    assert as_program(parsed, [source]) == (program if isinstance(program, list) else [f"print({program})"])


@pytest.mark.parametrize(
    ("call", "missed", "renamed"),
    [
        ("f(labelled_df)", KeyError("Column not found: label"), "f(labelled_df(rel='label'))"),
        ("f(results_df, qrels_df)", KeyError("['when', 'user'] not in index"),
         "f(results_df(query='user'), qrels_df(query='user'))"),
        ("f(dicts(ranked_rows), k)", KeyError("_id"), "f(dicts(ranked_rows(docid='_id')), k)"),
        ("f(polars(results_df))", ValueError('unable to find column "qid"; valid columns: ["query"]'),
         "f(polars(results_df(query='qid')))"),
        ("f(qrels_df)", KeyError("stars"), "f(qrels_df(rel='stars'))"),
        ("f(ranked_df, judged_df)", KeyError("sku"), "f(ranked_df(docid='sku'), judged_df(docid='sku'))"),
        ("f(qrels_rows, results_rows)", AttributeError(name="doc_id"),
         "f(qrels_rows(docid='doc_id'), results_rows(docid='doc_id'))"),
        ("f(judged_rows(docid='id'), ranked_rows(docid='id'))",
         ValueError("items of 'truth' need 'id' and 'relevance_label'"),
         "f(judged_rows(docid='id', rel='relevance_label'), ranked_rows(docid='id'))"),
        # A rating is a level; of results, where levels have that name already, it is the score.
        ("f(results_df, qrels_df(rel='rating'))", KeyError("rating"),
         "f(results_df(score='rating'), qrels_df(rel='rating'))"),
        ("f(ranked_rows(docid='id'))", KeyError("docno"), None),
        ("f(ranked_rows)", KeyError(3), None),
        ("f(ranked_rows)", KeyError("colour"), None),
        ("f(gains, k)", KeyError("doc_id"), None),
    ],
)  # fmt: skip
def test_a_missed_name_is_that_of_a_column(call, missed, renamed):
    """Of every table that has such a column, also inside a conversion; any other name says nothing."""
    found = with_column(parse_call(call), missed)
    assert (found and str(found)) == renamed


class _Accumulated:
    """All that was added, as text."""

    def __init__(self) -> None:
        self.added: list[object] = []

    def update(self, gains: list[int]) -> float:
        self.added.append(gains)
        return 0.5  # the value of the batch, which is no object to go on with

    def add_batch(self, run: object, qrels: object) -> None:
        self.added.append((run, qrels))

    def accumulate(self, scores: list[float], numbers: list[int]) -> None:
        self.added.append((scores, numbers))

    def compute(self) -> str:
        return str(self.added)


_ADDED = [({"1": {"a": 1.0}}, {"1": {"a": 1}}), ({"2": {"b": 2.0, "c": 1.0}}, {"2": {"c": 2}, "3": {"d": 1}})]


@pytest.mark.parametrize(
    ("call", "added"),
    [
        ("f().update(gains).compute()", ["[[1]]", "[[0, 2]]"]),
        ("f().accumulate(all_y_score, query_index).compute()", ["[([1.0, 2.0, 1.0], [0, 1, 1])]"]),
        ("f().add_batch(run, qrels).compute()", [str(_ADDED)]),
    ],
)
def test_data_are_added_to_one_object(call, added):
    """All queries are added as a single one and then the others; single queries have an object each."""
    qrels = qrels_from_dict({"1": {"a": 1}, "2": {"c": 2}, "3": {"d": 1}})
    run = run_from_dict({"1": {"a": 1.0}, "2": {"b": 2.0, "c": 1.0}})
    parsed = parse_call(call)
    calls = Materials(qrels, run, parse_measure("P@5"), parsed).sources
    assert [returned_by(_Accumulated, parsed, sources) for sources in calls] == added


def test_what_one_call_is_given_is_filled_again_for_the_next():
    """Only if it is watched; then what the function modifies is noted as well."""
    call, given = parse_call("f(relevance, ranked_ids)"), list[Any]()

    def metric(relevance: dict[str, int], ranked_ids: list[str]) -> int:
        given.append((relevance, ranked_ids))
        ranked_ids.append("x")
        return relevance["a"]

    watch = Watch()
    for watched, same in ((None, [False, False]), (watch, [True, True])):
        given.clear()
        for level in (1, 2):
            qrels, run = qrels_from_dict({"1": {"a": level}}), run_from_dict({"1": {"a": 1.0}})
            sources = Materials(qrels, run, parse_measure("P@1"), call).sources[0]
            assert returned_by(metric, call, sources, watched) == level
        assert [one is other for one, other in zip(*given, strict=True)] == same
    assert watch.modified == {"ranked_ids"}
