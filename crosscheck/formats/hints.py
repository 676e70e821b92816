"""Advice for lines with the wrong number of columns: their likely meaning and the fix."""

from __future__ import annotations

from crosscheck.formats.numerals import atof, whole_number

__all__ = ["qrels_hint", "run_hint"]

_SWAPPED = "were qrels and run swapped?"
_THREE = "three columns are the form of MS MARCO and BEIR files: rewrite the file as"
_COMMAS = "columns are separated by blanks or tabs, not by commas"


def _is_number(token: bytes) -> bool:
    return atof(token)[1]


def _is_integer(token: bytes) -> bool:
    return whole_number(token) is not None


def run_hint(columns: list[bytes]) -> str:
    """Advice for a run line of fewer than six columns."""
    match columns:
        case [first, *_] if first.startswith(b"#"):
            return "trec_eval 9 has no comments: remove the line"
        case [_, _, _, rel] if _is_integer(rel):
            return f"this looks like a line of qrels: {_SWAPPED}"
        case [_, _, _, rank, score] if _is_integer(rank) and _is_number(score):
            return "the sixth column is missing: add a run tag, any word, to each line"
        case [_, _, _]:
            return f"{_THREE} topic Q0 docno rank score tag"
        case [only] if b"," in only:
            return _COMMAS
    return "complete the line or remove it"


def qrels_hint(columns: list[bytes]) -> str:
    """Advice for a qrels line that does not have four columns."""
    match columns:
        case []:
            return "remove the line; trec_eval refuses it too, even at the end of the file"
        case [first, *_] if first.startswith(b"#"):
            return "trec_eval 9 has no comments: remove the line"
        case [_, _, _, rank, score, *_] if _is_integer(rank) and _is_number(score):
            return f"this looks like a line of a run: {_SWAPPED}"
        case [_, _, _]:
            return f"{_THREE} topic 0 docno relevance"
        case [only] if b"," in only:
            return _COMMAS
        case [_, group, _, _, level] if group != b"0" and _is_number(level):
            return "this looks like a line of preferences: ask for their measures, such as prefs_simp"
        case [_, _, _, _, _, *_]:
            return "a docno cannot hold blanks, and trec_eval takes no further columns in qrels"
    return "complete the line or remove it"
