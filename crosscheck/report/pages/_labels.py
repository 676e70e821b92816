"""The meanings of the labels on a page, for readers who meet them for the first time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from crosscheck.diagnosis.causes import causes
from crosscheck.report.page import Block, Details, Id, Message, Section


def meanings(labels: Iterable[str]) -> Iterator[Block]:
    """A folded block that explains each known label, with an example; the labels on the page link to it."""
    known = causes()
    told = [
        Section((Id(label), ": ", known[label].summary), [Message(known[label].explained)], f"label-{label}")
        for label in dict.fromkeys(labels)
        if label in known
    ]
    if told:
        yield Details("What the labels mean", told)
