"""Names of a measure as functions spell them, in a parameter ``measure`` and in the keys of what they return.

trec_eval prints ``ndcg_cut_5``, pytrec_eval takes ``ndcg_cut.5``, others ``ndcg@5``, ``NDCG`` or
``precision_at_k``. Which of them a function knows, :func:`accepted` finds by trying.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from msgspec.structs import replace

from crosscheck.measures import families
from crosscheck.model import Measure

__all__ = ["KnownSpellings", "accepted", "family_words", "measure_parameter", "spelt"]

#: Names that functions have for a family, besides those of ir_measures and trec_eval.
_NAMES: dict[str, tuple[str, ...]] = {
    "P": ("precision", "prec"),
    "R": ("recall",),
    "SetP": ("precision",),
    "SetR": ("recall",),
    "SetF": ("f1", "f"),
    "Success": ("hit_rate", "hit", "hits", "success", "accuracy"),
    "RR": ("mrr", "rr", "reciprocal_rank", "mean_reciprocal_rank"),
    "AP": ("map", "ap", "average_precision", "mean_average_precision"),
    "Rprec": ("r_precision", "r-precision"),
}
_PRINTED = ("%s_{k}", "%s.{k}")
_WITH_CUTOFF = ("%s@{k}", "%s_{k}", "%s_at_{k}", "%s{k}")
_WITHOUT_CUTOFF = ("%s", "%s@k", "%s_at_k")
#: The name of no measure, without letters that a function may look for in a name, such as "p" or "ndcg".
_INVENTED = "xyzzy"
_PARAMETER = re.compile(r"(?:measure|metric|metrica|medida)(s?)")
#: Other parts of the names of parameters that take a measure, such as ``eval_metric`` and ``metric_name``.
_BESIDE = frozenset(
    ("eval", "evaluation", "ir", "ranking", "name", "names", "nome", "nombre", "list", "to", "compute")
)


class KnownSpellings(NamedTuple):
    """The spellings that a function accepts.

    Attributes:
        templates: each with ``{k}`` for the cutoff; the empty one is the canonical name. Spellings with equal
            answers are one.
        known: whether the function has another answer, or none, for the name of no measure. If not, it may
            ignore the name.
    """

    templates: list[str]
    known: bool


def spelt(template: str, measure: Measure) -> str:
    """The name of a measure in one spelling."""
    return template.replace("{k}", str(measure.cutoff)) if template else str(measure)


def accepted(measure: Measure, ask: Callable[[str], str | None]) -> KnownSpellings:
    """Try which spellings of a measure a function accepts.

    A spelling without the cutoff counts only if none with it is accepted.

    Args:
        ask: the answer of the function to a template; None if it fails.
    """
    of_invented: dict[str, str | None] = {}
    ignored: list[str] = []
    for forms in _forms(measure):
        known: dict[str, str] = {}
        for template, invented in forms.items():
            answer = ask(template)
            if answer is None:
                continue
            if invented not in of_invented:
                of_invented[invented] = ask(invented)
            if answer == of_invented[invented]:
                ignored.append(template)
                continue
            known.setdefault(answer, template)
            if measure.cutoff and "" in forms and ask(_at_another_cutoff(template, measure)) != answer:
                return KnownSpellings([template], known=True)
        if known:
            return KnownSpellings(list(known.values()), known=True)
    return KnownSpellings(ignored[:1], known=False)


def _at_another_cutoff(template: str, measure: Measure) -> str:
    return spelt(template, replace(measure, cutoff=2 if measure.cutoff == 1 else 1))


def _forms(measure: Measure) -> Iterator[dict[str, str]]:
    """Templates that tell the cutoff, if there is one, then those that do not; each with an invented name in
    the same form."""
    if measure.family not in families():
        return
    about = families()[measure.family]
    own = (about.name, *about.aliases)
    names = [*own, *(name.lower() for name in own), *(name.upper() for name in own if len(name) < 5)]
    names += _NAMES.get(about.name, ())
    printed = about.trec_eval if measure.cutoff is None else about.trec_eval_cut

    def written(forms: Iterable[str], names: Iterable[str | None]) -> dict[str, str]:
        return {form % name: form % _INVENTED for form in forms for name in names if name}

    whole = {"": str(measure).replace(measure.family, _INVENTED, 1)}
    if measure.params:
        yield whole
    elif measure.cutoff is None:
        yield whole | written(("%s",), [printed, *names])
    else:
        yield whole | written(_PRINTED, [printed]) | written(_WITH_CUTOFF, names)
        yield written(_WITHOUT_CUTOFF, [*names, printed])


def family_words(measure: Measure) -> tuple[str, ...]:
    """Beginnings of names that functions have for the measure, in small letters and without underscores."""
    own = measure.family.lower()
    names = (*_NAMES.get(measure.family, ()), f"{own}@" if len(own) == 1 else own)
    return tuple(name.replace("_", "") for name in names)


def measure_parameter(name: str) -> Literal["one", "several"] | None:
    """Whether a parameter takes the name of a measure, or several of them, by its own name."""
    parts = [part for part in re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) if part]
    kinds = [found for part in parts if (found := _PARAMETER.fullmatch(part))]
    if len(kinds) != 1 or not {*parts} <= {kinds[0][0], *_BESIDE}:
        return None
    return "several" if kinds[0][1] or not {"names", "list"}.isdisjoint(parts) else "one"
