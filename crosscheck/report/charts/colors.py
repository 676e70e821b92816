"""The colours of all drawings and pages, as tokens for light and dark, and the style of a chart.

Text reaches 4.5 : 1 against its background in both, marks 3 : 1. Colour never stands alone: the reference is
a ring and the candidate a disc, and every cause has a shape of its own.
"""

from __future__ import annotations

LIGHT = {
    "paper": "#ffffff", "desk": "#f4f5f7", "ink": "#1b1f27", "muted": "#565e6c", "rule": "#dfe2e8",
    "grid": "#e6e8ed", "link": "#8b93a1", "accent": "#3646c4", "accent-soft": "#eceefc",
    "ref": "#3646c4", "cand": "#b3400a",
    "agree": "#17692f", "agree-bg": "#e9f5ec", "known": "#173f75", "known-bg": "#bfd5f2",
    "unexpected": "#ffffff", "unexpected-bg": "#b3192a", "stale": "#3d2a00", "stale-bg": "#f5c542",
    "differs": "#7a4a00", "differs-bg": "#fdeecb",
    "error": "#ffffff", "error-bg": "#43235c", "unsupported": "#565e6c", "unsupported-bg": "#f4f5f7",
    "k0": "#b3400a", "k1": "#0b6e8a", "k2": "#7b3fb0", "k3": "#17692f",
    "k4": "#a3195b", "k5": "#6b5b00", "k6": "#3646c4", "k7": "#565e6c",
}  # fmt: skip
DARK = {
    "paper": "#171a21", "desk": "#0e1015", "ink": "#e8eaf0", "muted": "#a3abba", "rule": "#323845",
    "grid": "#282d38", "link": "#7d8696", "accent": "#a3b0ff", "accent-soft": "#232a4d",
    "ref": "#a3b0ff", "cand": "#ff9a5c",
    "agree": "#7fd896", "agree-bg": "#16281c", "known": "#a9cdff", "known-bg": "#22406a",
    "unexpected": "#22060a", "unexpected-bg": "#ff8b94", "stale": "#2a1d00", "stale-bg": "#e8b93a",
    "differs": "#f3cf7a", "differs-bg": "#3a2e10",
    "error": "#1d0a2c", "error-bg": "#d3aef2", "unsupported": "#a3abba", "unsupported-bg": "#0e1015",
    "k0": "#ff9a5c", "k1": "#5cc8e6", "k2": "#cfa3f7", "k3": "#7fd896",
    "k4": "#ff8fbf", "k5": "#e0ca5a", "k6": "#a3b0ff", "k7": "#a3abba",
}  # fmt: skip

_KINDS = "".join(f".chart .k{i}{{fill:var(--k{i})}}" for i in range(8))
#: Everything in a drawing, for an element of the class ``chart`` around it.
CHART_STYLE = (
    ".chart text{font:12px var(--font);fill:var(--ink);font-variant-numeric:tabular-nums}"
    ".chart .head{font-size:14px;font-weight:600}.chart .muted{fill:var(--muted)}"
    ".chart .strong{font-weight:600}.chart .end{text-anchor:end}.chart .middle{text-anchor:middle}"
    ".chart .paper{fill:var(--paper)}.chart path{fill:none}"
    ".chart .grid{stroke:var(--grid)}.chart .axis{stroke:var(--link)}"
    ".chart .diagonal{stroke:var(--link);stroke-dasharray:4 4}"
    ".chart .link{stroke:var(--grid);stroke-width:1.5}.chart .moved{stroke:var(--cand);stroke-width:2.5}"
    ".chart .drift{stroke:var(--link);stroke-width:1.5}"
    ".chart .tied{stroke:var(--accent);stroke-width:2}.chart .whisker{stroke:var(--link);stroke-width:1.5}"
    ".chart .ref{fill:var(--paper);stroke:var(--ref);stroke-width:2.5}.chart .cand{fill:var(--cand)}"
    ".chart .row{fill:var(--accent-soft)}.chart .badge{fill:var(--accent)}.chart .on{fill:var(--paper)}"
    f".chart .dot{{stroke:var(--paper)}}{_KINDS}"
)
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


def variables(tokens: dict[str, str]) -> str:
    """Tokens as custom properties."""
    return "".join(f"--{name}:{color};" for name, color in tokens.items())


def file_style() -> str:
    """The style of a drawing that stands in a file: written out, as not every viewer knows variables."""
    light = _resolved(LIGHT)
    # A rule of the dark colours differs from the light one; all others need no second time.
    dark = "".join(rule for rule in _resolved(DARK) if rule not in light)
    return f"{''.join(light)}@media (prefers-color-scheme:dark){{{dark}}}"


def _resolved(tokens: dict[str, str]) -> list[str]:
    style = CHART_STYLE.replace(".chart ", "").replace("var(--font)", FONT)
    for name in sorted(tokens, key=len, reverse=True):
        style = style.replace(f"var(--{name})", tokens[name])
    return [f"{rule}}}" for rule in style.split("}") if rule]
