"""Output of a command: results to stdout, messages and progress to stderr, reports to stdout and files."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TextIO

import click

from crosscheck.errors import CrosscheckError, InputWarning, UsageError, quoted, safe_text

if TYPE_CHECKING:
    from crosscheck.report import RenderOptions
    from crosscheck.report.page import Page
    from crosscheck.results import Comparison, Identity

#: Seconds between two lines of progress if stderr is not a terminal.
_INTERVAL = 10.0
#: The largest number of pictures beside a Markdown report; a report with more pictures writes none of them.
_MOST_PICTURES = 12


def show(text: str, *, color: bool = False) -> None:
    """Print a result to stdout, unchanged.

    A reader that closes the output (head, less) is not a failure: the rest is discarded, and the exit code is
    unchanged.

    Raises:
        UsageError: stdout cannot be written, such as for a full disk.
    """
    try:
        click.echo(text, nl=False, color=color)
    except OSError as error:
        # Python must not report the rest of the buffer again at exit.
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise UsageError(f"cannot write to stdout: {error.strerror}") from None


def say(message: str) -> None:
    """Print a message to stderr, on a terminal over the line that shows the progress."""
    over = "\r\x1b[2K" if sys.stderr.isatty() else ""
    click.echo(f"{over}crosscheck: {message}", err=True)


@contextmanager
def warnings_said() -> Iterator[None]:
    """In the ``with`` block, print each warning about the input once, whatever Python's warning filters
    are."""
    with warnings.catch_warnings():
        others = warnings.showwarning

        def show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, InputWarning):
                say(f"warning: {message}")
            else:
                others(message, category, *where, **more)

        warnings.showwarning = show_warning
        warnings.filterwarnings("once", category=InputWarning)
        yield


def write_text(path: str, text: str, *, typed: bool = True) -> None:
    """Write a file whole, as UTF-8, with its folder; see :mod:`crosscheck.formats.source`."""
    from crosscheck.formats.source import write_whole

    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    write_whole(path, text, typed=typed)


@contextmanager
def progress_shown(*, quiet: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows progress messages on stderr.

    On a terminal, one line is rewritten, and it disappears at the end of the ``with`` block. In a log, a line
    is printed from time to time.
    """
    terminal, last, shown = sys.stderr.isatty(), time.monotonic(), False

    def show_progress(message: str) -> None:
        nonlocal last, shown
        text = safe_text(message, 70)
        if terminal:
            click.echo(f"\r\x1b[2K{text}", nl=False, err=True)
            shown = True
        elif time.monotonic() - last >= _INTERVAL:
            last = time.monotonic()
            click.echo(f"crosscheck: {text}", err=True)

    try:
        yield (lambda message: None) if quiet else show_progress
    finally:
        if shown:
            click.echo("\r\x1b[2K", nl=False, err=True)


class Reports:
    """The reports of a command. They are checked before anything is computed.

    Args:
        specs: ``FORMAT[=PATH]`` of each ``--report``, where the path "-" is stdout. The text goes to stdout
            unless another report does.
        file: file name of a report without a path.
        usual: formats that are written by default.
        stdout: formats that, like ``text`` and ``github``, go to stdout if they have no path.

    Raises:
        UsageError: a format that does not exist, an empty path, or two reports for one path.
    """

    def __init__(
        self,
        specs: Sequence[str],
        file: str = "crosscheck",
        *,
        usual: Sequence[str] = (),
        stdout: Sequence[str] = (),
    ) -> None:
        from crosscheck.report import default_path

        self._specs, self._targets = specs, list[tuple[str, str]]()
        for spec in specs or usual:
            name, equals, path = spec.partition("=")
            usually = "-" if name in ("text", "github", *stdout) else default_path(name, file)
            if equals and not path:
                hint = f"write {name}=PATH, or {name}=- for stdout"
                raise UsageError(f"--report {spec}: the path is empty", hint=hint)
            self._targets.append((name, path or usually))
        paths = [path for _, path in self._targets]
        if twice := next((path for path in paths if paths.count(path) > 1), None):
            problem = f"two reports cannot both go to {'stdout' if twice == '-' else quoted(twice)}"
            raise UsageError(problem, hint="give each a path: FORMAT=PATH")
        if "-" not in paths:
            self._targets.append(("text", "-"))

    def write(self, document: object, *, verbose: bool, seconds: Mapping[Identity, float] = {}) -> None:
        """Write the reports. If a report cannot be written, raise an error if the user requested it, and only
        warn if it is written by default.

        Args:
            seconds: comparison -> seconds that it took, for formats that show them.

        Raises:
            UsageError: a requested report cannot be written.
        """
        from crosscheck.report import RenderOptions, format_named, render
        from crosscheck.report.kinds import page_of

        on_github = any(name == "github" for name, _ in self._targets)
        known = places(document) if on_github or "GITLAB_CI" in os.environ else {}
        if on_github:
            append_summary(document, os.environ)
        page = page_of(document) if any(format_named(name).of_page for name, _ in self._targets) else None
        written: list[str] = []
        # The most complete report is written first, and the others name it.
        for name, path in sorted(self._targets, key=lambda target: (target[1] == "-", target[0] != "json")):
            about: dict[str, Any] = {"verbose": verbose, "seconds": seconds, "places": known}
            if path == "-":
                options = for_stream(sys.stdout, os.environ, written=tuple(written), **about)
                show(render(document, name, options, page), color=options.color)
                continue
            typed = f"{name}={path}" in self._specs
            path = _not_over(path, getattr(document, "complete", True))
            stem = os.path.splitext(path)[0]
            pictures = _pictures(page, stem) if page and name == "markdown" else {}
            options = RenderOptions(pictures=f"{os.path.basename(stem)}." if pictures else None, **about)
            files = {path: render(document, name, options, page), **pictures}
            try:
                for to, text in files.items():
                    write_text(to, text, typed=typed and to == path)
                written.append(path)
            except OSError as error:
                message = f"cannot write the {name} report to {quoted(to)}: {error.strerror}"
                if self._specs:
                    raise UsageError(message) from None
                say(f"warning: {message}")


