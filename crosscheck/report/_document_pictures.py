"""Which pictures belong to a result document: those of what nobody expected, and of the impacts."""

from __future__ import annotations

from crosscheck.report._groups import Status, groups, largest_first, with_status
from crosscheck.report._pictures import Picture, comparison_pictures, impact_pictures, numbered
from crosscheck.results import Document

__all__ = ["document_pictures", "group_pictures", "impact_sets"]

#: Differences and impacts that are drawn.
_DRAWN = 10


def group_pictures(document: Document) -> list[list[Picture]]:
    """For each of the first groups of unexpected mismatches, pictures of its largest comparison."""
    found = groups(with_status(document, Status.UNEXPECTED))[:_DRAWN]
    return [
        numbered(comparison_pictures(largest_first(group)[0]), place) for place, group in enumerate(found, 1)
    ]


def impact_sets(document: Document) -> list[list[Picture]]:
    """For each of the first impacts its pictures."""
    return [
        [Picture(f"impact-{p.name}", p.alt, p.svg) for p in numbered(impact_pictures(impact), place)]
        for place, impact in enumerate(document.impacts[:_DRAWN], 1)
    ]


def document_pictures(document: Document) -> list[Picture]:
    """All pictures that the Markdown report links."""
    return [picture for some in (*group_pictures(document), *impact_sets(document)) for picture in some]
