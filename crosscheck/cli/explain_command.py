"""``crosscheck explain``: the labels and the measures in prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from crosscheck.errors import no_such

if TYPE_CHECKING:
    from crosscheck.measures import Family

__all__ = ["command"]

_UNDEFINED = "trec_eval-undefined"


@click.command("explain")
@click.argument("label", required=False)
def command(label: str | None) -> None:
    """Explain a label with a small example; without one, list the labels.

    LABEL can also be a measure, such as alpha_nDCG, to show how it is computed, or trec_eval-undefined, to
    show where the C program's behaviour is undefined and what crosscheck does there.
    """
    from crosscheck.axes.base import Axis
    from crosscheck.cli.output import show
    from crosscheck.diagnosis.causes import causes
    from crosscheck.names import named_family, trec_eval_family

    known = causes()
    if label is None:
        width = max(map(len, known))
        show("".join(f"{cause.label:{width}}  {cause.summary}\n" for cause in known.values()))
        return
    if label == _UNDEFINED:
        show(_undefined())
        return
    name = label.partition("@")[0].partition("(")[0]
    if label not in known and (about := named_family(name) or trec_eval_family(name)):
        show(_measure(about))
        return
    if label not in known:
        raise no_such("label", label, known)
    cause = known[label]
    axis = f"axis: {cause.name}\n" if isinstance(cause, Axis) else ""
    show(f"{cause.label}: {cause.summary}\n{axis}\n{cause.explained}\n")


def _measure(about: Family) -> str:
    """The names of a measure, the docstring of its formula, and its parameters."""
    import inspect
    import re
    import textwrap

    from crosscheck.measures.parameter_texts import parameter_texts
    from crosscheck.model import written

    text = inspect.getdoc(about.compute) or inspect.getdoc(inspect.getmodule(about.compute)) or ""
    plain = re.sub(r":\w+:`[~.]?([^`]+)`", r"\1", text).replace("``", "")
    taken = ["rel=1"] if about.rel else []
    taken += [f"{name}={written(value)}" for name, value in about.params.items() if value != ()]
    cutoff = {"none": "", "optional": "[@k]", "required": "@k"}[about.cutoff]
    called = about.name + (f"({', '.join(taken)})" if taken else "") + cutoff
    theirs = [name for name in (about.trec_eval, about.trec_eval_cut) if name]
    others = [*about.aliases, *(f"trec_eval's {name}" for name in theirs)]
    also = f"also: {', '.join(others)}\n" if others else ""
    texts = parameter_texts(about)
    width = max(map(len, texts), default=0)
    told = [
        textwrap.fill(text, 96, initial_indent=f"  {name:{width}}  ", subsequent_indent=" " * (width + 4))
        for name, text in texts.items()
    ]
    parameters = "\n".join(["", "Parameters", *told, ""]) if told else ""
    return f"{called}: {about.summary}\n{also}\n{plain}\n{parameters}"


def _undefined() -> str:
    """The table of trec_eval's undefined behaviour, as text."""
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
