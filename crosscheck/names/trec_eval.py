"""trec_eval's measure names, the order in which it prints them, and its nicknames for groups."""

from __future__ import annotations

from functools import cache

from crosscheck.errors import UnknownMeasure
from crosscheck.measures import families
from crosscheck.measures.base import Family
from crosscheck.model import Measure, ParamValue, written
from crosscheck.names.values import is_number

__all__ = [
    "GROUPS",
    "PRINT_ORDER",
    "TEXTS",
    "expand_group",
    "parameter_text",
    "spellings",
    "to_parameters",
    "trec_eval_family",
    "trec_eval_name",
]

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SETS = "set_P set_relative_P set_recall set_map set_F"
_PREFERENCES = """
    prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair prefs_avgjg
    prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret prefs_simp_imp
    prefs_pair_imp prefs_avgjg_imp
"""
_GROUPS_OF_JUDGES = "map_avgjg P_avgjg Rprec_mult_avgjg"

#: The names that trec_eval prints with a text instead of a number.
TEXTS = ("runid", "relstring")

#: All names that trec_eval prints, in its order. ``trec_eval_since`` of a family tells which need 10.0.
PRINT_ORDER = tuple(
    f"""
    {_OFFICIAL} relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel
    Rndcg ndcg_cut map_cut relative_P success {_SETS} num_nonrel_judged_ret {_PREFERENCES} {_GROUPS_OF_JUDGES}
    yaap rbp rbp_resid unj
    """.split()
)


def _in_order(names: str) -> tuple[str, ...]:
    return tuple(sorted(names.split(), key=PRINT_ORDER.index))


#: trec_eval's nicknames and the names in each group, in the order of printing; 9.0.8 does not have all of
#: them.
GROUPS: dict[str, tuple[str, ...]] = {
    "official": _in_order(_OFFICIAL),
    "set": _in_order(f"runid num_q num_ret num_rel num_rel_ret utility {_SETS}"),
    "all_trec": tuple(
        name
        for name in PRINT_ORDER
        if name not in ("dcg", "ideal_dcg", "yaap", *_PREFERENCES.split(), *_GROUPS_OF_JUDGES.split())
    ),
    "all_prefs": _in_order(f"runid num_q {_PREFERENCES}"),
    "prefs": _in_order(f"runid num_q {' '.join(_PREFERENCES.split()[:6])}"),
    "qrels_jg": _in_order(f"runid num_q {_GROUPS_OF_JUDGES}"),
}


@cache
def spellings() -> dict[str, Family]:
    """trec_eval's names of measures that have a family -> family, longest name first."""
    named = [(name, f) for f in families().values() for name in (f.trec_eval, f.trec_eval_cut) if name]
    return dict(sorted(named, key=lambda entry: -len(entry[0])))


def trec_eval_family(name: str) -> Family | None:
    """The family of a trec_eval name without parameters (``ndcg_cut``), or None. Case matters."""
    return spellings().get(name)


def expand_group(name: str, version: str = "9.0.8") -> tuple[Measure, ...]:
    """The measures that a trec_eval name without parameters denotes, in trec_eval's order.

    Nicknames (``official``, ``all_prefs``) give all their measures with numbers as values; ``ndcg_cut`` and
    the like give trec_eval's default cutoffs.

    Args:
        version: ``9.0.8`` or ``10.0``, which has more measures.

    Raises:
        UnknownMeasure: that version of trec_eval has no such group or measure.
    """
    found: list[Measure] = []
    for member in GROUPS.get(name, (name,)):
        about = trec_eval_family(member)
        if about is None or (version.startswith("9") and about.trec_eval_since != "9.0.8"):
            continue
        if member == about.trec_eval:
            found.append(Measure(about.name))
        elif about.at_parameter == "cutoff":
            found += [Measure(about.name, int(k)) for k in about.trec_eval_defaults]
        else:
            found += [
                Measure(about.name, params=((about.at_parameter, x),)) for x in about.trec_eval_defaults
            ]
    if not found:
        raise UnknownMeasure(
            f"trec_eval {version} has no group of measures {name!r}",
            hint=f"its groups are {', '.join(GROUPS)}; a measure stands for its default cutoffs",
        )
    return tuple(found)


def trec_eval_name(measure: Measure) -> str | None:
    """trec_eval's printed name (``ndcg_cut_10``), or None if trec_eval has no such measure.

    The relevance level, and the size of the collection for ``utility``, are flags there (``-l``, ``-N``) and
    not part of the name. Parameters are written in their shortest form; trec_eval repeats them as given.
    """
    about = families()[measure.family]
    params = {name: value for name, value in measure.params if name != "N"}
    if measure.cutoff is not None:
        return f"{about.trec_eval_cut}_{measure.cutoff}" if about.trec_eval_cut and not params else None
    if about.at_parameter in params:
        point = params.pop(about.at_parameter)
        return f"{about.trec_eval_cut}_{point:3.2f}" if not params else None
    if about.trec_eval is None or not params:
        return about.trec_eval
    allowed = {about.trec_eval_param, *(["gains"] if "gains" in about.params else [])}
    return f"{about.trec_eval}_{parameter_text(params)}" if params.keys() <= allowed else None


def parameter_text(params: dict[str, ParamValue]) -> str:
    """Parameters in trec_eval's syntax: ``0.5``, ``1,-1,0,0``, ``1=3,2=9``, ``p=0.8``."""
    texts: list[str] = []
    for name, value in sorted(params.items(), reverse=True):
        entries = value if isinstance(value, tuple) else (value,)
        for entry in entries:
            if isinstance(entry, tuple):
                texts.append(f"{entry[0]}={written(entry[1])}")
            else:
                texts.append(f"{'p=' if name == 'p' else ''}{written(entry)}")
    return ",".join(texts)


def to_parameters(about: Family, text: str) -> str | None:
    """trec_eval's parameters (``1=3,2=9``) in ir_measures' spelling; None if they do not fit ``about``."""
    named = [part.partition("=") for part in text.split(",")]
    if not all(is_number(value if equals else name) for name, equals, value in named):
        return None
    pairs = [(name, value) for name, equals, value in named if equals]
    if len(pairs) not in (0, len(named)):
        return None
    if pairs:
        gains = ",".join(f"{level}:{gain}" for level, gain in pairs if level != "p")
        parts = [f"p={value}" for level, value in pairs if level == "p"]
        return ",".join([*parts, *([f"gains={{{gains}}}"] if gains else [])])
    if about.trec_eval_param is None or about.trec_eval_param in ("gains", "p"):
        return None
    is_list = isinstance(about.params[about.trec_eval_param], tuple)
    return f"{about.trec_eval_param}={f'[{text}]' if is_list else text}"
