"""The commands that explain: backends, labels and measures, conventions, schemas."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

from crosscheck.cli.options import command
from crosscheck.cli.output import show
from crosscheck.errors import UnknownMeasure, UsageError, did_you_mean, quoted
from crosscheck.studies.options import argument

if TYPE_CHECKING:
    from crosscheck.backends import BackendFactory
    from crosscheck.measures import Family

#: Width of the lines of ``explain``.
_WIDTH = 96


@command(argument("ids", "[ID]...", nargs=-1))
def backends(asked: SimpleNamespace) -> None:
    """List the backends: syntax of their ids, versions, and the command that installs a missing one."""
    from crosscheck.backends import factories

    known = factories()
    each = dict.fromkeys(asked.ids or known)
    show("".join([_about_kind(known[id]) if id in known else f"{id}\n    {_state(id)}\n" for id in each]))


def _about_kind(kind: BackendFactory) -> str:
    text = f"{kind.usage}\n    {kind.summary}\n"
    if kind.usage.startswith(f"{kind.name}:"):  # it needs an argument to be described
        return text
    return f"{text}    {_state(kind.name)}{' (candidate by default)' if kind.default else ''}\n"


def _state(id: str) -> str:
    from crosscheck.backends import make

    about = make(id).describe()
    return f"available: {about.engine}" if about.available else f"not available: {about.reason}"


@command(argument("label", required=False))
def explain(asked: SimpleNamespace) -> None:
    """Explain a label with a small example; without one, list the labels.

    LABEL can also be a measure, such as alpha_nDCG, to show how it is computed; `measures`, to list them; or
    trec_eval-undefined, to show where the C program's behaviour is undefined and what crosscheck does there.
    """
    from crosscheck.axes.base import Axis
    from crosscheck.explain.labels import causes
    from crosscheck.measures import families
    from crosscheck.names import named_family, trec_eval_family

    known = causes()
    axes = {one.name: one.label for one in known.values() if isinstance(one, Axis)}
    label = axes.get(asked.label, asked.label)
    if label is None:
        show(_listed({cause.label: cause.summary for cause in known.values()}))
    elif label == "measures":
        show(_listed({one.name + _CUTOFFS[one.cutoff]: one.summary for one in families().values()}))
    elif label == "trec_eval-undefined":
        show(_undefined())
    elif label in known:
        cause = known[label]
        axis = f"axis: {cause.name}\n" if isinstance(cause, Axis) else ""
        show(f"{cause.label}: {cause.summary}\n{axis}\n{cause.explained}\n")
    else:
        name = label.partition("@")[0].partition("(")[0]
        show(_measure(named_family(name) or trec_eval_family(name) or _family(label, known)))


def _family(name: str, labels: Iterable[str]) -> Family:
    """The family of the measure that a name with a cutoff or parameters means; else an error that says what
    may be meant: a profile, a label or a measure."""
    from crosscheck.conventions import profiles
    from crosscheck.measures import families
    from crosscheck.names import parse_measure

    if name in profiles():
        raise UsageError(f"{quoted(name)} is a profile", hint=f"call crosscheck profiles {name}")
    try:
        return families()[parse_measure(name).family]
    except UnknownMeasure as error:
        _, semicolon, measure = error.message.partition("; ")
        meant = [semicolon + measure, did_you_mean(name, labels, "; ")]
        if not re.search(r"[@\d]", name):
            meant.reverse()  # labels have no numbers, and most measures have
        hint = "crosscheck explain lists the labels, crosscheck explain measures the measures"
        problem = f"there is no label or measure {quoted(name)}{meant[0] or meant[1]}"
        raise UsageError(problem, hint=hint) from None


#: How a cutoff is written, if a measure takes one, may take one, or needs one.
_CUTOFFS = {"none": "", "optional": "[@k]", "required": "@k"}


def _listed(summaries: Mapping[str, str]) -> str:
    width = max(map(len, summaries))
    return "".join(f"{name:{width}}  {summary}\n" for name, summary in summaries.items())


def _measure(about: Family) -> str:
    """The names of a measure, the docstring of its formula, and its parameters."""
    import inspect

    from crosscheck.model import written

    text = inspect.getdoc(about.compute) or inspect.getdoc(inspect.getmodule(about.compute)) or ""
    plain = re.sub(r":\w+:`[~.]?([^`]+)`", r"\1", text).replace("``", "")
    parameters = about.parameters.values()
    taken = [f"{p.name}={written(p.default)}" for p in parameters if p.default != ()]
    called = about.name + (f"({', '.join(taken)})" if taken else "") + _CUTOFFS[about.cutoff]
    theirs = [name for name in (about.trec_eval, about.trec_eval_cut) if name]
    others = [*about.aliases, *(f"trec_eval's {name}" for name in theirs)]
    also = f"also: {', '.join(others)}\n" if others else ""
    texts = {} if about.cutoff == "none" else {"k": "cutoff: only the first k documents of a ranking count"}
    texts |= {p.name: p.text for p in parameters}
    width = max(map(len, texts), default=0)
    fill = partial(textwrap.fill, width=_WIDTH, subsequent_indent=" " * (width + 4))
    lines = [fill(text, initial_indent=f"  {name:{width}}  ") for name, text in texts.items()]
    listed = "\n".join(["", "Parameters", *lines, ""]) if lines else ""
    return f"{called}: {about.summary}\n{also}\n{plain}\n{listed}"


def _undefined() -> str:
    """The table of trec_eval's undefined behaviour, as text."""
    from crosscheck.trec_eval.undefined import UNDEFINED

    text = "Where trec_eval's behaviour is undefined, and what crosscheck does instead.\n"
    for entry in UNDEFINED:
        text += f"\n{entry.label} (trec_eval {', '.join(entry.versions)})\n"
        about = {"when": entry.situation, "trec_eval": entry.trec_eval, "crosscheck": entry.crosscheck}
        for title, words in about.items():
            line = f"{title}: {words}"
            text += textwrap.fill(line, _WIDTH, initial_indent="  ", subsequent_indent="    ") + "\n"
    return text


