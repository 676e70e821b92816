"""The list of functions with everyday signatures, with what is known of each, and a recipe for most."""

from __future__ import annotations  # also of what exec defines: annotations are texts

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from tests.support.oracle import changes_of

_F = TypeVar("_F", bound=Callable[..., Any])

#: Target as an audit is told, the measure it claims, the call it is written for, and the axes on which it
#: differs from trec_eval 9.0.8: None where nothing may be explained.
ASKED: list[tuple[str, str, str, dict[str, Any] | None]] = []
#: A class with one method, whose parameters of ``__init__`` are attributes: name, these, method and its.
_CLASS = re.compile(r"(\w+)\((\w+)(.*?)\)\.(\w+)\((.*)\)")


def asked(
    measure: str, call: str, *, method: str = "", unexplained: bool = False, **changes: Any
) -> Callable[[_F], _F]:
    """Add a function to the list."""

    def added(function: _F) -> _F:
        target = f"{function.__module__}:{function.__qualname__}" + (f".{method}" if method else "")
        ASKED.append((target, measure, call, None if unexplained else changes))
        return function

    return added


def define(module: dict[str, Any]) -> None:
    """Define the functions of the text file beside a module in it, and add them to the list: under each call,
    lines of measure and signature, ``=>`` what is returned, and ``; axis=value`` for the changes.

    What returns nothing of its own has the formula that is named by the measure's family and the changes, of
    the lines under ``formulas``. Its parameters are the words of the call: what
    ``f(set(relevant_ids), ranked_ids, k=k)`` passes first is its ``relevant_ids``. Further indented lines are
    the docstring of what stands above them.
    """
    call, name, formulas = "", "", {}
    for line in Path(module["__file__"]).with_suffix(".txt").read_text("utf-8").splitlines():
        if not line or line.startswith(8 * " "):
            module[name].__doc__ = f"{module[name].__doc__ or ''}{line[8:]}\n"
            continue
        if not line.startswith(" "):
            call = line
            continue
        head, _, returned = line.strip().partition(" => ")
        if call == "formulas":
            formulas[head] = eval(f"lambda {returned}", module)
            continue
        said, _, setting = (returned or head).partition("; ")
        measure, _, signature = (head if returned else said).partition(" ")
        name = signature.partition("(")[0]
        if not returned:
            family = measure.partition("@")[0] + (f"; {setting}" if setting else "")
            words = _words(signature, call)
            formula = formulas.get(f"{family} of {next(iter(words))}") or formulas[family]
            said = f"{name}.formula({', '.join(f'{word}={given}' for word, given in words.items())})"
        if found := _CLASS.match(signature):
            _, held, given, method, parameters = found.groups()
            code = f"class {name}:\n  def __init__(self, {held}{given}): self.{held} = {held}\n"
            exec(f"{code}  def {method}(self, {parameters}): return {said}", module)
        else:
            exec(f"def {signature}:\n    return {said}", module)
        if not returned:
            module[name].formula = formula
        changes: Any = {"unexplained": True} if setting == "unexplained" else changes_of(setting)
        asked(measure, call, **changes)(module[name])


def _words(signature: str, call: str) -> dict[str, str]:
    """The words of a call, each with the parameter of a function that gets it."""
    defined, called = ast.parse(f"def {signature}: pass").body[0], ast.parse(call, mode="eval").body
    assert isinstance(defined, ast.FunctionDef)
    assert isinstance(called, ast.Call)
    passed = [(one.arg, value) for one, value in zip(defined.args.args, called.args, strict=False)]
    passed += [(keyword.arg or "", keyword.value) for keyword in called.keywords]
    return {
        next(node.id for node in reversed([*ast.walk(value)]) if isinstance(node, ast.Name)): name
        for name, value in passed
    }
