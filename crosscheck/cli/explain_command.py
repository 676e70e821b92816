"""``crosscheck explain``: the labels in prose."""

from __future__ import annotations

import click

from crosscheck.errors import UsageError

__all__ = ["command"]

_UNDEFINED = "trec_eval-undefined"


@click.command("explain")
@click.argument("label", required=False)
def command(label: str | None) -> None:
    """Explain a label with a small example; without one, list the labels.

    LABEL can also be trec_eval-undefined: where the C program's behaviour is undefined, and what
    crosscheck does there.
    """
    import difflib

    from crosscheck.cli.output import show
    from crosscheck.diagnosis.causes import causes

    known = causes()
    if label is None:
        width = max(map(len, known))
        show("".join(f"{cause.label:{width}}  {cause.summary}\n" for cause in known.values()))
        return
    if label == _UNDEFINED:
        show(_undefined())
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


def _undefined() -> str:
    """The table of what trec_eval leaves undefined, as text."""
    import textwrap

    from crosscheck.trec_eval.undefined import UNDEFINED

    def paragraph(title: str, text: str) -> str:
        return textwrap.fill(f"{title}: {text}", 96, initial_indent="  ", subsequent_indent="    ")

    parts = ["Where trec_eval's behaviour is undefined, and what crosscheck does instead.\n"]
    for entry in UNDEFINED:
        parts += [
            f"\n{entry.label} (trec_eval {', '.join(entry.versions)})\n",
            paragraph("when", entry.situation) + "\n",
            paragraph("trec_eval", entry.trec_eval) + "\n",
            paragraph("crosscheck", entry.crosscheck) + "\n",
        ]
    return "".join(parts)
