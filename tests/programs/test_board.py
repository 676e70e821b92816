"""Claims about the files of the board, without installing a package."""

from __future__ import annotations

import ast

import pytest

from crosscheck.conventions import Conventions
from crosscheck.names import parse_measure
from tests.programs.board import Package, packages
from tests.programs.board.answers import answer_of


@pytest.mark.parametrize("package", packages(), ids=lambda package: package.name)
def test_every_file_has_a_requirement_and_an_expectation_for_each_function(package: Package) -> None:
    """A pinned package, and for each public function a measure and conventions that exist."""
    assert "==" in package.requirement
    tree = ast.parse(package.file.read_text("utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert package.expected.keys() == {name for name in functions if not name.startswith("_")}
    assert ast.get_docstring(tree)
    for expected in package.expected.values():
        parse_measure(expected.measure)
        if not isinstance(expected.conventions, str):
            Conventions(**expected.conventions)


def _audit(**changes: object) -> dict[str, object]:
    told = {"verdict": "deviates", "causes": [], "conventions": {}, "alternatives": [], "call": "f(gains, k)"}
    return told | changes


def test_an_answer_is_right_in_another_spelling_and_wrong_with_another_value() -> None:
    """Spellings of one set are equal; a missing label, another value and a plain "agrees" are wrong."""
    rankflow = next(package for package in packages() if package.name == "rankflow")
    expected = rankflow.expected["average_precision"]
    spelt = _audit(causes=["universe"], conventions={"universe": "retrieved"})
    assert answer_of(spelt, expected) == "right"
    assert answer_of(_audit(verdict="agrees"), expected).startswith("wrong")
    other = _audit(causes=["ap-denominator"], conventions={"ap_denominator": "k"})
    assert answer_of(other, expected).startswith("wrong")
    refusing = _audit(causes=["universe", "refuses-input"], conventions={"universe": "retrieved"})
    assert answer_of(refusing, expected).startswith("wrong")
    assert answer_of(_audit(causes=["unexplained"]), expected).startswith("unexplained")
