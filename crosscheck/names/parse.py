"""Parsing measure names in either spelling."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from crosscheck.errors import ArgumentError, UnknownMeasure, nearest, quoted
from crosscheck.measures import families
from crosscheck.measures.base import Family
from crosscheck.model import Measure, ParamValue
from crosscheck.names.trec_eval import GROUPS, expand_group, spellings, to_parameters
from crosscheck.names.values import is_number, parsed_value, split_parameters

__all__ = ["DEFAULT_MEASURES", "named_family", "parse_measure", "parse_measures", "texts_of"]

DEFAULT_MEASURES = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref")

#: trec_eval's names that stand for several measures and have no other meaning.
_SEVERAL = {
    *(*GROUPS, "iprec_at_recall", "ndcg_cut", "map_cut", "relative_P", "unj"),
    *("Rprec_mult", "P_avgjg", "Rprec_mult_avgjg"),
}
_IR_MEASURES = re.compile(r"(?P<name>[\w-]+)\s*(\((?P<params>[^()]*)\))?\s*(@\s*(?P<at>[-+.\w]+))?")


@cache
def _plain_names() -> dict[str, Family]:
    """Names without a cutoff -> family."""
    named = ((name, f) for f in families().values() for name in (f.name, *f.aliases, f.trec_eval))
    return {name: about for name, about in named if name is not None}


def named_family(name: str) -> Family | None:
    """The family of a name without cutoff and parameters, or None.

    The exact case is tried first: ``rbp`` is trec_eval's and ``RBP`` is ir_measures'.
    """
    known = _plain_names()
    return known.get(name) or next((f for key, f in known.items() if key.lower() == name.lower()), None)


def parse_measure(text: str) -> Measure:
    """One measure from ``nDCG@10``, ``ndcg_cut_10``, ``ndcg_cut.10``, ``AP(rel=2)@100``, ``map``, ...

    Letter case matters only if two names differ in nothing else (``rbp``, ``RBP``).

    Raises:
        UnknownMeasure: the name is unknown (the message suggests similar ones), a cutoff is missing, not
            possible or not positive, or a parameter does not exist or is invalid.
        ArgumentError: it is no text.
    """
    name = _text(text).strip()
    found = _IR_MEASURES.fullmatch(name)
    if found and (about := named_family(found["name"])):
        return _checked(text, about, found["at"], split_parameters(found["params"] or ""))
    several = _in_trec_eval_spelling(text, name)
    if not several:
        raise UnknownMeasure(f"unknown measure {text!r}{_suggestion(name)}", hint=_known())
    if len(several) > 1:
        raise UnknownMeasure(f"{text!r} stands for {len(several)} measures", hint=f"one is {several[0]}")
    return several[0]


def parse_measures(texts: Iterable[str], version: str = "9.0.8") -> tuple[Measure, ...]:
    """Several measures, in order, each once. A string may hold several, separated by commas.

    trec_eval's lists (``P.5,10``), its groups (``official``, ``set``, ``all_trec``) and its names with
    default cutoffs (``ndcg_cut``) are expanded to the measures that ``version`` of trec_eval has.

    Raises:
        UnknownMeasure: as :func:`parse_measure`.
        ArgumentError: one text in place of a list, or something that is no text.
    """
    found: dict[Measure, None] = {}
    for text in texts_of(texts):
        for part in _separate(text):
            if part in _SEVERAL:
                found |= dict.fromkeys(expand_group(part, "10.0" if part == "unj" else version))
            elif several := _in_trec_eval_spelling(part, part):
                found |= dict.fromkeys(several)
            else:
                found[parse_measure(part)] = None
    return tuple(found)


def texts_of(names: Iterable[str]) -> list[str]:
    """The names of measures as a list.

    Raises:
        ArgumentError: one text in place of a list, or something that is no text.
    """
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ArgumentError(f"measures are a list such as ['nDCG@10'], not {quoted(repr(names), 60)[1:-1]}")
    return [_text(name) for name in names]


def _text(name: str) -> str:
    if not isinstance(name, str):
        raise ArgumentError(f"a measure is a text such as 'nDCG@10', not {quoted(repr(name), 60)[1:-1]}")
    return name


def _separate(text: str) -> list[str]:
    """Parts between commas; commas inside parentheses and in trec_eval's lists do not separate."""
    parts: list[str] = []
    for part in re.split(r",(?![^()]*\))", text):
        piece = part.strip()
        number = re.sub(r"^([-+]?\d+|p)=", "", piece)
        if parts and is_number(number) and re.match(r"\w+?[._]", parts[-1]) and "@" not in parts[-1]:
            parts[-1] += f",{piece}"
        elif piece:
            parts.append(piece)
    return parts


