"""Lines of trec_eval's other judgement formats: a fixed number of columns, as strict as qrels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crosscheck.errors import InputError

__all__ = ["judgement_lines"]


def judgement_lines(text: bytes, path: str, columns: Sequence[str]) -> Iterator[tuple[int, list[bytes]]]:
    """Line numbers (from 1) and columns of a file in which every line has the same columns.

    Columns are separated by ASCII blanks; lines end at ``\\n`` only.

    Args:
        text: the whole content.
        path: for messages.
        columns: their names.

    Raises:
        InputError: at the first line with another number of columns (also a blank one) or a NUL byte, or if
            there are no lines.
    """
    expected = f"exactly {len(columns)} columns: {' '.join(columns)}"
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    if not lines:
        raise InputError("the file is empty", path=path, expected=f"lines with {expected}")
    for number, line in enumerate(lines, 1):
        found = line.split()
        if len(found) == len(columns) and b"\0" not in line:
            yield number, found
            continue
        if b"\0" in line:
            problem, hint = "a NUL byte", "save the file as plain text; this may be UTF-16"
        elif not found:
            problem, hint = "a blank line", "remove it; trec_eval fails on it as well"
        else:
            problem = f"a line with {len(found)} column{'' if len(found) == 1 else 's'}"
            hint = "is this another format? -R chooses between qrels, qrels_jg, prefs and qrels_prefs"
        raise InputError(problem, path=path, line=number, found=line, expected=expected, hint=hint)
