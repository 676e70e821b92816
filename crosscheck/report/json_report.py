"""A document as JSON: the one report that everything else can be made from."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import msgspec

from crosscheck.errors import InputError
from crosscheck.report._escape import visible
from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.pages import Kind, kinds
from crosscheck.results import SCHEMA_VERSION, Comparison, Document, number
from crosscheck.study_records import STUDY_VERSION

__all__ = ["RENDERER", "as_json", "load", "render"]

#: Kinds of documents that are told by a field of their name.
_BY_FIELD = ("audit", "properties")
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(document: Any, options: RenderOptions) -> str:
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


def load(text: str | bytes, *, path: str = "result document") -> Any:
    """The document that :func:`render` wrote, of whichever kind, this version or an older one.

    Where version 1 of a run's says more than is known, the document says less: ``interval`` is ``none``, and
    ``proved`` is ``consistent`` where fewer than three queries differ.

    Args:
        text: JSON, UTF-8 where it is bytes.
        path: where it came from, for messages.

    Raises:
        InputError: it is not JSON, a field is missing or has another type, or the schema version is
            later than ours. Fields that this version does not know are ignored.
    """
    try:
        held = msgspec.json.decode(text, type=dict[str, Any])
        kind = kinds().get(next((name for name in _BY_FIELD if name in held), held.get("study", "run")))
        if kind is None:
            raise msgspec.DecodeError(f"there is no study {held.get('study')!r}")
        newest = STUDY_VERSION if "study" in held else SCHEMA_VERSION
        version = held.get("schema_version")
        if version is not None and not (isinstance(version, int) and 1 <= version <= newest):
            raise InputError(
                "the result document has another schema version",
                path=path,
                found=str(version),
                expected=f"schema_version {newest}",
                hint="read it with the version of crosscheck that wrote it",
            )
        if isinstance(version, int) and version < newest:
            return _brought_up(held, version, kind)
        return msgspec.json.decode(text, type=kind.document, strict=True)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(
            f"this is not a result document: {visible(str(error))}",
            path=path,
            expected="JSON as --report json writes it",
        ) from None


def _brought_up(held: Any, version: int, kind: Kind[Any]) -> Any:
    """An older document as this version holds it."""
    if kind.name in _BY_FIELD:
        return msgspec.convert({**held, "schema_version": SCHEMA_VERSION}, kind.document, strict=True)
    _rename_values(held)
    if kind.name != "run":
        return msgspec.convert({**held, "schema_version": STUDY_VERSION}, kind.document, strict=True)
    for comparison in _dicts(held, "comparisons"):
        diagnosis = comparison.get("diagnosis")
        if version == 1 and isinstance(diagnosis, dict) and diagnosis.get("strength") == "interval":
            diagnosis["strength"] = "none"
    document: Document = msgspec.convert({**held, "schema_version": SCHEMA_VERSION}, Document, strict=True)
    if version > 1:
        return document
    return replace(document, comparisons=[_no_more_than_known(c) for c in document.comparisons])


def _rename_values(held: Any) -> None:
    """``reference`` and ``candidate`` were names of backends and of their values, up to version 2."""
    compared = [*_dicts(held, "comparisons"), *_dicts(held, "groups")]
    impacts = _dicts(held, "impacts")
    values = [mean for one in compared if isinstance(mean := one.get("mean"), dict)]
    values += [cell for one in compared for cell in _dicts(one, "cells")]
    values += [move for one in impacts for name in ("systems", "queries") for move in _dicts(one, name)]
    for value in values:
        for side in ("reference", "candidate"):
            if side in value:
                value[f"{side}_value"] = value.pop(side)


def _dicts(held: Any, name: str) -> list[dict[str, Any]]:
    """The objects of a list, in what need not be a document at all."""
    found = held.get(name)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _no_more_than_known(comparison: Comparison) -> Comparison:
    found = comparison.diagnosis
    if found is None or found.strength != "proved" or comparison.mismatches + comparison.missing >= 3:
        return comparison
    return replace(comparison, diagnosis=replace(found, strength="consistent"))


RENDERER = Renderer("json", "json", document=render)
