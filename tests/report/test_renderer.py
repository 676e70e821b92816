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
    ("environ", "color", "width"),
    [
        ({}, True, 80),
        ({"NO_COLOR": "1"}, False, 80),
        ({"NO_COLOR": ""}, True, 80),
        ({"TERM": "dumb"}, False, 80),
        ({"COLUMNS": "60"}, True, 60),
        ({"COLUMNS": "300"}, True, 120),
        ({"COLUMNS": "0"}, True, 80),
        ({"COLUMNS": "wide"}, True, 80),
        ({"COLUMNS": ""}, True, 80),
    ],
)
def test_a_terminal_gets_colour_and_lines_that_can_be_read(
    environ: dict[str, str], color: bool, width: int
) -> None:
    """NO_COLOR counts when it is not empty, as its convention says; COLUMNS is followed up to 120, and
    nonsense and unknown sizes give 80."""
    options = for_stream(_Terminal(), environ)
    assert (options.color, options.width) == (color, width)


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
