"""The declarations of each axis: its values, its words, and the numbers of its example."""

import ast
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

import crosscheck
from crosscheck.axes import axes, axis, likeliest
from crosscheck.axes import ids as ids_file
from crosscheck.axes.base import Axis, AxisValue, Label, plain
from crosscheck.axes.ids import Ids, candidates, meet
from crosscheck.conventions import Conventions
from crosscheck.errors import UsageError
from crosscheck.explain.labels import CHANGES_INPUT, NOT_REPEATABLE, REFUSES_INPUT, UNEXPLAINED, causes
from crosscheck.formats.grouping import find_duplicate, identifiers
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.model import Qrels, Run
from tests.support.kept import Kept

EACH = pytest.mark.parametrize("one", axes().values(), ids=lambda one: one.name)
EACH_LABEL = pytest.mark.parametrize("label", causes().values(), ids=lambda label: label.label)


def values_of(one: Axis[Any]) -> list[AxisValue]:
    """All values of an enumeration, or some numbers."""
    return [*map(plain, one.values), *([2, 7, 1000] if one.numbers else [])]


def example_of(label: Label) -> tuple[Qrels, Run]:
    """The example, read like any TREC file; a document may occur in it twice."""
    for name, lines in (("qrels", label.qrels), ("run", label.run)):
        Path(name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    run = read_run("run", strict=False)
    once = find_duplicate(run.docnos, run.offsets) is None
    return read_qrels("qrels"), replace(run, unique=once)


@EACH_LABEL
def test_every_number_of_an_example_is_what_crosscheck_computes(label, tmp_path, monkeypatch):
    """The mean under each setting and, of a single query, its value; and no other decimal is stated."""
    monkeypatch.chdir(tmp_path)
    qrels, run = example_of(label)
    for measure, setting, stated in label.means:
        spec = setting or Conventions()
        (found,) = crosscheck.evaluate_runs(qrels, [run], [measure], conventions=spec, workers=1)
        assert found.means()[measure] == pytest.approx(stated, abs=5e-5, nan_ok=True), setting
        each = [of[measure] for of in crosscheck.evaluate(qrels, run, [measure], conventions=spec).values()]
        if len(run.topics) == 1 == len(qrels.topics):
            assert each == [pytest.approx(stated, abs=5e-5, nan_ok=True)]
    left = label.says
    for used in {measure for measure, _, _ in label.means}:
        left = left.replace(used, "")
    elsewhere = {"recall-points": ["0.6"], "cross-query-leak": ["1.0", "0.0", "1.0"], "unexplained": ["0.4"]}
    elsewhere["float-noise"] = ["0.42010951172205624"]
    assert re.findall(r"\d+\.\d+", left) == elsewhere.get(label.label, [])


@EACH_LABEL
def test_an_explanation_has_an_example_and_a_way_out(label):
    """In this order, with the lines of both files, and no line that is too wide to read."""
    parts = (label.prose, "\n    qrels: ", " run: ", f"\n\n{label.says.partition('{')[0]}", "\nWay out: ")
    places = [label.explained.index(part) for part in parts]
    assert places == sorted(places)
    assert places[0] == 0
    assert max(map(len, label.explained.splitlines())) <= 120
    assert label.summary
    assert label.needs or label in (REFUSES_INPUT, UNEXPLAINED, NOT_REPEATABLE, CHANGES_INPUT)


@EACH
def test_an_axis_has_words_for_all_of_its_values(one):
    """A phrase for each, no two alike; and a clause that contrasts any two."""
    values = values_of(one)
    phrases = [one.phrase(value) for value in values]
    assert all(phrases)
    assert len(set(phrases)) == len(values)
    for base, found in permutations(values, 2):
        clause = one.describe(base, found)
        assert "{" not in clause
        assert "None" not in clause
        assert clause != one.describe(found, base)
    assert one.phrase("no such value") is None


@EACH
def test_a_value_is_read_from_its_text(one):
    """And is the same again when it is written and read."""
    for value in values_of(one):
        parsed = one.parse("none" if value is None else str(value))
        assert plain(parsed) == value
        assert one.parse(parsed) == parsed
        assert Conventions().with_changes(**{one.name: value})[one] == parsed


def literals(path):
    """The constants in a file, but for those of its examples."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in ("means", "says"):
            node.value = ast.Constant(None)
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}


_DOCNOS = st.lists(
    st.one_of(
        st.text("aAbBkKſ\u212aéÉ01+- \ufeff", min_size=1, max_size=4).map(str.encode),
        st.binary(min_size=1, max_size=70).map(lambda text: text.replace(b"\0", b"0")),
    ),
    max_size=6,
)


@given(_DOCNOS, _DOCNOS)
@example(["É".encode()], ["é".encode()])
@example(["\ufeff1".encode()], [b"1"])
@example([b"a", b"b", b" a"], [])
@example([b"A", b"B"], [b"b"])
def test_rules_that_are_not_candidates_make_no_ids_of_documents_equal(run, qrels):
    """Whatever the letters, blanks and signs, also where they are in different chunks."""
    meeting = {ids for ids in Ids if meet(ids.normalised, {*run, *qrels})}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ids_file, "_CHUNK", 2)
        assert meeting <= candidates([identifiers(run), identifiers(qrels)])


def _refused(one, value):
    """What is said of a value that is none of an axis, with what it takes."""
    try:
        Conventions().with_changes(**{one.name: str(value)})
    except UsageError as error:
        return str(error)


def declared(one):
    """The plain fields of an axis, and its values in words."""
    fields = {name: getattr(one, name) for name in one.__struct_fields__ if name != "prose"}
    fields |= {
        str(value): {k: v for k, v in vars(value).items() if k[0] != "_"} for value in one.values if value
    }
    least = [] if one.numbers is None or one.numbers.least is None else [one.numbers.least - 1]
    wrong = ["no such value", "none", *least]
    fields |= {f"refused {value}": told for value in wrong if (told := _refused(one, value))}
    lines = (f"  {name}: {value!s}" for name, value in fields.items() if not callable(value))
    return "\n".join([one.label, *lines])


NAMES = {one.__name__: one for one in (example_of, declared, literals, axes, axis, likeliest, causes)}
EXAMPLES = Kept(__file__, within=(NAMES,))
test_examples = EXAMPLES.test()