@command(argument("names", "[NAME [NAME]]", nargs=-1))
def profiles(asked: SimpleNamespace) -> None:
    """List the profiles; show one axis by axis; or show on which axes two differ.

    NAME is a profile or axis settings, as in native:NAME (`trec_eval-10,gain=exponential`).
    """
    names = asked.names
    if len(names) > 2:
        raise UsageError(f"crosscheck profiles takes at most two names, not {len(names)}")
    lines = _difference(*names) if len(names) == 2 else _axes(*names) if names else _profiles()
    show("".join(f"{line}\n" for line in lines))


def _profiles() -> Iterator[str]:
    from crosscheck.conventions import profiles

    width = max(map(len, profiles()))
    for profile in profiles().values():
        yield f"{profile.name:{width}}  {profile.description}"
        yield f"{'':{width}}  [{profile.evidence}: {profile.source}]"


def _axes(name: str) -> Iterator[str]:
    """The axes of a profile; then its parts, with their measures and the axes on which they differ."""
    from crosscheck.conventions import profiles
    from crosscheck.report.words import settings

    yield from (f"{axis:22} {value}" for axis, value in _values(name).items())
    for part in (one for one in profiles().values() if one.tool == name):
        changes = part.conventions.changes_from(profiles()[name].conventions)
        yield f"{part.name} ({' '.join(part.measures)}): {settings(changes)}"


def _difference(first: str, second: str) -> list[str]:
    ours, theirs = _values(first), _values(second)
    different = [axis for axis in ours if ours[axis] != theirs[axis]]
    width = max(20, len(first), *(len(ours[axis]) for axis in different))
    lines = [f"{axis:22} {ours[axis]:{width}} {theirs[axis]}" for axis in different]
    return [f"{'axis':22} {first:{width}} {second}", *lines] if lines else ["no axis differs"]


def _values(name: str) -> dict[str, str]:
    """Axis -> value, as written in axis settings."""
    from crosscheck.axes import axes
    from crosscheck.conventions import conventions

    values = {axis: conventions(name).plain(axis) for axis in axes()}
    return {axis: "none" if value is None else str(value) for axis, value in values.items()}


@command(argument("study", "[COMMAND]", required=False))
def schema(asked: SimpleNamespace) -> None:
    """Print the JSON Schema of the result document (--report json).

    COMMAND is run (the default), audit or a study, such as compare; for any other word they are listed.
    """
    from crosscheck.report.json_report import schema as schema_of

    show(schema_of(asked.study or "run"))
