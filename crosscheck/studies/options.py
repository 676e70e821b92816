"""Short declarations of arguments and options, and the arguments and options of several commands."""

import math
import os
from collections.abc import Sequence
from typing import Any

import click


class Number(click.FloatRange):
    """The type of an option whose value is a finite number in a range."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a finite number.", param, ctx)
        return number


class InputFile(click.ParamType):  # type: ignore[type-arg] # no type parameter before click 8.2
    """The path of a file of qrels or of a run, in the form that ``--format`` gives."""

    name = "file"

    def __init__(self, noun: str) -> None:
        self._noun = noun

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        form = None if ctx is None else ctx.meta.get(_FORM, {}).get(self._noun)
        if form is None or not (value == "-" or os.path.isfile(value)):
            return str(value)
        from crosscheck.formats.forms import with_form  # needs numpy, and help must not wait for it

        return with_form(str(value), form)


_FORM = "crosscheck.form"


def _keep_form(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> None:
    """Store the values of ``--format``, as ``qrels`` or ``run`` -> form, where the arguments find them."""
    forms = ctx.meta[_FORM] = dict[str, str]()
    for text in given:
        noun, _, form = text.rpartition("=")
        if noun not in ("", "qrels", "run"):
            raise click.BadParameter(f"{text!r}: qrels=FORM, run=FORM or FORM", ctx, param)
        forms |= dict.fromkeys([noun] if noun else ["qrels", "run"], form)


def argument(name: str, metavar: str | None = None, **more: Any) -> click.Argument:
    """A positional argument; ``name`` is the name of the function's parameter."""
    return click.Argument([name], metavar=metavar, **more)


def several(name: str, metavar: str, **more: Any) -> click.Argument:
    """One positional argument or more."""
    return argument(name, metavar, nargs=-1, required=True, **more)


def run_file(name: str = "run") -> click.Argument:
    """The positional argument for one run file."""
    return argument(name, type=InputFile("run"))


def run_files(metavar: str = "RUN...", name: str = "runs") -> click.Argument:
    """The positional argument for one or more run files."""
    return several(name, metavar, type=InputFile("run"))


def option(names: str, help: str, kind: Any = None, default: Any = None, **more: Any) -> click.Option:
    """An option.

    Args:
        names: ``-k --cutoff``, followed by the name of the function's parameter if that is different.
        kind: the type of the value; or a text that stands for the value in the help (the metavar).
        default: the default, which the help shows; None for no default.
    """
    more |= {"metavar": kind} if isinstance(kind, str) else {"type": kind}
    more |= {} if default is None else {"default": default, "show_default": True}
    return click.Option(names.split(), help=help, **more)


def flag(names: str, help: str) -> click.Option:
    """An option without a value."""
    return click.Option(names.split(), is_flag=True, help=help)


#: A whole number above 0.
COUNT = click.IntRange(min=1)
#: An absolute tolerance; 0 asks for the same bits.
TOLERANCE = Number(min=0)
QRELS = argument("qrels", type=InputFile("qrels"))
#: Added to each command with an :class:`InputFile`.
FORMAT = option(
    "--format",
    "Form of files whose content does not tell it: trec, msmarco, beir, csv, tsv, json, jsonl, parquet, "
    "feather, or their columns: qid,docid,score. Or qrels=FORM, run=FORM.",
    "FORM",
    multiple=True,
    is_eager=True,
    expose_value=False,
    callback=_keep_form,
)


def with_format(parameters: Sequence[click.Parameter]) -> list[click.Parameter]:
    """The parameters of a command, with ``--format`` added if one of them is a qrels or run file."""
    files = any(isinstance(parameter.type, InputFile) for parameter in parameters)
    return [*parameters, *([FORMAT] if files else [])]


MEASURES = option("-m --measures", "Measure or group, repeatable; or a,b,c.", "MEASURE", multiple=True)
_SPEC = "A profile, AXIS=VALUE,... or both, as `crosscheck profiles` takes them."
CONVENTIONS = option("--conventions", _SPEC, "SPEC", "trec_eval-9.0.8")


def significance(default: str = "t") -> tuple[click.Option, click.Option]:
    """``--test`` and ``--alpha``, which define significance; ``default`` is the default test."""
    tests = click.Choice(["sign", "wilcoxon", "t", "randomisation"])
    test = option("--test", "Decides what is significant.", tests, default)
    return test, option("--alpha", "Level of significance.", float, 0.05)
