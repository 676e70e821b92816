"""A browser for the tests of the HTML report: Debian's chromium or google-chrome, driven by playwright.

Without one these tests are skipped and say so; where CROSSCHECK_REQUIRE_BROWSER is set, as in CI, they fail.
"""

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def _missing() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: pip install playwright"
    if not browser_path():
        return "no chromium or google-chrome on PATH: apt-get install chromium"
    return None


def browser_path() -> str | None:
    """Where the browser is, or None."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@contextmanager
def launched() -> Iterator[Any]:
    """A headless browser; root needs --no-sandbox."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=browser_path(), args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    if reason := _missing():
        if os.environ.get("CROSSCHECK_REQUIRE_BROWSER"):
            pytest.fail(f"a browser is required here, and {reason}")
        pytest.skip(reason)
    with launched() as started:
        yield started


class Opened:
    """A page in the browser, with everything that it asked for and complained about."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._dialog)

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def texts(self, selector: str) -> list[str]:
        """The texts of those of these elements that are in sight."""
        shown = self.page.locator(selector).filter(visible=True)
        found: list[str] = shown.all_inner_texts()
        return found


Open = Callable[..., Opened]


@contextmanager
def pages(browser: Any, folder: Path) -> Iterator[Open]:
    """Writes HTML to a file and opens it from there; keywords are those of a browser context."""
    contexts = []

    def open_page(text: str, at: str = "", **settings: Any) -> Opened:
        file = folder / "report.html"
        file.write_text(text, "utf-8")
        # Colours change at once, so that nothing is looked at halfway.
        context = browser.new_context(**{"reduced_motion": "reduce", **settings})
        context.set_default_timeout(60_000)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.goto(file.as_uri() + at)
        return found

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Open]:
    with pages(browser, tmp_path) as open_page:
        yield open_page
