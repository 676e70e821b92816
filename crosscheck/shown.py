"""Methods of all results for Python programs: show in a notebook, convert to text, files or data frames."""

from __future__ import annotations

import sys
from time import monotonic

# Not from typing, whose import takes longer than that of ``crosscheck``, which needs this file.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    load: Callable[[], Any]


def register(module: Callable[[], Any]) -> None:
    """Set the function that imports the module that shows results.

    ``crosscheck/__init__.py`` calls this. Records do not import reports themselves: reports are imported only
    when a result is shown.
    """
    global load
    load = module


class Shown:
    """Base class of results, with methods that render them. The page is the same as on the command line."""

    __slots__ = ()

    if TYPE_CHECKING:
        #: Name of the list of records that :meth:`to_pandas` returns by default.
        _rows: ClassVar[str]

    @property
    def ok(self) -> bool:
        """Whether the result is good: an audit agrees, a gate passes, a run would exit with code 0."""
        return bool(load().is_ok(self))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {load().sentence(self)}>"

    def _repr_html_(self) -> str:
        return str(load().framed(self))

    def to_html(self, path: str | None = None) -> str:
        """The page as HTML without links to other files; also written to ``path`` if given."""
        return str(load().rendered(self, "html", path))

    def to_markdown(self) -> str:
        """The page as Markdown, without pictures."""
        return str(load().rendered(self, "markdown"))

    def to_text(self) -> str:
        """The page as text, as the command prints it."""
        return str(load().rendered(self, "text"))

    def to_json(self) -> str:
        """The document as JSON, which ``crosscheck report`` reads."""
        return str(load().rendered(self, "json"))

    def to_pandas(self, rows: str = "") -> Any:
        """A list of records of the JSON document as a data frame. A field ``b`` of a record in field ``a``
        becomes the column ``a.b``.

        Args:
            rows: name of the list, such as ``"inputs"``; empty for the main list; a diagnosis itself is one
                row.

        Raises:
            UsageError: pandas is not installed, or there is no such list.
        """
        return load().frame(self, rows or self._rows)


class _LineBelow:
    """A line of text below the running cell of a notebook."""

    def __init__(self, shell: Any) -> None:
        from IPython import display

        self._shell, self._written = shell, 0.0
        self._handle: Any = vars(display)["display"]({"text/plain": ""}, raw=True, display_id=True)
        shell.events.register("post_run_cell", self.clear)

    def write(self, text: str) -> None:
        """Show a text in place of the last text, at most once per ``_BETWEEN`` seconds."""
        if monotonic() - self._written >= _BETWEEN:
            self._written = monotonic()
            self._handle.update({"text/plain": text}, raw=True)

    def clear(self, *_: object) -> None:
        """Remove the line; called when the cell has ended."""
        global _line
        _line = None
        self._shell.events.unregister("post_run_cell", self.clear)
        self._handle.update({"text/plain": ""}, raw=True)


_line: _LineBelow | None = None
#: Least number of seconds between two texts.
_BETWEEN = 0.2


def tell(message: str) -> None:
    """Show a progress message in a line below the cell of a notebook. Outside notebooks nothing is shown."""
    global _line
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if not hasattr(shell, "kernel"):
        return
    if _line is None:
        _line = _LineBelow(shell)
    _line.write(message)
