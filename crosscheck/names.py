"""Measure names: ir_measures' and trec_eval's spellings in, one parsed :class:`Measure` out."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache

from crosscheck.errors import UnknownMeasure
from crosscheck.measures import families
from crosscheck.measures.base import Family
from crosscheck.model import Measure

__all__ = ["DEFAULT_MEASURES", "parse_measure", "parse_measures", "trec_eval_name"]

DEFAULT_MEASURES = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref")

_IR_MEASURES = re.compile(r"(?P<name>[A-Za-z_]+)(\((?P<params>[^()]*)\))?(@(?P<cutoff>-?\d+))?")
_TREC_EVAL_CUT = re.compile(r"(?P<name>[A-Za-z_]+?)[._](?P<cutoff>\d+)")


@cache
def _spellings() -> tuple[dict[str, Family], dict[str, Family]]:
    """Lower-case spelling -> family: plain names, and trec_eval names that carry a cutoff."""
    plain: dict[str, Family] = {}
    cut: dict[str, Family] = {}
    for about in families().values():
        for name in (about.name, *about.aliases, *([about.trec_eval] if about.trec_eval else [])):
            plain[name.lower()] = about
        if about.trec_eval_cut:
            cut[about.trec_eval_cut.lower()] = about
    return plain, cut


def parse_measure(text: str) -> Measure:
    """One measure from ``nDCG@10``, ``ndcg_cut_10``, ``ndcg_cut.10``, ``AP(rel=2)@100``, ``map``, ...

    Letter case does not matter.

    Raises:
        UnknownMeasure: nobody knows the name (the message suggests near ones), a cutoff is missing,
            not possible or not positive, or a parameter does not exist.
    """
    plain, cut = _spellings()
    name = text.strip()
    if (found := _TREC_EVAL_CUT.fullmatch(name)) and found["name"].lower() in cut:
        return _checked(text, cut[found["name"].lower()], int(found["cutoff"]), "")
    found = _IR_MEASURES.fullmatch(name)
    about = plain.get(found["name"].lower()) if found else None
    if found is None or about is None:
        raise UnknownMeasure(f"unknown measure {text!r}{_suggestion(name)}", hint=_known())
    cutoff = int(found["cutoff"]) if found["cutoff"] is not None else None
    return _checked(text, about, cutoff, found["params"] or "")


def _checked(text: str, about: Family, cutoff: int | None, params: str) -> Measure:
    if cutoff is not None and about.cutoff == "none":
        raise UnknownMeasure(f"{text!r}: {about.name} takes no cutoff", hint=f"write {about.name}")
    if cutoff is None and about.cutoff == "required":
        raise UnknownMeasure(f"{text!r}: {about.name} needs a cutoff", hint=f"for example {about.name}@10")
    if cutoff is not None and cutoff < 1:
        raise UnknownMeasure(f"{text!r}: the cutoff must be at least 1", hint=f"for example {about.name}@10")
    rel: int | None = None
    values: dict[str, float] = {}
    for part in filter(None, (p.strip() for p in params.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        allowed = [*(["rel"] if about.rel else []), *about.params]
        if not equals or key not in allowed:
            hint = f"it takes: {', '.join(allowed)}" if allowed else "it takes no parameters"
            raise UnknownMeasure(f"{text!r}: {about.name} has no parameter {key!r}", hint=hint)
        try:
            if key == "rel":
                rel = int(value)
            elif float(value) != about.params[key]:
                values[key] = float(value)
        except ValueError:
            raise UnknownMeasure(f"{text!r}: {key} must be a number, not {value!r}") from None
    return Measure(about.name, cutoff, rel if rel != 1 else None, tuple(sorted(values.items())))


def _known() -> str:
    names = [f.name + ("@k" if f.cutoff == "required" else "") for f in families().values()]
    return f"the measures are: {', '.join(names)} (and trec_eval's names for them)"


def _suggestion(name: str) -> str:
    """", did you mean ...?" with the cutoff of the misspelt name kept."""
    plain, cut = _spellings()
    found = re.fullmatch(r"(?P<name>.*?)(?P<sep>[@._]?)(?P<cutoff>\d*)", name)
    stem, cutoff = (found["name"], found["cutoff"]) if found else (name, "")
    known = {**cut, **plain} if not cutoff else {k: f for k, f in {**cut, **plain}.items() if f.cutoff != "none"}
    near = difflib.get_close_matches(stem.lower(), known, 1, 0.5)
    if not near:
        return ""
    about = known[near[0]]
    if about.cutoff == "required" and not cutoff:
        cutoff = "10"
    return f"; did you mean {about.name}{f'@{cutoff}' if cutoff and about.cutoff != 'none' else ''}?"


def parse_measures(texts: Iterable[str]) -> tuple[Measure, ...]:
    """Several measures, in order, each once. A text may hold several, separated by commas.

    Raises:
        UnknownMeasure: as :func:`parse_measure`.
    """
    found: dict[Measure, None] = {}
    for text in texts:
        # A comma inside parentheses belongs to the measure's parameters.
        for part in re.split(r",(?![^()]*\))", text):
            if part.strip():
                found[parse_measure(part)] = None
    return tuple(found)


def trec_eval_name(measure: Measure) -> str | None:
    """trec_eval's printed name (``ndcg_cut_10``), or None where trec_eval has no such measure.

    The relevance level is a flag there (``-l``) and not part of the name.
    """
    about = families()[measure.family]
    if measure.params:
        return None
    if measure.cutoff is None:
        return about.trec_eval
    return f"{about.trec_eval_cut}_{measure.cutoff}" if about.trec_eval_cut else None
