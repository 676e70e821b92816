"""Options that fit the stream a report is written to."""

from __future__ import annotations

import io
import os

import pytest

from crosscheck.cli.output import for_stream


class _Terminal(io.StringIO):
    """A terminal that cannot tell its size, as on some CI servers."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("no descriptor")


@pytest.mark.parametrize(
    ("environ", "color"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_a_terminal_gets_colour_unless_it_is_refused(environ: dict[str, str], color: bool) -> None:
    """NO_COLOR counts when it is not empty, as its convention says."""
    assert for_stream(_Terminal(), environ).color is color


def test_a_pipe_gets_plain_text_of_80_columns() -> None:
    """Redirected output does not depend on the terminal it was started from."""
    read, write = os.pipe()
    with os.fdopen(read), os.fdopen(write, "w", encoding="ascii") as stream:
        options = for_stream(stream, {}, verbose=True, written=("a.json",))
    assert (options.color, options.width, options.encoding) == (False, 80, "ascii")
    assert (options.verbose, options.written) == (True, ("a.json",))


def test_the_size_of_a_real_terminal_is_used() -> None:
    """A terminal of 100 columns gets lines of 100 columns."""
    pty = pytest.importorskip("pty", reason="pseudo-terminals are a Unix thing")
    termios = pytest.importorskip("termios")
    main, other = pty.openpty()
    with os.fdopen(main, "wb", 0), os.fdopen(other, "w") as stream:
        termios.tcsetwinsize(stream.fileno(), (40, 100))
        assert for_stream(stream, {}).width == 100


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("300", 120), ("0", 80), ("wide", 80), ("", 80)])
def test_the_width_is_what_can_be_read(columns: str, width: int) -> None:
    """COLUMNS is followed up to 120; nonsense and unknown sizes give 80."""
    assert for_stream(_Terminal(), {"COLUMNS": columns}).width == width
