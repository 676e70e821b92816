"""The result document as JSON: the one report that everything else can be made from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec

from crosscheck.errors import InputError
from crosscheck.report._escape import visible
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.results import SCHEMA_VERSION, Comparison, Document, number

__all__ = ["RENDERER", "as_json", "load", "render"]

_SURROGATE = re.compile("[\ud800-\udfff]")


def render(document: Document, options: RenderOptions) -> str:
    """The document as JSON: fields in their order, maps sorted by key, two spaces per level, final newline.

    NaN and infinities are the strings that :func:`crosscheck.results.number` makes of them, never a
    literal that JSON does not have and never null. A lone surrogate, which UTF-8 cannot hold, is spelt
    ``\\xNN``.
    """
    return as_json(document)


def as_json(document: Any) -> str:
    """As :func:`render`, for any document made of records."""
    plain = _writable(msgspec.to_builtins(document, order="deterministic"))
    return msgspec.json.format(msgspec.json.encode(plain), indent=2).decode() + "\n"


def _writable(value: Any) -> Any:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return _SURROGATE.sub(lambda found: visible(found[0]), value)
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_writable(item) for item in value]
    return value


def load(text: str | bytes, *, path: str = "result document") -> Document:
    """The document that :func:`render` wrote, this version or an older one.

    Where version 1 says more than is known, the document says less: ``interval`` is ``none``, and ``proved``
    is ``consistent`` where fewer than three queries differ.

    Args:
        text: JSON, UTF-8 where it is bytes.
        path: where it came from, for messages.

    Raises:
        InputError: it is not JSON, a field is missing or has another type, or the schema version is
            later than ours. Fields that this version does not know are ignored.
    """
    try:
        version = msgspec.json.decode(text, type=dict[str, msgspec.Raw]).get("schema_version")
        if version is not None and bytes(version) == b"1":
            return _from_version_1(msgspec.json.decode(text))
        if version is not None and bytes(version) != str(SCHEMA_VERSION).encode():
            raise InputError(
                "the result document has another schema version",
                path=path,
                found=bytes(version),
                expected=f"schema_version {SCHEMA_VERSION}",
                hint="read it with the version of crosscheck that wrote it",
            )
        return msgspec.json.decode(text, type=Document, strict=True)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(
            f"this is not a result document: {visible(str(error))}",
            path=path,
            expected="JSON as crosscheck run --report json writes it",
        ) from None


def _from_version_1(held: Any) -> Document:
    """A document whose ``proved`` needed no three queries, and which had a strength ``interval``."""
    comparisons = held.get("comparisons")
    for comparison in comparisons if isinstance(comparisons, list) else ():
        diagnosis = comparison.get("diagnosis") if isinstance(comparison, dict) else None
        if isinstance(diagnosis, dict) and diagnosis.get("strength") == "interval":
            diagnosis["strength"] = "none"
    document = msgspec.convert({**held, "schema_version": SCHEMA_VERSION}, Document, strict=True)
    return replace(document, comparisons=[_no_more_than_known(c) for c in document.comparisons])


def _no_more_than_known(comparison: Comparison) -> Comparison:
    found = comparison.diagnosis
    if found is None or found.strength != "proved" or comparison.mismatches + comparison.missing >= 3:
        return comparison
    return replace(comparison, diagnosis=replace(found, strength="consistent"))


RENDERER = Renderer("json", "json", document=render)
