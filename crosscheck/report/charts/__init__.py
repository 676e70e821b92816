"""Drawings of charts and rankings: pure functions from a block of a page to SVG.

A drawing names classes and no colours. In a page the style sheet colours it; as a file beside Markdown it
brings its own style. A kind of chart is one function here.
"""

from __future__ import annotations

from crosscheck.report.charts.bars import differences, waterfall
from crosscheck.report.charts.drawing import Drawing
from crosscheck.report.charts.lines import queries, systems
from crosscheck.report.charts.plot import dots
from crosscheck.report.charts.rankings import rankings, rankings_table
from crosscheck.report.page import Chart, Rankings

__all__ = ["Drawing", "draw", "rankings_table"]

_KINDS = {
    "waterfall": waterfall,
    "dots": dots,
    "queries": queries,
    "differences": differences,
    "ranking": systems,
}


def draw(block: Chart | Rankings) -> Drawing:
    """The drawing of a block."""
    return rankings(block) if isinstance(block, Rankings) else _KINDS[block.kind](block)
