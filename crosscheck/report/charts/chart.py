"""One chart, and the file that it becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosscheck.report.charts.colors import file_style
from crosscheck.report.charts.svg import escaped, label, num

__all__ = ["Chart"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and what it says.

    Attributes:
        name: ends its file name.
        title: what is drawn; caption: what it shows, in a sentence.
        head, rows: the numbers in it, as a table: (title, whether it holds numbers) of each column.
        width, height, body: the drawing, in elements of SVG that name classes and no colours.
    """

    name: str
    title: str
    caption: str
    head: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[str]]
    width: float
    height: float
    body: str

    @property
    def alt(self) -> str:
        """Title and caption, for a reader who cannot see the drawing."""
        return f"{self.title}. {self.caption}"

    def numbered(self, place: int) -> Chart:
        """The same chart with a name that starts with a number, for several of a kind side by side."""
        return replace(self, name=f"{place}-{self.name}")

    @property
    def svg(self) -> str:
        """The drawing as a file of its own."""
        width, height = num(self.width), num(self.height + 60)
        said = "; ".join(" ".join(row) for row in self.rows)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escaped(self.title)}</title>\n'
            f'<desc id="desc">{escaped(f"{self.caption} {said}", 2000)}</desc>\n'
            f'<style>{file_style()}</style>\n<rect class="paper" width="{width}" height="{height}"/>\n'
            f"{label(16, 24, self.title, 'head', int(self.width / 7.5))}\n"
            f'<g transform="translate(0 34)">\n{self.body}\n</g>\n'
            f"{label(16, self.height + 50, self.caption, 'muted', int(self.width / 6.2))}\n</svg>\n"
        )

    def inline(self, id: str) -> str:
        """The drawing as a part of a page; ``id`` is its own there."""
        return (
            f'<svg viewBox="0 0 {num(self.width)} {num(self.height)}" width="{num(self.width)}"'
            f' height="{num(self.height)}" role="img" aria-labelledby="{id}-t {id}-d">'
            f'<title id="{id}-t">{escaped(self.title)}</title>'
            f'<desc id="{id}-d">{escaped(self.caption, 2000)}</desc>\n{self.body}\n</svg>'
        )
