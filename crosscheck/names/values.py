"""The values of a measure's parameters, from text."""

from __future__ import annotations

import math
import re

from crosscheck.model import ParamValue

__all__ = ["is_number", "parsed_value", "split_parameters"]

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
#: The words allowed as parameter values.
_CHOICES = {"dcg": ("log2", "exp-log2")}


def is_number(text: str) -> bool:
    """Whether the text is a finite decimal number."""
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def split_parameters(text: str) -> list[tuple[str, str]]:
    """``a=1,b=[2,3]`` as (name, value) pairs; a part without ``=`` has an empty value."""
    parts = (part.strip() for part in re.split(r",(?![^\[{]*[\]}])", text))
    pairs = (part.partition("=") for part in parts if part)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def parsed_value(name: str, text: str, default: ParamValue, *, share: bool = False) -> ParamValue:
    """A parameter's value, of the type of its default.

    Args:
        share: whether the value must lie in [0, 1].

    Raises:
        ValueError: it is not of that type; the message names the type.
    """
    if isinstance(default, bool):
        if text in ("True", "False"):
            return text == "True"
        raise ValueError("True or False")
    if isinstance(default, str):
        word = text.strip("'\"")
        if word in _CHOICES[name]:
            return word
        raise ValueError(" or ".join(map(repr, _CHOICES[name])))
    if isinstance(default, tuple):
        return _gains(text) if name == "gains" else _list(text)
    if isinstance(default, int):
        if re.fullmatch(r"[-+]?\d+", text):
            return int(text)
        raise ValueError("a whole number")
    value = _number(text)
    if share and not 0 <= value <= 1:
        raise ValueError("a number from 0 to 1")
    return value


def _number(text: str) -> float:
    if not is_number(text):
        raise ValueError("a number")
    return float(text)


def _list(text: str) -> tuple[float, ...]:
    entries = [entry.strip() for entry in text.removeprefix("[").removesuffix("]").split(",")]
    if not text.startswith("[") or not text.endswith("]") or not all(map(is_number, entries)):
        raise ValueError("a list of numbers like [1,0.5]")
    return tuple(map(float, entries))


def _gains(text: str) -> tuple[tuple[int, float], ...]:
    found = [entry.partition(":") for entry in text.removeprefix("{").removesuffix("}").split(",")]
    pairs = [(level.strip(), gain.strip()) for level, _, gain in found]
    whole = all(re.fullmatch(r"[-+]?\d+", level) and is_number(gain) for level, gain in pairs)
    if not text.startswith("{") or not text.endswith("}") or not whole:
        raise ValueError("gains of relevance levels like {1:3,2:9}")
    return tuple((int(level), float(gain)) for level, gain in pairs)
