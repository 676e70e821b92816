"""Writing accepted mismatches into ``case.toml`` without touching anything else in it."""

import os
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, cast

import tomlkit
from tomlkit.items import AoT

from crosscheck.errors import InputError, UsageError
from crosscheck.formats.source import ChangedError, remove_whole, write_whole
from crosscheck.formats.toml_table import TomlSection, parsed_toml, sections, toml_text
from crosscheck.model import Expectation

#: A function that is called with a change before it is written: path, text before and text after.
Show: TypeAlias = Callable[[str, str, str], None]
#: A function that maps the name of a measure to its canonical spelling.
Canonical: TypeAlias = Callable[[str], str]


def accept(path: str, expectations: Sequence[Expectation], canonical: Canonical, show: Show) -> None:
    """Declare mismatches as known: write one ``[[expect]]`` table for each of them.

    If there is an entry for the same candidate, measure and run, its causes, reason and outcome are replaced,
    and its strength too if it has one. Otherwise an entry without a strength is added at the end. Comments,
    order, line ends and all other entries stay.

    Args:
        path: the ``case.toml``, created if missing.
        expectations: the mismatches to declare; if empty, nothing is written.
        canonical: maps a measure name to its canonical spelling, so that an entry for ``P_10`` is found for
            ``P@10``.
        show: called with the change before it is written.

    Raises:
        UsageError: an expectation without a reason.
        InputError: the file is not TOML, cannot be written, or has a layout that cannot be edited.
    """
    if not expectations:
        return
    if any(not expectation.reason.strip() for expectation in expectations):
        raise UsageError("a known mismatch needs a reason", hint="say why it is known")
    before = _read(path)
    text = before or ""
    for expectation in expectations:
        edited = _with(text, expectation, canonical)
        if not _holds(text, edited, expectation, canonical):
            raise _unedited(path, "added", f"add by hand:\n{_new_entry(expectation)}")
        text = edited
    _write(path, before, text, show)


def remove(path: str, expectations: Sequence[Expectation], canonical: Canonical, show: Show) -> None:
    """Remove the ``[[expect]]`` tables of some expectations. Arguments as for :func:`accept`.

    The rest of the file stays; a file that is empty afterwards is removed.

    Raises:
        InputError: the file cannot be written, or has a layout that cannot be edited.
    """
    before = _read(path)
    if before is None or not expectations:
        return

    def gone(entry: dict[str, Any]) -> bool:
        return any(_is_about(entry, expectation, canonical) for expectation in expectations)

    pieces = [
        part.text[len(_body(part)) :] if part.name == "expect" and gone(part.content) else part.text
        for part in sections(before)
    ]
    text = "".join(pieces) if "".join(pieces).strip() else ""
    wanted = tomllib.loads(before)
    wanted["expect"] = [entry for entry in wanted.get("expect", []) if not gone(entry)]
    if {"expect": [], **tomllib.loads(text)} != wanted:
        raise _unedited(path, "removed", "remove the expectation by hand")
    _write(path, before, text, show)


def _unedited(path: str, done: str, hint: str) -> InputError:
    problem = f"the layout of this file allows no expectation to be {done}"
    expected = "each known mismatch as a table under its own [[expect]]"
    return InputError(problem, path=path, expected=expected, hint=hint)


def _write(path: str, before: str | None, text: str, show: Show) -> None:
    show(path, before or "", text)
    try:
        if before is not None and not text:
            remove_whole(path, before.encode())
        else:
            write_whole(path, text, typed=False, was=None if before is None else before.encode())
    except ChangedError:
        problem = "the file was changed while it was being edited"
        raise InputError(problem, path=path, hint="call crosscheck again") from None
    except OSError as error:
        raise InputError(f"the file cannot be written: {error.strerror}", path=path) from None


def _read(path: str) -> str | None:
    if not os.path.exists(path):
        return None
    text = toml_text(path)
    parsed_toml(text, path)
    return text


def _with(text: str, expectation: Expectation, canonical: Canonical) -> str:
    """The text with the entry of this expectation replaced, or added at the end."""
    parts = sections(text)
    pieces = [part.text for part in parts]
    newline = "\r\n" if "\r\n" in text else "\n"
    for number, part in enumerate(parts):
        if part.name == "expect" and _is_about(part.content, expectation, canonical):
            pieces[number] = re.sub(r"\r?\n", newline, _edited(part, expectation))
            return "".join(pieces)
    before = text if not text or text.endswith("\n") else text + newline
    return before + (newline if before else "") + _new_entry(expectation).replace("\n", newline)


def _is_about(entry: dict[str, Any], expectation: Expectation, canonical: Canonical) -> bool:
    measure, about = entry.get("measure"), (expectation.candidate, expectation.run)
    named = isinstance(measure, str) and canonical(measure) == canonical(expectation.measure)
    return named and (entry.get("candidate"), entry.get("run")) == about


def _edited(part: TomlSection, expectation: Expectation) -> str:
    body = _body(part)
    document = tomlkit.parse(body)
    entry = cast(AoT, document["expect"])[0]
    if expectation.causes or "causes" in entry:
        entry["causes"] = list(expectation.causes)
    entry["reason"] = expectation.reason
    if expectation.outcome != "mismatch" or "outcome" in entry:
        entry["outcome"] = expectation.outcome
    if "strength" in entry and expectation.strength is not None:
        entry["strength"] = expectation.strength
    return tomlkit.dumps(document) + part.text[len(body) :]


def _body(part: TomlSection) -> str:
    """The text of a table without blank lines and comments at its end, which may belong to the next table."""
    return re.sub(r"(^[ \t]*(#[^\n]*)?\r?(\n|\Z))+\Z", "", part.text, flags=re.MULTILINE)


def _new_entry(expectation: Expectation) -> str:
    entry = {
        "candidate": expectation.candidate,
        "measure": expectation.measure,
        "run": expectation.run,
        "outcome": expectation.outcome if expectation.outcome != "mismatch" else None,
        "causes": list(expectation.causes) or None,
        "reason": expectation.reason,
    }
    return tomlkit.dumps({"expect": [{key: value for key, value in entry.items() if value is not None}]})


def _holds(old: str, new: str, expectation: Expectation, canonical: Canonical) -> bool:
    """Whether the new text declares the expectation and is otherwise unchanged."""
    try:
        before, after = tomllib.loads(old), tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        return False

    def without(content: dict[str, Any]) -> dict[str, Any]:
        others = [e for e in content.get("expect", []) if not _is_about(e, expectation, canonical)]
        return {**content, "expect": others}

    wanted = list(expectation.causes), expectation.reason, expectation.outcome
    about = [entry for entry in after.get("expect", []) if _is_about(entry, expectation, canonical)]
    said = [(e.get("causes", []), e["reason"], e.get("outcome", "mismatch")) for e in about]
    return without(before) == without(after) and wanted in said
