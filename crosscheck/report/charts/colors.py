"""The colours of all drawings and pages, as tokens for light and dark, and the style of a chart."""

from __future__ import annotations

import tomllib
from importlib import resources


def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text("utf-8")


_COLORS = tomllib.loads(_file("colors.toml"))
LIGHT, DARK = ({token: colors[place] for token, colors in _COLORS.items()} for place in (0, 1))
#: The style of a drawing, for all that is inside an element of the class ``chart``.
CHART_STYLE = "".join(_file("chart.css").splitlines())
FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"


def variables(tokens: dict[str, str]) -> str:
    """Colour tokens as CSS custom properties."""
    return "".join(f"--{name}:{color};" for name, color in tokens.items())


def file_style() -> str:
    """The style of a drawing in its own file: without CSS variables, which not every viewer knows."""
    light = _resolved(LIGHT)
    # A rule of the dark colours differs from the light one; all others need no second time.
    dark = "".join(rule for rule in _resolved(DARK) if rule not in light)
    return f"{''.join(light)}@media (prefers-color-scheme:dark){{{dark}}}"


def _resolved(tokens: dict[str, str]) -> list[str]:
    style = CHART_STYLE.replace(".chart ", "").replace("var(--font)", FONT)
    for name in sorted(tokens, key=len, reverse=True):
        style = style.replace(f"var(--{name})", tokens[name])
    return [f"{rule}}}" for rule in style.split("}") if rule]
