"""The terminal's renderer of pages; whole pages are in test_formats.py."""

import re

import pytest
from msgspec.structs import replace

from crosscheck.report import RenderOptions, render
from tests.report import samples

PLAIN = RenderOptions(written=("reports/crosscheck.json", "reports/crosscheck.md"))


def test_colour_only_adds_to_the_words_and_the_environment_has_no_say(monkeypatch):
    """With the colour codes removed the coloured report is the plain one; both depend on options only."""
    wide = replace(PLAIN, width=100)
    before = [render(samples.everything(), "text", replace(wide, color=color)) for color in (False, True)]
    plain, colored = before
    assert ("\x1b[" in colored, "\x1b" in plain) == (True, False)
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", colored)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()
    for name, value in {"COLUMNS": "33", "TERM": "dumb", "NO_COLOR": "1", "FORCE_COLOR": "1"}.items():
        monkeypatch.setenv(name, value)
    after = [render(samples.everything(), "text", replace(wide, color=color)) for color in (False, True)]
    assert after == before


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_it_can_be_written_in_any_encoding(encoding):
    """A terminal without the glyphs gets plain ones; an id that it lacks is spelt out."""
    one = samples.comparison(cells=[samples.cell("文書")])
    text = render(samples.document([one]), "text", replace(PLAIN, encoding=encoding))
    text.encode(encoding)
    assert ("x hf-evaluate" in text) == (encoding != "utf-8")
    assert ("\\u6587\\u66f8" in text) == (encoding != "utf-8")
