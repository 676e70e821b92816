"""The parameters of ``-m name.parameters``, and the output columns they give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from crosscheck.errors import quoted
from crosscheck.formats.numerals import INT64, atof, atol
from crosscheck.model import Measure, ParamValue
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.selection import Request, TrecEvalMeasure, Version

__all__ = ["RELSTRING_LENGTH", "Column", "columns", "double", "long"]

RELSTRING_LENGTH = 10
_BLANKS = b" \t\n\v\f\r"
_WHOLE = re.compile(rb"[+-]?\d+")


class Column(Struct, frozen=True, eq=False):
    """A column of the output, which has one value per topic.

    Attributes:
        name: name of the column as printed.
        about: the measure of trec_eval that the column belongs to.
        measure: the measure to compute, None for texts.
        length: number of ranks shown by ``relstring``.
    """

    name: bytes
    about: TrecEvalMeasure
    measure: Measure | None = None
    length: int = RELSTRING_LENGTH


def long(text: str | bytes) -> int:
    """C's ``atol``: the longest whole number at the start, 0 if there is none, clamped to 64 bits."""
    value, _ = atol(_bytes(text).lstrip(_BLANKS))
    return min(max(value, INT64.start), INT64.stop - 1)


def double(text: str | bytes) -> float:
    """C's ``atof``: the longest number at the start, 0.0 if there is none."""
    return atof(_bytes(text).lstrip(_BLANKS))[0]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def columns(request: Request, collection_size: int) -> list[Column]:
    """The columns of the requested measures, in the order of printing.

    Raises:
        TrecEvalError: with code 2, a measure does not accept its parameter list.
    """
    found: list[Column] = []
    for about in request.selected():
        given = request.parameters.get(about.name) if about.takes else None
        try:
            found += _columns_of(about, given, request.version, collection_size)
        except _ParameterError as error:
            raise TrecEvalError(
                2,
                error.said,
                f"trec_eval: Cannot initialize measure '{about.name}'",
                problem=f"-m {about.name}.{quoted(given or b'')[1:-1]}: {error.problem}",
            ) from None
    return found


class _ParameterError(Exception):
    """A parameter list that trec_eval refuses, with its words and an explanation."""

    def __init__(self, said: str, problem: str) -> None:
        super().__init__(said)
        self.said, self.problem = f"trec_eval: {said}", problem


def _columns_of(
    about: TrecEvalMeasure, given: bytes | None, version: Version, collection_size: int
) -> list[Column]:
    name, family = about.name.encode(), about.family
    if family is not None and about.takes == "cutoffs":
        cuts = _cutoffs(given) if given is not None else map(int, family.trec_eval_defaults)
        return [Column(b"%s_%d" % (name, k), about, Measure(family.name, k)) for k in cuts]
    if family is not None and about.takes == "points":
        points = _points(given) if given is not None else family.trec_eval_defaults
        measures = [Measure(family.name, params=((family.at_parameter, p),)) for p in points]
        # C's buffer holds the name, the underscore and eight more characters.
        names = [(b"%s_%3.2f" % (name, p))[: len(name) + 9] for p in points]
        return [Column(name, about, m) for name, m in zip(names, measures, strict=True)]
    name = name if given is None else b"%s_%s" % (name, given)
    if about.takes == "values":
        return [_of_values(name, about, _values(given), collection_size)]
    if family is not None and about.takes == "pairs":
        pairs = _pairs(given) if given is not None else []
        return [Column(name, about, Measure(family.name, params=_pair_params(about, pairs, version)))]
    return [Column(name, about, None if family is None else Measure(family.name))]


def _cutoffs(text: bytes) -> list[int]:
    cutoffs = sorted(long(part) for part in text.split(b","))
    if cutoffs[0] <= 0:
        problem = f"a cutoff is a whole number from 1 on, not {cutoffs[0]}"
        raise _ParameterError("Negative cutoff detected", problem)
    _refuse_repeated(cutoffs)
    return cutoffs


def _points(text: bytes) -> list[float]:
    points = sorted(double(part) for part in text.split(b","))
    _refuse_repeated(points)
    return points


def _refuse_repeated(ordered: Sequence[float]) -> None:
    for one, next_one in pairwise(ordered):
        if one == next_one:
            raise _ParameterError("duplicate cutoffs detected", f"{one:g} occurs twice")


def _values(text: bytes | None) -> tuple[float, ...] | None:
    return None if text is None else tuple(double(part) for part in text.split(b","))


def _of_values(
    name: bytes, about: TrecEvalMeasure, values: tuple[float, ...] | None, collection_size: int
) -> Column:
    if about.name == "relstring":
        length = RELSTRING_LENGTH if values is None else _whole_part(values[0])
        return Column(name, about, length=max(0, length))
    assert about.family is not None
    params: dict[str, ParamValue] = {}
    if about.name == "utility":
        if values is not None and len(values) != 4:
            return Column(name, about)
        params["N"] = float(collection_size)
    if values is not None:
        parameter = about.family.trec_eval_param
        assert parameter is not None
        params[parameter] = values[0] if about.name == "set_F" else values
    return Column(name, about, Measure(about.family.name, params=tuple(sorted(params.items()))))


def _whole_part(value: float) -> int:
    """C's conversion to an integer; NaN and values beyond 64 bits become the lowest integer, as on x86."""
    return int(value) if abs(value) < 2.0**63 else INT64.start


def _pairs(text: bytes) -> list[tuple[bytes, float]]:
    parts = text.split(b",")
    if any(part.count(b"=") != 1 for part in parts):
        problem = "pairs level=gain are needed, separated by commas, such as 1=3,2=7"
        raise _ParameterError(f"malformed pair parameters in {quoted(text)}", problem)
    return [(level, double(value)) for level, _, value in (part.partition(b"=") for part in parts)]


def _pair_params(
    about: TrecEvalMeasure, pairs: Sequence[tuple[bytes, float]], version: Version
) -> tuple[tuple[str, ParamValue], ...]:
    params: dict[str, ParamValue] = {}
    if about.name != "rbp_resid":
        # 10.0 ignores names that are not whole numbers; 9.0.8 reads their integer prefix, so "a" is 0.
        gains = tuple((long(n), value) for n, value in pairs if version != "10.0" or _WHOLE.fullmatch(n))
        params |= {"gains": gains} if gains else {}
    if about.name.startswith("rbp"):
        params |= {"p": dict(pairs)[b"p"]} if b"p" in dict(pairs) else {}
    return tuple(sorted(params.items()))
