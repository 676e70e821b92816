"""The list of functions with everyday signatures, with what is known of each, and a recipe for most."""

from __future__ import annotations  # also of what exec defines: annotations are texts

import ast
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from tests.support.oracle import changes_of

_F = TypeVar("_F", bound=Callable[..., Any])

#: Target as an audit is told, the measure it claims, the call it is written for, and the axes on which it
#: differs from trec_eval 9.0.8: None where nothing may be explained.
ASKED: list[tuple[str, str, str, dict[str, Any] | None]] = []


def asked(
    measure: str, call: str, *, method: str = "", unexplained: bool = False, **changes: Any
) -> Callable[[_F], _F]:
    """Add a function to the list."""

    def added(function: _F) -> _F:
        target = f"{function.__module__}:{function.__qualname__}" + (f".{method}" if method else "")
        ASKED.append((target, measure, call, None if unexplained else changes))
        return function

    return added


def define(module: dict[str, Any], formulas: Mapping[str, Callable[..., Any]]) -> None:
    """Define the functions of the text file beside a module in it, and add them to the list: under each call,
    lines of measure and signature, ``=>`` what is returned, and ``; axis=value`` for the changes.

    What returns nothing of its own has the formula that is named by the measure's family and the changes. Its
    parameters are the words of the call: what ``f(set(relevant_ids), ranked_ids, k=k)`` passes first is its
    ``relevant_ids``.
    """
    call = ""
    for line in Path(module["__file__"]).with_suffix(".txt").read_text("utf-8").splitlines():
        if not line.startswith(" "):
            call = line
            continue
        measure, _, rest = line.strip().partition(" ")
        head, _, setting = rest.partition("; ")
        signature, _, returned = head.partition(" => ")
        name = signature.partition("(")[0]
        if returned:
            exec(f"def {signature}:\n    return {returned}", module)
        else:
            _with_formula(module, measure, signature, call, setting, formulas)
        changes: Any = {"unexplained": True} if setting == "unexplained" else changes_of(setting)
        asked(measure, call, **changes)(module[name])


def _with_formula(
    module: dict[str, Any], measure: str, signature: str, call: str, setting: str, formulas: Mapping[str, Any]
) -> None:
    family = measure.partition("@")[0] + (f"; {setting}" if setting else "")
    defined, called = ast.parse(f"def {signature}: pass").body[0], ast.parse(call, mode="eval").body
    assert isinstance(defined, ast.FunctionDef)
    assert isinstance(called, ast.Call)
    passed = [(one.arg, value) for one, value in zip(defined.args.args, called.args, strict=False)]
    passed += [(keyword.arg or "", keyword.value) for keyword in called.keywords]
    words = {
        next(node.id for node in reversed([*ast.walk(value)]) if isinstance(node, ast.Name)): name
        for name, value in passed
    }
    formula = formulas.get(f"{family} of {next(iter(words))}") or formulas[family]
    arguments = ", ".join(f"{word}={name}" for word, name in words.items())
    exec(f"def {signature}:\n    return {defined.name}.formula({arguments})", module)
    module[defined.name].formula = formula
