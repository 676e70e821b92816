"""How results show themselves to a Python program: in a notebook, as text, files and data frames."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import Any, ClassVar

__all__ = ["Shown"]


class Shown:
    """A result that a reader can look at; its page is the same as on the command line."""

    __slots__ = ()

    #: The list of records that :meth:`to_pandas` returns unless another is named.
    _rows: ClassVar[str]

    @property
    def ok(self) -> bool:
        """Whether nothing is unexpected: an audit agrees, a gate passes, a run has the exit code 0."""
        return bool(_report().is_ok(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {_report().sentence(self)}>"

    def _repr_html_(self) -> str:
        # The page is a whole document with its own style and script, so it gets a frame of its own.
        page = escape(self.to_html())
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" width="100%" height="600"></iframe>'

    def to_html(self, path: str | None = None) -> str:
        """The page as one HTML file that needs nothing else; also written to ``path`` if that is given."""
        text = self._rendered("html")
        if path is not None:
            import_module("crosscheck.formats.whole_files").write_whole(str(path), text)
        return text

    def to_markdown(self) -> str:
        """The page as Markdown, without pictures."""
        return self._rendered("markdown")

    def to_text(self) -> str:
        """The page as text, as the command prints it."""
        return self._rendered("text")

    def to_json(self) -> str:
        """The document as JSON, which ``crosscheck report`` reads."""
        return self._rendered("json")

    def to_pandas(self, rows: str = "") -> Any:
        """One list of records of the JSON document as a data frame; records inside of records become columns
        with dots.

        Args:
            rows: name of the list, such as ``"inputs"``; empty for the main one.

        Raises:
            UsageError: pandas is not installed, or there is no such list.
        """
        return _report().frame(self, rows or self._rows)

    def _rendered(self, format: str) -> str:
        return str(_report().rendered(self, format))


def _report() -> Any:
    # Records know nothing of reports; only a record that is asked to show itself loads them.
    return import_module("crosscheck.report._shown")
