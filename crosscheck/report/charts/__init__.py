"""Charts: pure functions from numbers to a drawing with a title, a caption and the numbers it shows.

A chart is drawn once. HTML puts it into the page, where the style sheet of the page colours it; beside
Markdown it is a file that brings its own colours.
"""

from crosscheck.report.charts.chart import Chart
from crosscheck.report.charts.dots import Dot, dots
from crosscheck.report.charts.rankings import Place, rankings
from crosscheck.report.charts.systems import systems
from crosscheck.report.charts.waterfall import Step, waterfall

__all__ = ["Chart", "Dot", "Place", "Step", "dots", "rankings", "systems", "waterfall"]
