"""Measure names: both spellings in, one canonical spelling out, and back."""

import re
from itertools import combinations

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosscheck import names
from crosscheck.errors import UnknownMeasure
from crosscheck.measures import families
from crosscheck.model import Measure, ParamValue
from crosscheck.names import parse_measure, trec_eval_name
from tests.support.kept import Kept, each


def read(*texts):
    """The canonical name of each, which can be read again, and trec_eval's."""
    measures = [(text, parse_measure(text)) for text in texts]
    assert all(parse_measure(str(measure)) == measure for _, measure in measures)
    return "\n".join(f"{text}: {measure}, {trec_eval_name(measure)}" for text, measure in measures)


EXAMPLES = Kept(__file__, **vars(names) | {"spelt": read, "each": each})
test_examples = EXAMPLES.test()

_NUMBERS = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)
_GAINS = st.lists(st.tuples(st.integers(-3, 9), _NUMBERS), min_size=1, max_size=4).map(tuple)


@given(
    st.sampled_from([*families().values()]), st.integers(1, 5000), st.integers(2, 9), _NUMBERS, _GAINS,
    st.lists(_NUMBERS, min_size=1, max_size=4).map(tuple),
)  # fmt: skip
def test_canonical_names_can_be_read_again(about, cutoff, rel, number, gains, numbers):
    """Reading the canonical name gives the measure back, whatever its parameters; so does trec_eval's."""
    params: dict[str, ParamValue] = {}
    for one in about.params:
        fraction = abs(number) % 1.0 if one.share else number
        kinds: dict[type, ParamValue] = {bool: True, str: "exp-log2", int: 7, float: fraction}
        value = gains if one.name == "gains" else kinds.get(type(one.default), numbers)
        if one.name != "relative" and (value != one.default or one.required):
            params[one.name] = value
    measure = Measure(
        about.name, cutoff if about.cutoff != "none" else None,
        rel if about.rel and about.name != "NumRet" else None, tuple(sorted(params.items())),
    )  # fmt: skip
    assert parse_measure(str(measure)) == measure
    printed = trec_eval_name(measure)
    if printed is not None and about.at_parameter == "cutoff" and "N" not in params:
        again = parse_measure(printed)
        assert (again.family, again.cutoff, again.params) == (about.name, measure.cutoff, measure.params)


#: Values of the parameters of ir_measures by their types; those without a choice.
_VALUES = {int: "0 1 3", float: "0.3 1", bool: "True False", dict: "{1:0.5,3:2}"}


def spelt(name, cls):
    """A measure of ir_measures with values of its parameters, two at a time beside those that it needs: the
    cutoff behind an @ or by its name, with and without blanks."""
    values = {
        key: [*map(repr, of.choices)] if isinstance(of.choices, list) else _VALUES[of.dtype].split(" ")
        for key, of in cls.SUPPORTED_PARAMS.items()
    }
    needed = {key: values[key][-1] for key, of in cls.SUPPORTED_PARAMS.items() if of.required}
    one_more = [{}, *({key: value} for key, of in values.items() for value in of)]
    for first, second in [({}, {}), *combinations(one_more, 2)]:
        params = needed | first | second
        yield f"{name}({', '.join(f'{key}={value}' for key, value in params.items())})"
        at = params.pop(cls.AT_PARAM, None)
        inside = ",".join(f"{key}={value}" for key, value in params.items())
        behind, called = ("" if at is None else f"@{at}"), f"({inside})" if inside else ""
        yield f"{name}{called}{behind}"
        yield f" {name} {called} {behind.replace('@', '@ ')} ".replace("'", '"')


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_measure_of_ir_measures_is_parsed_or_refused_by_name(name):
    """All that its parser takes, in whatever spelling: the measure with the same parameters, or an error that
    names it: a cutoff of 0, and one that is missing although the measure has no value without it."""
    cls, compared = ir_measures.measures.registry[name], 0
    for text in spelt(name, cls):
        try:
            theirs = ir_measures.parse_measure(text.strip())
            theirs.validate_params()
        except (ValueError, AssertionError):
            continue
        try:
            ours = parse_measure(text)
        except UnknownMeasure as error:
            said = str(error).replace("alpha", "α")
            assert name.replace("alpha", "α") in said
            assert re.search("cutoff must be at least 1|needs a cutoff|no parameter 'relative'", said)
            continue
        found = {"dcg": "log2", "cutoff": ours.cutoff, "rel": 1 if ours.rel is None else ours.rel} | {
            one.name: one.default for one in families()[ours.family].params
        }
        found |= {"relative": ours.family == "SetRelP"} | dict(ours.params)
        for key, value in theirs.params.items():
            assert found[key] == (tuple(value.items()) if key == "gains" else value), text
        compared += 1
    assert compared >= 3
