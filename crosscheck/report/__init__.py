"""Reports: documents of every kind in every format.

``KINDS`` of ``kinds.py`` says where the page of each kind of document is declared. Text, Markdown and HTML
are pure functions of the page; JSON, JUnit and GitHub annotations are made from the document itself.
"""

from importlib import import_module

from msgspec import Struct

from crosscheck.errors import no_such
from crosscheck.report.kinds import page_of
from crosscheck.report.page import Page, RenderOptions

__all__ = ["FORMATS", "RenderOptions", "default_path", "format_named", "render"]


class Format(Struct, frozen=True):
    """A report format. Its function ``render`` is in ``module`` and takes a page or a document."""

    module: str
    extension: str
    of_page: bool = True


#: Sorted by name; only the module of the format that is asked for is imported.
FORMATS = {
    "github": Format("github", "github", of_page=False),
    "html": Format("html", "html"),
    "json": Format("json_report", "json", of_page=False),
    "junit": Format("junit", "xml", of_page=False),
    "markdown": Format("markdown", "md"),
    "text": Format("text", "txt"),
}


def format_named(name: str) -> Format:
    """The format with this name.

    Raises:
        UsageError: there is no such format; the message lists those that exist.
    """
    if name in FORMATS:
        return FORMATS[name]
    raise no_such("report format", name, FORMATS)


def render(
    document: object, format: str, options: RenderOptions | None = None, page: Page | None = None
) -> str:
    """Render a document of any kind in a format. The text ends in a newline.

    Args:
        page: the page of the document if it exists already; None to make it here.

    Raises:
        UsageError: there is no such format.
    """
    chosen = format_named(format)
    function = import_module(f"{__name__}.{chosen.module}").render
    shown = (page or page_of(document)) if chosen.of_page else document
    return str(function(shown, options or RenderOptions()))


def default_path(format: str, file: str = "crosscheck") -> str:
    """The path of a report for which no path is given, such as ``reports/crosscheck.json``.

    Raises:
        UsageError: there is no such format.
    """
    return f"reports/{file}.{format_named(format).extension}"
