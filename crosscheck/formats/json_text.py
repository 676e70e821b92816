"""JSON input. Ambiguities that Python's reader accepts are errors here."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from crosscheck.errors import InputError

__all__ = ["parse_json"]


class _DuplicateKeyError(Exception):
    def __init__(self, key: str) -> None:
        self.key = key


def parse_json(data: bytes, path: str, expected: str) -> Any:
    """The value that JSON text holds; bare ``NaN`` and ``Infinity`` are numbers.

    Args:
        data: UTF-8 (with or without a byte order mark), UTF-16 or UTF-32.
        path, expected: name of the file and its expected content, for messages.

    Raises:
        InputError: not JSON, or an object with a repeated key, of which only the last would count.
    """
    try:
        return json.loads(data, object_pairs_hook=_object)
    except _DuplicateKeyError as duplicate:
        raise InputError(
            "one key occurs twice in a JSON object",
            path=path,
            found=duplicate.key,
            expected="each topic once, and each document once per topic",
            hint="remove one of the two",
        ) from None
    except json.JSONDecodeError as error:
        raise InputError(
            f"invalid JSON: {error.msg} (column {error.colno})",
            path=path,
            line=error.lineno,
            found=error.doc.split("\n")[error.lineno - 1],
            expected=expected,
        ) from None
    except UnicodeDecodeError as error:
        raise InputError(
            "invalid JSON: the text is not UTF-8",
            path=path,
            found=data[error.start : error.start + 20],
            expected=expected,
            hint="save it as UTF-8; ids that are not text can only be kept in TREC files",
        ) from None
    except (RecursionError, ValueError) as error:  # nested too deeply, or a number of thousands of digits
        raise InputError(f"unusable JSON: {error}", path=path, expected=expected) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _DuplicateKeyError(
            next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        )
    return result
