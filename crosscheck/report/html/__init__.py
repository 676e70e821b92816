"""HTML: a page as one file that loads nothing and runs no script but its own.

The one script and the one style are allowed by their hashes, so that an id that gets past the escaping
still does nothing. Without JavaScript the page is readable; only filters, sorting, and the rows of a table
after the first ones need JavaScript.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from crosscheck.report._renderer import Renderer, RenderOptions
from crosscheck.report.charts.colors import CHART_STYLE, DARK, FONT, LIGHT, variables
from crosscheck.report.html.parts import FILTERS, Ids
from crosscheck.report.page import Page, Section, walk

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["RENDERER", "render"]


def render(page: Page, options: RenderOptions) -> str:
    """The page as a whole HTML file."""
    style, script = _style(), _script()
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    contents = [block for block in page.blocks if isinstance(block, Section) and block.anchor]
    anchors = {block.anchor for block in walk(page.blocks) if isinstance(block, Section)}
    leads = {finding.anchor: finding for finding in page.verdict.findings if finding.anchor}
    template = _environment().get_template("page.html")
    head = {"style": style, "script": script, "policy": policy}
    return template.render(page=page, contents=contents, leads=leads, anchors=anchors, ids=Ids(), **head)


@cache
def _environment() -> Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_file),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(FILTERS)
    return environment


def _file(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text("utf-8")


@cache
def _style() -> str:
    light, dark = variables(LIGHT), variables(DARK)
    return (
        f":root{{--font:{FONT};{light}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}}}}}"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n{CHART_STYLE}\n{_file('style.css')}"
    )


#: The parts of the one script, in their order.
_PARTS = ("theme", "tables", "filters", "copying", "start")


@cache
def _script() -> str:
    parts = "\n".join(_file(f"script/{part}.js") for part in _PARTS)
    return f"'use strict';\n(() => {{\n{parts}}})();\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


RENDERER = Renderer("html", "html", render)
