"""Drawings of charts: pure functions from a block of a page to SVG.

A drawing names classes and no colours. In a page the style sheet colours it; as a file beside Markdown it
contains its own style. Each kind of chart has one function in this package.
"""

from __future__ import annotations

from crosscheck.report.charts.bars import waterfall
from crosscheck.report.charts.lines import queries, systems
from crosscheck.report.charts.plot import dots
from crosscheck.report.charts.svg import Drawing
from crosscheck.report.page import Chart

__all__ = ["Drawing", "draw"]

_KINDS = {"waterfall": waterfall, "dots": dots, "queries": queries, "ranking": systems}


def draw(chart: Chart) -> Drawing:
    """The drawing of a chart."""
    return _KINDS[chart.kind](chart)
