"""The messages of the harness protocol: requests and replies, with a specific error for every mistake."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from crosscheck.backends.outcomes import as_float, kind, printable, refusal
from crosscheck.backends.texts import Texts, topic_rows
from crosscheck.errors import BackendError, quoted
from crosscheck.model import Measure, Run

__all__ = ["PROTOCOL", "START", "STOP", "Greeting", "greeting_of", "inline", "measured", "parsed"]

PROTOCOL = 1
START: dict[str, object] = {"cmd": "start", "protocol": PROTOCOL}
STOP: dict[str, object] = {"cmd": "stop"}

_INPUTS = ("inline", "paths")
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Greeting(Struct, frozen=True, kw_only=True):
    """A program's description of itself.

    Attributes:
        measures: names of the measures that the program lists; empty if it lists none.
        inputs: the forms of qrels and run that the program accepts: ``inline``, ``paths`` or both.
    """

    name: str
    version: str
    measures: tuple[str, ...]
    inputs: frozenset[str] = frozenset({"inline"})


def parsed(line: bytes) -> dict[str, Any]:
    """The JSON object of a line.

    Raises:
        BackendError: the line is not JSON, holds a number that JSON does not have, or is not an object.
    """

    def refuse(constant: str) -> float:
        raise BackendError(
            f"wrote {constant} as a number, which JSON does not have", hint=f'write it as "{constant}"'
        )

    try:
        message = json.loads(line.decode("utf-8"), parse_constant=refuse)
    except UnicodeDecodeError:
        raise BackendError(f"wrote a line that is not UTF-8: {_shown(line)}") from None
    except (ValueError, RecursionError):
        raise BackendError(f"wrote a line that is not JSON: {_shown(line)}") from None
    if not isinstance(message, dict):
        raise BackendError(f"wrote {kind(message)} where a JSON object belongs: {_shown(line)}")
    return message


def _shown(line: bytes) -> str:
    return quoted(line.rstrip(b"\r\n"), 80)


def greeting_of(message: Mapping[str, Any]) -> Greeting:
    """The greeting in a program's reply to ``start``.

    Raises:
        BackendError: a field of the wrong type, another protocol version, or an error instead of a greeting.
    """
    _raise_reported(message)
    protocol = message.get("protocol", PROTOCOL)
    if protocol != PROTOCOL:
        raise BackendError(f"speaks protocol {printable(str(protocol), 20)}; this is protocol {PROTOCOL}")
    name, version, measures = message.get("name"), message.get("version", ""), message.get("measures", [])
    if not isinstance(name, str) or not isinstance(version, str):
        raise BackendError('answered start without "name" and "version" as strings')
    if not isinstance(measures, list) or not all(isinstance(m, str) for m in measures):
        raise BackendError('answered start with "measures" that is not a list of names')
    inputs = message.get("inputs", ["inline"])
    if not isinstance(inputs, list) or not inputs or not all(kind in _INPUTS for kind in inputs):
        raise BackendError('answered start with "inputs" other than "inline" and "paths"')
    return Greeting(
        name=printable(name, 100),
        version=printable(version, 100),
        measures=tuple(measures),
        inputs=frozenset(inputs),
    )


def inline(texts: Texts, run: Run) -> dict[str, object]:
    """The fields of a request that holds qrels and run, documents in input order; ``ranks`` only if the run
    has a rank column."""
    scores = {q: {d: _written(s) for d, s in docs.items()} for q, docs in texts.run.items()}
    given: dict[str, object] = {"qrels": texts.qrels, "run": scores}
    if run.ranks is not None:
        by_topic = {topic: run.ranks[rows].tolist() for topic, rows in topic_rows(run)}
        given["ranks"] = {
            q: dict(zip(docs, by_topic[texts.topics[q]], strict=True)) for q, docs in texts.run.items()
        }
    return given


def _written(number: float) -> float | str:
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else ("Infinity" if number > 0 else "-Infinity")


def measured(
    reply: Mapping[str, Any], names: Mapping[str, Measure], topics: Mapping[str, bytes]
) -> dict[Measure, tuple[dict[bytes, float], float | None]]:
    """Values per topic, and the mean if there is one, of every requested measure.

    Raises:
        BackendError: an error that the program reports, a measure it does not have, or a malformed reply.
    """
    _raise_reported(reply)
    unsupported = reply.get("unsupported")
    if unsupported:
        listed = ", ".join(map(str, unsupported)) if isinstance(unsupported, list) else str(unsupported)
        raise BackendError(f"does not have {printable(listed, 200)}")
    values, means = reply.get("values"), reply.get("means", {})
    if not isinstance(values, dict):
        raise BackendError('answered without "values", "unsupported" or "error"')
    if not isinstance(means, dict):
        raise BackendError('gave "means" that are not an object')
    found: dict[Measure, tuple[dict[bytes, float], float | None]] = {}
    for name, measure in names.items():
        if not isinstance(values.get(name), dict):
            raise BackendError(f"gave no values of {name}")
        by_topic: dict[bytes, float] = {}
        for query, value in values[name].items():
            if query not in topics:
                raise BackendError(f"gave {name} of {quoted(query)}, a query of neither run nor qrels")
            by_topic[topics[query]] = _number(value, f"{name} of query {quoted(query)}")
        mean = means.get(name)
        found[measure] = by_topic, None if mean is None else _number(mean, f"the mean of {name}")
    return found


def _number(value: object, what: str) -> float:
    if value is None:
        raise BackendError(f"gave null as {what}", hint="a query without a value must be left out")
    number = _SPECIAL.get(value) if isinstance(value, str) else as_float(value)
    if number is None:
        raise BackendError(f"gave {kind(value)} as {what}, {refusal(value)}: {printable(repr(value), 60)}")
    return number


def _raise_reported(message: Mapping[str, Any]) -> None:
    if "error" in message:
        error = message["error"]
        said = error.get("message") if isinstance(error, dict) else error
        raise BackendError(f"reported an error: {printable(str(said), 500)}")
