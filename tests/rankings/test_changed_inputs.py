"""Changes of a run and its qrels, written out."""

import pytest

from crosscheck.formats.dicts import qrels_from_dict, run_from_dict, to_dict
from crosscheck.rankings.changed_inputs import changed_inputs

CUT = "the documents of the {} without the part of their ids up to the {}"
PASSAGES = "passages as documents, by their highest score"
SEVERAL = "the queries with more than one retrieved document"


@pytest.mark.parametrize(
    ("run", "qrels", "expected"),
    [
        ({"1": {"x": 1}}, {"1": {"a": 3, "b": 1, "c": 0, "d": -1}}, {
            "levels of 1 and more made 1, lower levels 0": [{"1": {"a": 1, "b": 1, "c": 0, "d": -1}}],
            "levels of 3 and more made 1, lower levels 0": [{"1": {"a": 1, "b": 0, "c": 0, "d": -1}}],
            "positive levels lowered by 1": [{"1": {"a": 2, "b": 0, "c": 0, "d": -1}}]}),
        ({"1": {"x": 1}}, {"1": {"a": 2, "b": 0}}, {
            "levels of 2 and more made 1, lower levels 0": [{"1": {"a": 1, "b": 0}}]}),
        ({"1": {"x": 1}}, {"1": {"a": 1, "b": 0}}, {}),
        ({"1": {"u/v/a": 2, "v/a": 1, "b": 3, "c": 3}}, {"1": {"a": 1, "v/a": 0, "b": 1}}, {
            CUT.format("run", "first '/'"): [{"1": {"v/a": 2, "a": 1, "b": 3, "c": 3}}]}),
        ({"1": {"a": 1, "b": 1}}, {"1": {"k_a": 1, "k_l_b": 0, "l_b": 1, "b": 0}}, {
            CUT.format("qrels", "first '_'"): [{"1": {"a": 1, "l_b": 0, "b": 1}}],
            CUT.format("qrels", "last '_'"): [{"1": {"a": 1, "b": 1}}]}),
        ({"1": {"d#1": 1, "d#2": 3, "d#3": 2, "e-p7": 2}, "2": {"d": 1}}, {"1": {"d": 1, "e": 1}}, {
            PASSAGES: [{"1": {"d": 3, "e": 2}, "2": {"d": 1}}],
            SEVERAL: [{"1": {"d#1": 1, "d#2": 3, "d#3": 2, "e-p7": 2}}, {"1": {"d": 1, "e": 1}}]}),
        ({"1": {"d#1": 1, "d#2": 3}}, {"1": {"d#1": 0, "d#3": 1}}, {
            f"{PASSAGES}, in the qrels as well": [{"1": {"d": 3}}, {"1": {"d": 1}}]}),
        ({"1": {"a": 1}, "2": {"b": 2, "a": 1}, "3": {"a": 3, "b": 4}}, {q: {"a": 1} for q in "214"}, {
            SEVERAL: [{"2": {"b": 2, "a": 1}, "3": {"a": 3, "b": 4}}, {"2": {"a": 1}, "4": {"a": 1}}]}),
        ({"1": {"a": 1}}, {q: {"a": 1} for q in "1234"}, {
            "the first half of the queries": [{"1": {"a": 1}, "2": {"a": 1}}],
            "the second half of the queries": [{"3": {"a": 1}, "4": {"a": 1}}],
            "every other query, from the first on": [{"1": {"a": 1}, "3": {"a": 1}}],
            "every other query, from the second on": [{"2": {"a": 1}, "4": {"a": 1}}]}),
    ],
)  # fmt: skip
def test_each_change_and_its_rows(run, qrels, expected):
    """What is changed is written out, the run before the qrels; what is not changed is the given one."""
    given = run_from_dict(run), qrels_from_dict(qrels)
    found = {
        one.says: [of for of in (one.run, one.qrels) if of not in given] for one in changed_inputs(*given)
    }
    assert {says: [to_dict(table, "utf-8") for table in tables] for says, tables in found.items()} == expected
