"""``crosscheck explain``: the labels in prose."""

from __future__ import annotations

import click

from crosscheck.errors import UsageError

__all__ = ["command"]


@click.command("explain")
@click.argument("label", required=False)
def command(label: str | None) -> None:
    """Explain a label with a small example; without one, list the labels."""
    import difflib

    from crosscheck.cli.output import show
    from crosscheck.diagnosis.causes import causes

    known = causes()
    if label is None:
        width = max(map(len, known))
        show("".join(f"{cause.label:{width}}  {cause.summary}\n" for cause in known.values()))
        return
    if label not in known:
        near = difflib.get_close_matches(label, known, 1)
        raise UsageError(
            f"there is no label {label!r}" + (f"; did you mean {near[0]}?" if near else ""),
            hint=f"the labels are: {', '.join(known)}",
        )
    cause = known[label]
    axis = f"axis: {cause.axis}\n" if cause.axis else ""
    show(f"{cause.label}: {cause.summary}\n{axis}\n{cause.prose}\n")
