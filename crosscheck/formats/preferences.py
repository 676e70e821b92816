"""Preferences between documents, in trec_eval's formats ``prefs`` and ``qrels_prefs``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from crosscheck.errors import InputError
from crosscheck.formats.grouping import identifiers
from crosscheck.formats.numerals import atof
from crosscheck.model import Preferences, Qrels

__all__ = ["Line", "preferences_from_text", "preferences_of"]

#: Topic, group of judges, subgroup of documents, docno and level.
Line: TypeAlias = tuple[bytes, bytes, bytes, bytes, float]

_COLUMNS = ("topic", "group", "subgroup", "docno", "level")
_HIGHEST = "preferences: for other measures a document has the whole part of its highest level"


def preferences_of(lines: Iterable[Line], source: str, notes: tuple[str, ...] = ()) -> Qrels:
    """Qrels with the preferences; their rows are the documents that the lines mention, sorted by docno."""
    found: dict[bytes, dict[bytes, list[tuple[bytes, bytes, float]]]] = {}
    for topic, group, subgroup, docno, level in lines:
        found.setdefault(topic, {}).setdefault(docno, []).append((group, subgroup, level))
    topics = sorted(found)
    documents = [document for topic in topics for document in sorted(found[topic].items())]
    entries = [(row, *line) for row, (_, lines) in enumerate(documents) for line in lines]
    row, groups, subgroups, given = zip(*entries, strict=True)
    document, levels = np.array(row, np.int64), np.array(given, np.float64)
    rels = np.full(len(documents), np.iinfo(np.int64).min)
    np.maximum.at(rels, document, np.clip(np.nan_to_num(levels), -(2.0**62), 2.0**62).astype(np.int64))
    return Qrels(
        topics=tuple(topics),
        offsets=np.cumsum([0, *(len(found[topic]) for topic in topics)], dtype=np.int64),
        docnos=identifiers([docno for docno, _ in documents]),
        rels=rels,
        source=source,
        notes=(*notes, _HIGHEST),
        preferences=Preferences(
            document=document, group=identifiers(groups), subgroup=identifiers(subgroups), level=levels
        ),
    )


def preferences_from_text(
    text: bytes, path: str, *, subgroups: bool | None = None, notes: tuple[str, ...] = ()
) -> Qrels:
    """Read ``topic group [subgroup] docno level`` lines by trec_eval's rules.

    The longest number at the start of a level counts, 0.0 if there is none. Columns are separated by ASCII
    blanks; lines end at ``\\n`` only.

    Args:
        subgroups: whether lines have the column ``subgroup`` (``prefs``) or not (``qrels_prefs``); None to
            decide by the first line.

    Raises:
        InputError: at the first line that has another number of columns (a blank one included) or a NUL
            byte, or if there is no line.
    """
    if subgroups is None:
        subgroups = len(text.partition(b"\n")[0].split()) == len(_COLUMNS)
    names = _COLUMNS if subgroups else tuple(name for name in _COLUMNS if name != "subgroup")
    return preferences_of(_lines(text, path, names), path, notes)


def _lines(text: bytes, path: str, names: Sequence[str]) -> Iterator[Line]:
    expected = f"exactly {len(names)} columns: {' '.join(names)}"
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError("the file is empty", path=path, expected=f"lines with {expected}")
    for number, line in enumerate(lines, 1):
        columns = line.split()
        if len(columns) == len(names) and b"\0" not in line:
            topic, group, *subgroup, docno, level = columns
            yield topic, group, subgroup[0] if subgroup else b"", docno, atof(level)[0]
            continue
        if b"\0" in line:
            problem, hint = "a NUL byte", "save the file as plain text; this may be UTF-16"
        elif not columns:
            problem, hint = "a blank line", "remove it; trec_eval fails on it as well"
        else:
            problem = f"a line with {len(columns)} column{'' if len(columns) == 1 else 's'}"
            hint = "is this another format? -R chooses between qrels, qrels_jg, prefs and qrels_prefs"
        raise InputError(problem, path=path, line=number, found=line, expected=expected, hint=hint)
