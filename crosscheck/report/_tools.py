"""What all measures of a candidate say together, in words."""

from __future__ import annotations

from collections.abc import Iterable

from crosscheck.report._escape import clip
from crosscheck.report._figures import count
from crosscheck.report._words import settings
from crosscheck.results import Document, ToolConventions

__all__ = ["folded", "place", "sentence"]


def sentence(found: ToolConventions) -> str:
    """The conventions, how many measures they reproduce, and what the others are."""
    total = len(found.measures) + len(found.rest)
    if found.conventions:
        what = f"{settings(found.conventions)} reproduces"
    else:
        what = "no single change does better than the reference's own conventions, which reproduce"
    text = f"{what} {len(found.measures):,} of {count(total, 'measure')}"
    if found.rest:
        text += f"; not {_listed(_rest(measure, causes) for measure, causes in found.rest.items())}"
    return f"{text}."


def place(found: ToolConventions) -> str:
    """Candidate and run."""
    return f"{clip(found.candidate)}, {clip(found.case)} / {clip(found.run)}"


def folded(document: Document) -> list[tuple[str, list[str]]]:
    """Sentences with the candidates and runs that they hold for, in the order of the document."""
    places: dict[str, list[str]] = {}
    for found in document.tools:
        places.setdefault(sentence(found), []).append(place(found))
    return list(places.items())


def _rest(measure: str, causes: list[str]) -> str:
    return f"{clip(measure)} ({', '.join(map(clip, causes)) or 'agrees with the reference'})"


def _listed(parts: Iterable[str], limit: int = 8) -> str:
    every = list(parts)
    tail = f" and {len(every) - limit} more" if len(every) > limit else ""
    return ", ".join(every[:limit]) + tail