def _pictures(page: Page, stem: str) -> dict[str, str]:
    """Path -> content of the pictures of a Markdown report. Each path begins with ``stem``, the path of the
    report without its ending. Empty if there are too many pictures."""
    from crosscheck.report.page import Chart, filled, walk
    from crosscheck.report.svg import draw

    drawn = [block for block in walk(page.blocks) if isinstance(block, Chart) and filled(block)]
    if len(drawn) > _MOST_PICTURES:
        return {}
    return {f"{stem}.{chart.name}.svg": draw(chart).file() for chart in drawn}


def _not_over(path: str, complete: bool) -> str:
    """The path to which a report is written: ``path``; but a different path for an interrupted run, if there
    is a file at ``path``."""
    if complete or not os.path.isfile(path):
        return path
    beside = ".interrupted".join(os.path.splitext(path))
    say(f"{quoted(path)} is left as it is; what there is of this run is in {quoted(beside)}")
    return beside


def for_stream(stream: TextIO, environ: Mapping[str, str], **settings: Any) -> RenderOptions:
    """Options that fit a stream: colour only on a terminal that is not dumb, and not with ``NO_COLOR``.

    The width is ``COLUMNS`` if it is set, else the terminal's, else 80, and at most 120 because longer lines
    are hard to read.
    """
    from crosscheck.report import RenderOptions

    terminal = stream.isatty()
    columns = environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else 0
    if terminal and not columns.isdecimal():
        with suppress(OSError):  # a terminal that does not tell its size
            width = os.get_terminal_size(stream.fileno()).columns
    color = terminal and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
    encoding = stream.encoding or "utf-8"
    return RenderOptions(width=min(width or 80, 120), color=color, encoding=encoding, **settings)


def places(document: object) -> dict[Identity, dict[str, str]]:
    """Comparison -> its ``case.toml`` as ``file``, and the ``line`` of its expectation if there is one.

    Paths are relative to the repository on GitHub. A comparison without a ``case.toml`` in the repository is
    left out.
    """
    from crosscheck.results import Document, identity

    if not isinstance(document, Document):
        return {}
    root = os.path.realpath(os.environ.get("GITHUB_WORKSPACE") or os.curdir)
    folders = {(i.case, i.run): os.path.dirname(i.qrels_path) or "." for i in document.inputs if i.qrels_path}
    place_of: dict[Identity, dict[str, str]] = {}
    for c in document.comparisons:
        config = os.path.join(folders.get((c.case, c.run), ""), "case.toml")
        relative = os.path.relpath(os.path.realpath(config), root)
        if (c.case, c.run) in folders and os.path.isfile(config) and not relative.startswith(os.pardir):
            place_of[identity(c)] = {"file": relative.replace(os.sep, "/")} | _line(config, c)
    return place_of


def _line(config: str, c: Comparison) -> dict[str, str]:
    """The line number of the expectation for a comparison; empty if there is none."""
    from crosscheck.formats.toml_table import sections
    from crosscheck.names import parse_measure

    with suppress(OSError, ValueError, CrosscheckError):  # changed since it was read
        with open(config, encoding="utf-8") as file:
            entries = [part for part in sections(file.read()) if part.name == "expect"]
        for part in entries:
            e = part.content
            fits = e.get("candidate") == c.candidate and e.get("run") in (None, c.run)
            if fits and str(parse_measure(str(e.get("measure")))) == c.measure:
                return {"line": str(part.first_line)}
    return {}


def append_summary(document: object, environ: Mapping[str, str]) -> None:
    """Append the report, as Markdown without pictures, to the job summary of GitHub Actions.

    The report is shortened to what GitHub's size limit still allows, and left out if that is too little.

    Raises:
        OSError: the summary cannot be written.
    """
    from crosscheck.report import RenderOptions, render

    path = environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    room = 1_000_000 - (os.path.getsize(path) if os.path.exists(path) else 0)
    text = render(document, "markdown", RenderOptions(max_bytes=room)) if room > 10_000 else ""
    if len(text.encode()) <= room:
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
