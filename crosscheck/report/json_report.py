"""A document as JSON, from which all other reports can be made, and the JSON Schema of each kind."""

import inspect
import json
import re
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from crosscheck.errors import InputError, no_such
from crosscheck.report.kinds import BY_FIELD, KINDS, kind
from crosscheck.report.page import RenderOptions
from crosscheck.report.words import inert, visible
from crosscheck.results import Comparison, Document, number

_NOT_ASCII = re.compile(r"[^\n -~]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def render(document: Any, options: RenderOptions | None = None) -> str:
    """The document as JSON: fields in their order, maps sorted by key, two spaces per level, final newline.

    NaN and infinities are strings, see :func:`crosscheck.results.number`, because JSON has no such numbers.
    Invisible characters are written as ``\\uNNNN``, and a lone surrogate, which cannot be encoded as UTF-8,
    as ``\\xNN``.
    """
    plain = _writable(msgspec.to_builtins(document, order="deterministic"))
    text = inert(msgspec.json.format(msgspec.json.encode(plain), indent=2).decode(), "\\u00{}")
    text = _NOT_ASCII.sub(lambda one: one[0] if one[0].isprintable() else json.dumps(one[0])[1:-1], text)
    return text + "\n"


def _writable(value: Any) -> Any:
    if isinstance(value, float):
        return number(value)
    if isinstance(value, str):
        return _SURROGATE.sub(lambda match: visible(match[0]), value)
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list) else value


def load(text: str | bytes, *, path: str = "result document") -> Any:
    """A document of any kind from the JSON that :func:`render` of this or an older version wrote.

    Strengths that were too high in older versions are lowered: ``interval`` becomes ``none`` and, in version
    1 of the document of a run, ``proved`` becomes ``consistent`` if fewer than three queries differ. Fields
    that this version does not know are ignored.

    Args:
        text: JSON; UTF-8 if it is bytes.
        path: path of the JSON, for messages.

    Raises:
        InputError: the text is not JSON, a field is missing or has a wrong type, or the document was written
            by a later version of crosscheck with a later schema.
    """
    try:
        held = msgspec.json.decode(text, type=dict[str, Any])
        name = next((name for name in BY_FIELD if name in held), held.get("study", "run"))
        if not isinstance(name, str) or name not in KINDS:
            raise msgspec.DecodeError(f"there is no study {name!r}")
        about, version = kind(name), held.get("schema_version")
        newest = about.version
        if version is not None and not (isinstance(version, int) and 1 <= version <= newest):
            problem = "this version of crosscheck cannot read the schema version of the result document"
            hint = "read the document with the version of crosscheck that wrote it"
            expected = f"schema_version {newest}"
            raise InputError(problem, path=path, found=str(version), expected=expected, hint=hint)
        if isinstance(version, int) and version < newest:
            held = _renamed(held) | {"schema_version": newest}
        document = msgspec.convert(held, about.document, strict=True)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        problem = f"this is not a result document: {visible(str(error))}"
        raise InputError(problem, path=path, expected="JSON as --report json writes it") from None
    if isinstance(document, Document) and version == 1:
        return replace(document, comparisons=[_no_more_than_known(c) for c in document.comparisons])
    return document


#: Fields of older documents in whose records ``reference`` and ``candidate`` are values; elsewhere they are
#: names of backends.
_VALUES = {"mean", "cells", "systems", "queries", "counterexamples", "accepts", "fingerprint"}


def _renamed(held: Any, within: str = "") -> Any:
    """An older document with the field names and strengths of this version."""
    if isinstance(held, list):
        return [_renamed(one, within) for one in held]
    if not isinstance(held, dict):
        return held
    names = {"reference": "reference_value", "candidate": "candidate_value"} if within in _VALUES else {}
    changed = {
        # Keys of other objects may be ids.
        names.get(key, key): _renamed(one, key) if isinstance(one, list) or key in _OBJECTS else one
        for key, one in held.items()
    }
    return changed | ({"strength": "none"} if changed.get("strength") == "interval" else {})


_OBJECTS = ("mean", "audit", "diagnosis")


def _no_more_than_known(comparison: Comparison) -> Comparison:
    diagnosis = comparison.diagnosis
    if diagnosis is None or diagnosis.strength != "proved" or comparison.mismatches + comparison.missing >= 3:
        return comparison
    return replace(comparison, diagnosis=replace(diagnosis, strength="consistent"))


@cache
def schema(name: str = "run") -> str:
    """The JSON Schema of the documents of a kind (``run``, ``audit``, or a study), as JSON text.

    Raises:
        UsageError: there is no such kind.
    """
    if name not in KINDS:
        raise no_such("study", name, sorted(KINDS), several="documents")
    about = kind(name)
    (root,), records = msgspec.json.schema_components([about.document], ref_template="#/$defs/{name}")
    for part in records.values():
        if "description" in part:
            part["description"] = inspect.cleandoc(part["description"]).replace("``", "`")
        for field in part.get("properties", {}).values():
            if field.get("default") in ([], {}):
                del field["default"]
    records[about.document.__name__]["properties"]["schema_version"] = {"const": about.version}
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"crosscheck {'result' if name == 'run' else name} document, version {about.version}",
        **root,
        "$defs": records,
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
