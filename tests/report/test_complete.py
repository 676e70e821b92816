"""Nothing is cut without a mark: pages whose every text has a letter of its own, which can be counted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len

from crosscheck.report import RenderOptions
from crosscheck.report.markdown import render as markdown
from crosscheck.report.page import Chart, Details, Id, Page, RankingPair, Section, Table
from crosscheck.report.text import render as text
from tests.html.documents import NAMES, page

#: Letters one column wide that no report writes by itself.
LETTERS = [c for c in map(chr, range(0x1000, 0x1800)) if c.isalpha() and cell_len(c) == 1]
#: Fields that are no text of the page.
_OTHER = {
    *("anchor", "kind", "key", "noun", "tags", "limit"),
    *("value", "status", "brief", "rank", "tied", "level"),
}
_LONG = 70


def texts(held: Struct) -> list[str]:
    """The fields that hold texts of the page, or blocks with some."""
    return [name for name in held.__struct_fields__ if name not in _OTHER]


class Marked:
    """A page with the same blanks in its texts, and a letter for each text; ids are long."""

    def __init__(self, page: Page) -> None:
        self.letters: dict[str, int] = {}
        self._unused = iter(LETTERS)
        blocks = [self._of(block) for block in page.blocks]
        self.page = replace(page, verdict=self._of(page.verdict), blocks=blocks)

    def _of(self, held: Any) -> Any:
        if isinstance(held, str) and not isinstance(held, Enum):
            return self._text(held)
        if isinstance(held, Sequence) and not isinstance(held, str):
            made = [self._of(one) for one in held[:8]]
            return tuple(made) if isinstance(held, tuple) else made
        if isinstance(held, Struct):
            return replace(held, **{name: self._of(getattr(held, name)) for name in texts(held)})
        return held

    def _text(self, said: str) -> str:
        if not said.strip():
            return said
        letter = next(self._unused)
        made = "".join(c if c.isspace() else letter for c in said)
        made = Id(letter * _LONG) if isinstance(said, Id) else made
        self.letters[letter] = made.count(letter)
        return made


def shown(held: Any) -> Iterator[str]:
    """The texts of what a renderer has to write."""
    if isinstance(held, str):
        yield from [held] * (not isinstance(held, Enum))
    elif isinstance(held, Chart) or any(getattr(held, name, None) == [] for name in ("rows", "items")):
        return
    elif isinstance(held, Table):  # a title above nothing says nothing
        used = [any(getattr(row[i], "text", row[i]) for row in held.rows) for i in range(len(held.columns))]
        yield from shown([column for column, some in zip(held.columns, used, strict=True) if some])
        yield from shown([held.title, held.rows])
    elif isinstance(held, RankingPair):  # gain and discount are told in HTML only
        for side in (held.reference, held.candidate):
            yield from shown([side.title, [place.docno for place in side.places]])
    elif isinstance(held, Section | Details):
        inner = [one for block in held.blocks for one in shown(block)]
        yield from [*shown(held.title), *inner] if inner else ()
    elif isinstance(held, Sequence):
        for one in held:
            yield from shown(one)
    elif isinstance(held, Struct):
        for name in texts(held):
            yield from shown(getattr(held, name))


def missing(marked: Marked, said: str) -> dict[str, tuple[int, int]]:
    """Texts of which letters are missing: how many there are, and how many there should be."""
    found = Counter(said)
    texts = (*shown(marked.page.verdict), *shown(marked.page.blocks))
    wanted = {part.strip()[0] for part in texts if part.strip()}
    return {c: (found[c], marked.letters[c]) for c in wanted if found[c] < marked.letters[c]}


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_written_when_everything_is_asked_for(name):
    """At 40, 60 and 80 columns, and in Markdown, no letter of any text is missing."""
    marked = Marked(page(name))
    for width in (40, 60, 80):
        said = text(marked.page, RenderOptions(width=width, verbose=True))
        assert missing(marked, said) == {}, width
        assert max(map(cell_len, said.splitlines())) <= width
    if name != "properties":
        assert missing(marked, markdown(marked.page, RenderOptions(verbose=True))) == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_short_page_says_where_it_stops(name):
    """A text that is not whole is followed by the number of lines that are left out."""
    marked = Marked(page(name))
    for width in (40, 60, 80):
        lines = text(marked.page, RenderOptions(width=width)).splitlines()
        found = Counter("".join(lines))
        for letter, whole in marked.letters.items():
            if 0 < found[letter] < whole:
                last = max(i for i, line in enumerate(lines) if letter in line)
                assert "more line" in lines[last + 1], (letter, width)
