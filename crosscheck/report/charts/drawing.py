"""A drawing, and the file that it is written to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosscheck.report.charts.colors import file_style
from crosscheck.report.charts.svg import escaped, label, num


@dataclass(frozen=True, slots=True)
class Drawing:
    """Elements of SVG, their size, and what they show in words: a title and a caption."""

    title: str
    caption: str
    width: float
    height: float
    parts: Sequence[str]

    def file(self) -> str:
        """The drawing as a file of its own, with its title above and its caption below."""
        width, height = num(self.width), num(self.height + 64)
        body = "\n".join(self.parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}"'
            f' height="{height}" role="img" aria-labelledby="title desc">\n'
            f'<title id="title">{escaped(self.title)}</title>\n'
            f'<desc id="desc">{escaped(self.caption, 2000)}</desc>\n'
            f'<style>{file_style()}</style>\n<rect class="paper" width="{width}" height="{height}"/>\n'
            f"{label(16, 24, self.title, 'head', int(self.width / 7.5))}\n"
            f'<g transform="translate(0 38)">\n{body}\n</g>\n'
            f"{label(16, self.height + 54, self.caption, 'muted', int(self.width / 6.2))}\n</svg>\n"
        )