def _in_trec_eval_spelling(text: str, name: str) -> list[Measure]:
    """The measures that ``name`` stands for in trec_eval's spelling (``P.5,10``, ``set_F_0.5``,
    ``ndcg.1=3,2=9``); empty if it is not spelt like this. Messages quote ``text``."""
    for spelling, about in spellings().items():
        given = name[len(spelling) + 1 :]
        if not given or name[len(spelling)] not in "._" or name[: len(spelling)].lower() != spelling.lower():
            continue
        if spelling == about.trec_eval_cut and all(map(is_number, given.split(","))):
            return [_checked(text, about, number, []) for number in given.split(",")]
        if spelling == about.trec_eval and (params := to_parameters(about, given)):
            return [_checked(text, about, None, split_parameters(params))]
    return []


def _checked(text: str, about: Family, at: str | None, params: list[tuple[str, str]]) -> Measure:
    """The measure with checked cutoff and parameters, without optional ones at their defaults."""
    cutoff, rel = None, None
    values: dict[str, ParamValue] = {}
    if about.at_parameter == "cutoff":
        if at is None:  # ir_measures takes it by its name as well
            at = dict(params).get("cutoff")
            params = [param for param in params if param[0] != "cutoff"]
        cutoff = _cutoff(text, about, at)
    elif at is not None:
        params = [(about.at_parameter, at), *params]
    allowed = [*(["rel"] if about.rel else []), *about.params]
    for key, value in params:
        if not value or key not in allowed:
            hint = f"it takes: {', '.join(allowed)}" if allowed else "it takes no parameters"
            raise UnknownMeasure(f"{text!r}: {about.name} has no parameter {key!r}", hint=hint)
        try:
            if key == "rel":
                rel = int(value)
            else:
                values[key] = parsed_value(key, value, about.params[key], share=key in about.shares)
        except ValueError as error:
            expected = "a whole number" if key == "rel" else error
            raise UnknownMeasure(f"{text!r}: {key} must be {expected}, not {value!r}") from None
    for key in about.required:
        if key not in values:
            example = Measure(about.name, cutoff, rel, ((key, about.params[key]),))
            raise UnknownMeasure(f"{text!r}: {about.name} needs {key}", hint=f"for example {example}")
    kept = {k: v for k, v in values.items() if k in about.required or v != about.params[k]}
    return _one_spelling(about.name, cutoff, rel, kept)


def _cutoff(text: str, about: Family, at: str | None) -> int | None:
    if at is None:
        if about.cutoff == "required":
            hint = f"for example {about.name}@10"
            raise UnknownMeasure(f"{text!r}: {about.name} needs a cutoff", hint=hint)
        return None
    if about.cutoff == "none":
        raise UnknownMeasure(f"{text!r}: {about.name} takes no cutoff", hint=f"write {about.name}")
    if not re.fullmatch(r"[-+]?\d+", at):
        hint = f"for example {about.name}@10"
        raise UnknownMeasure(f"{text!r}: the cutoff must be a whole number, not {at!r}", hint=hint)
    if int(at) < 1:
        raise UnknownMeasure(f"{text!r}: the cutoff must be at least 1", hint=f"for example {about.name}@10")
    return int(at)


def _one_spelling(name: str, cutoff: int | None, rel: int | None, params: dict[str, ParamValue]) -> Measure:
    """The measure, with one family name for a measure that ir_measures spells in two ways."""
    if name == "SetP" and params.pop("relative", False):
        name = "SetRelP"
    if name == "NumRet" and rel is not None:
        name = "NumRelRet"
    return Measure(name, cutoff, rel if rel != 1 else None, tuple(sorted(params.items())))


def _known() -> str:
    names = [f.name + ("@k" if f.cutoff == "required" else "") for f in families().values()]
    return f"the measures are: {', '.join(names)} (and trec_eval's names for them)"


def _suggestion(name: str) -> str:
    """ "; did you mean ...?" with the cutoff of the misspelt name; empty if no known name is similar."""
    found = re.fullmatch(r"(?P<name>.*?)(?P<sep>[@._]?)(?P<cutoff>\d*)", name)
    stem, cutoff = (found["name"], found["cutoff"]) if found else (name, "")
    known = {key.lower(): about for key, about in {**spellings(), **_plain_names()}.items()}
    if cutoff:
        known = {key: about for key, about in known.items() if about.cutoff != "none"}
    near = nearest(stem.lower(), known)
    if near is None:
        return ""
    about = known[near]
    if about.cutoff == "required" and not cutoff:
        cutoff = "10"
    return f"; did you mean {about.name}{f'@{cutoff}' if cutoff and about.cutoff != 'none' else ''}?"
