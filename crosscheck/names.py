"""Parsing of measure names, spelt as in ir_measures or trec_eval, into :class:`Measure` records.

The canonical spelling, ``str(measure)``, is the spelling of ir_measures if ir_measures has the measure
(``nDCG@10``, ``IPrec@0.1``, ``SetF(beta=0.5)``, ``nDCG(gains={1:3,2:9})``). Other measures have trec_eval's
name, with parameters written as in ir_measures: ``relative_P@5``, ``Rprec_mult@0.2``,
``utility(coefficients=[2,-1,0,0])``, ``G(gains={1:3})``, ``rbp(p=0.8)``. trec_eval's spellings are accepted
with a dot, as on its command line, or with an underscore, as trec_eval prints them: ``P.5``, ``P_5``,
``ndcg.1=3,2=9``, ``set_F_0.5``.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from msgspec.structs import replace

from crosscheck.conventions import ALL_OF_TREC_EVAL, ANY, Conventions, Profile, conventions, profiles
from crosscheck.errors import ArgumentError, UnknownMeasure, UsageError, in_short, nearest, quoted
from crosscheck.measures import families
from crosscheck.measures.base import GAINS, Family, MeasureParameter
from crosscheck.model import Measure, ParamValue, written

DEFAULT_MEASURES = ("P@5", "P@10", "R@10", "AP", "RR", "nDCG", "nDCG@10", "Rprec", "bpref")

_OFFICIAL = "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
_SETS = "set_P set_relative_P set_recall set_map set_F"
_PREFERENCES = """prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret prefs_simp prefs_pair
    prefs_avgjg prefs_avgjg_Rnonrel prefs_simp_ret prefs_pair_ret prefs_avgjg_ret prefs_avgjg_Rnonrel_ret
    prefs_simp_imp prefs_pair_imp prefs_avgjg_imp"""
_GROUPS_OF_JUDGES = "map_avgjg P_avgjg Rprec_mult_avgjg"

#: All names that trec_eval prints, in the order of printing. ``runid`` and ``relstring`` have a text in place
#: of a number. ``Family.trec_eval_since`` says which names need version 10.0.
PRINT_ORDER = tuple(
    f"""{_OFFICIAL} relstring recall infAP gm_bpref Rprec_mult utility 11pt_avg binG G dcg ideal_dcg ndcg
    ndcg_rel Rndcg ndcg_cut map_cut relative_P success {_SETS} num_nonrel_judged_ret {_PREFERENCES}
    {_GROUPS_OF_JUDGES} yaap rbp rbp_resid unj""".split()
)


#: The names that trec_eval's group of all names leaves out.
_APART = f"dcg ideal_dcg yaap {_PREFERENCES} {_GROUPS_OF_JUDGES}".split()


#: trec_eval's names of groups -> the names in each group, in the order of printing. Version 9.0.8 does not
#: have all of these names.
GROUPS: dict[str, tuple[str, ...]] = {
    "official": tuple(_OFFICIAL.split()),
    "set": tuple(f"runid num_q num_ret num_rel num_rel_ret utility {_SETS}".split()),
    "all_trec": tuple(name for name in PRINT_ORDER if name not in _APART),
    "all_prefs": tuple(f"runid num_q {_PREFERENCES}".split()),
    "prefs": ("runid", "num_q", *_PREFERENCES.split()[:6]),
    "qrels_jg": tuple(f"runid num_q {_GROUPS_OF_JUDGES}".split()),
}
#: trec_eval's names that always stand for several measures.
_SEVERAL = {*GROUPS, "iprec_at_recall", "ndcg_cut", "map_cut", "relative_P", "unj"}
_SEVERAL |= {"Rprec_mult", "P_avgjg", "Rprec_mult_avgjg"}


@cache
def _spellings() -> dict[str, Family]:
    """trec_eval's name of a measure, with or without a cutoff -> family."""
    return {name: f for f in families().values() for name in (f.trec_eval, f.trec_eval_cut) if name}


@cache
def _spellings_in_any_case() -> dict[str, str]:
    return {name.lower(): name for name in _spellings()}


@cache
def _plain_names() -> dict[str, Family]:
    """Names without a cutoff -> family."""
    return {name: f for f in families().values() for name in (f.name, *f.aliases, f.trec_eval) if name}


def named_family(name: str) -> Family | None:
    """The family of a name without cutoff and parameters, or None.

    The exact letter case is tried first, because ``rbp`` (trec_eval) and ``RBP`` (ir_measures) differ.
    """
    known = _plain_names()
    return known.get(name) or next((f for key, f in known.items() if key.lower() == name.lower()), None)


def trec_eval_family(name: str) -> Family | None:
    """The family of a trec_eval name without parameters (``ndcg_cut``), or None. Case matters."""
    return _spellings().get(name)


def parse_measure(text: str) -> Measure:
    """Parse the name of one measure: ``nDCG@10``, ``ndcg_cut_10``, ``AP(rel=2)@100``, ``map``, ...

    Letter case matters only where two names differ in nothing else (``rbp``, ``RBP``).

    Raises:
        UnknownMeasure: the name is unknown (the message suggests a similar name), a cutoff is missing, not
            possible or not positive, or a parameter does not exist or is invalid.
        ArgumentError: ``text`` is not a text.
    """
    name = (text := _text(text)).strip()
    spelt = re.fullmatch(r"(?P<name>[\w-]+)\s*(\((?P<params>[^()]*)\))?\s*(@\s*(?P<at>[-+.\w]+))?", name)
    if spelt and (about := named_family(spelt["name"])):
        return _checked(text, about, spelt["at"], _split_parameters(spelt["params"] or ""))
    several = _in_trec_eval_spelling(text, name)
    if not several:
        known = "write a name such as nDCG@10, AP or map; crosscheck explain measures lists all"
        raise UnknownMeasure(f"unknown measure {text!r}{suggestion(name)}", hint=known)
    if len(several) > 1:
        problem = f"{text!r} stands for {len(several)} measures"
        raise UnknownMeasure(problem, hint=f"name one of them, such as {several[0]}")
    return several[0]


@lru_cache(maxsize=1024)
def is_measure(text: str) -> bool:
    """Whether a text is the name of a measure."""
    try:
        parse_measure(text)
    except UnknownMeasure:
        return False
    return True


def parse_measures(texts: Iterable[str], version: str = "9.0.8") -> tuple[Measure, ...]:
    """Parse the names of several measures, in order, without repeats. A text may hold several names,
    separated by commas.

    trec_eval's lists (``P.5,10``), groups (``official``, ``set``, ``all_trec``) and names with default
    cutoffs (``ndcg_cut``) are expanded to the measures of this ``version`` of trec_eval.

    Raises:
        UnknownMeasure: see :func:`parse_measure`.
        ArgumentError: a name is not a text.
    """
    measures: dict[Measure, None] = {}
    for part in names_of(texts):
        measures |= dict.fromkeys(_measures_of(part, version))
    return tuple(measures)


@lru_cache(maxsize=1024)  # a small call takes a sixth less time
def _measures_of(part: str, version: str) -> tuple[Measure, ...]:
    if part in _SEVERAL:
        return expand_group(part, "10.0" if part == "unj" else version)
    return _in_trec_eval_spelling(part, part) or (parse_measure(part),)


def names_of(texts: Iterable[str]) -> list[str]:
    """The single names in some texts, each of which may hold several, separated by commas.

    Raises:
        UnknownMeasure: there are texts, but no name; or a name is only a cutoff (``P@5,10``).
        ArgumentError: a name is not a text.
    """
    given = texts_of(texts)
    names = [name for text in given for name in separate(text)]
    if given and not names:
        raise UnknownMeasure("no measure was named", hint="write a name such as nDCG@10, AP or map")
    for before, name in pairwise(names):
        if name.isdecimal() and "@" in before:
            more = f"{before.partition('@')[0]}@{name}"
            problem = f"{quoted(name)} is a cutoff without a measure"
            raise UnknownMeasure(problem, hint=f"write each measure in full: {before},{more}")
    return names


def texts_of(names: Iterable[str]) -> list[str]:
    """The names of measures as a list of texts. A single name and measure objects of ir_measures are also
    accepted.

    Raises:
        ArgumentError: a name is neither a text nor a measure object.
    """
    given: Any = names
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return [_text(name) for name in (given if several else [given])]


def _text(name: object) -> str:
    if isinstance(name, Measure) or type(name).__module__.startswith("ir_measures."):
        return str(name)
    if not isinstance(name, str):
        raise ArgumentError(f"a measure must be a text such as 'nDCG@10', not {in_short(name)}")
    return name


def separate(text: str) -> list[str]:
    """Split names at commas, but not at commas inside parentheses or in trec_eval's lists (``P.5,10``)."""
    parts: list[str] = []
    for part in filter(None, map(str.strip, re.split(r",(?![^()]*\))", text))):
        number = re.sub(r"^([-+]?\d+|p)=", "", part)
        if parts and _is_number(number) and re.match(r"\w+?[._]", parts[-1]) and "@" not in parts[-1]:
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return parts


def _in_trec_eval_spelling(text: str, name: str) -> tuple[Measure, ...]:
    """The measures that ``name`` stands for in trec_eval's spelling (``P.5,10``, ``set_F_0.5``,
    ``ndcg.1=3,2=9``); empty if ``name`` has no such spelling. Error messages quote ``text``."""
    for separator in reversed([*re.finditer(r"[._](?=.)", name)]):  # the longest name first
        spelling = _spellings_in_any_case().get(name[: separator.start()].lower())
        if spelling is None:
            continue
        about, given = _spellings()[spelling], name[separator.end() :]
        if spelling == about.trec_eval_cut and all(map(_is_number, given.split(","))):
            return tuple(_checked(text, about, number, []) for number in given.split(","))
        if spelling == about.trec_eval and (params := _from_trec_eval(about, given)):
            return (_checked(text, about, None, _split_parameters(params)),)
    return ()


def expand_group(name: str, version: str = "9.0.8") -> tuple[Measure, ...]:
    """The measures that a trec_eval name without parameters stands for, in trec_eval's order.

    A group (``official``, ``all_prefs``) gives its measures whose values are numbers. A name with cutoffs
    (``ndcg_cut``) gives a measure for each of trec_eval's default cutoffs.

    Args:
        version: version of trec_eval: ``9.0.8`` or ``10.0``.

    Raises:
        UnknownMeasure: this version of trec_eval has no such group or measure.
    """
    measures: list[Measure] = []
    for member in GROUPS.get(name, (name,)):
        about = trec_eval_family(member)
        if about is None or (version.startswith("9") and about.trec_eval_since != "9.0.8"):
            continue
        if member == about.trec_eval:
            measures.append(Measure(about.name))
        elif about.at_parameter == "cutoff":
            measures += (Measure(about.name, int(k)) for k in about.trec_eval_defaults)
        else:
            at = about.at_parameter
            measures += (Measure(about.name, params=((at, x),)) for x in about.trec_eval_defaults)
    if not measures:
        hint = f"use one of the groups {', '.join(GROUPS)}, or a measure with default cutoffs (ndcg_cut)"
        raise UnknownMeasure(f"trec_eval {version} has no group of measures {name!r}", hint=hint)
    return tuple(measures)


def _checked(text: str, about: Family, at: str | None, params: list[tuple[str, str]]) -> Measure:
    """A measure from the texts of its cutoff and parameters, which are checked. Optional parameters at their
    default values are left out."""
    cutoff = None
    if about.at_parameter == "cutoff":
        if at is None:  # ir_measures takes it by its name as well
            at = dict(params).get("cutoff")
            params = [param for param in params if param[0] != "cutoff"]
        cutoff = _cutoff(text, about, at)
    elif at is not None:
        params = [(about.at_parameter, at), *params]
    known = about.parameters
    values: dict[str, Any] = {}
    for key, value in params:
        if key not in known:
            hint = f"use one of: {', '.join(known)}" if known else "leave the parameters out"
            raise UnknownMeasure(f"{text!r}: {about.name} has no parameter {key!r}", hint=hint)
        try:
            values[key] = _value(known[key], value)
        except ValueError as error:
            raise UnknownMeasure(f"{text!r}: {key} must be {error}, not {value!r}") from None
    for key, parameter in known.items():
        if parameter.required and key not in values:
            example = Measure(about.name, cutoff, values.get("rel"), ((key, parameter.default),))
            raise UnknownMeasure(f"{text!r}: {about.name} needs {key}", hint=f"for example {example}")
    name = about.name
    # One family for a measure that ir_measures spells in two ways.
    if name == "SetP" and values.pop("relative", False):
        name = "SetRelP"
    if name == "NumRet" and "rel" in values:
        name = "NumRelRet"
    kept = {k: v for k, v in values.items() if known[k].required or v != known[k].default}
    return Measure(name, cutoff, kept.pop("rel", None), tuple(sorted(kept.items())))


def _cutoff(text: str, about: Family, at: str | None) -> int | None:
    example = f"for example {about.name}@10"
    if at is None:
        if about.cutoff != "required":
            return None
        problem = f"{about.name} needs a cutoff"
    elif about.cutoff == "none":
        problem, example = f"{about.name} takes no cutoff", f"write {about.name}"
    elif not re.fullmatch(_WHOLE, at):
        problem = f"the cutoff must be a whole number of up to 18 digits, not {quoted(at)}"
    elif int(at) < 1:
        problem = "the cutoff must be at least 1"
    else:
        return int(at)
    raise UnknownMeasure(f"{quoted(text)}: {problem}", hint=example)


def suggestion(name: str) -> str:
    """ "; did you mean ...?" with a known measure that has the meaning of ``name`` or a similar name, with
    the cutoff of ``name``; empty if there is none."""
    plain = re.sub(r"[-\s]+", "_", name.strip().lower())
    plain = re.sub(r"^top_?(\d+|k)_(\w+)$", r"\2@\1", plain)
    cut = re.fullmatch(r"(?P<name>.*?)(@|[._]at[._]|[._])?(?P<cutoff>\d*|k)", plain)
    stem, cutoff = (cut["name"], cut["cutoff"].strip("k")) if cut else (name.lower(), "")
    meant = {word: families()[own] for own, words in reversed(_NAMES.items()) for word in words}
    meant |= {word: families()[own] for own, words in _WRITTEN_OUT.items() for word in words}
    meant |= dict.fromkeys(_CAPPED_RECALL, families()["R"])
    about = meant.get(stem)
    if about is None:
        known = {key.lower(): one for key, one in {**_spellings(), **_plain_names()}.items()}
        if cutoff:
            known = {key: one for key, one in known.items() if one.cutoff != "none"}
        known = meant | known
        near = nearest(stem, known, 0.7)
        if near is None:
            return ""
        about = known[near]
    cutoff = cutoff or ("10" if about.cutoff == "required" else "")
    own = f"{about.name}{f'@{cutoff}' if cutoff and about.cutoff != 'none' else ''}"
    capped = " under the convention recall_denominator=min(R,k)" if stem in _CAPPED_RECALL else ""
    return f"; did you mean {own}{capped}?"


#: Measure -> further names, which no tool takes as a parameter.
_WRITTEN_OUT = {
    "AP": ("avg_precision",),
    "Success": ("hit_ratio", "hitratio", "hit_at", "recall_any"),
    "SetF": ("f_measure", "fmeasure", "f_score", "fscore"),
    "gm_map": ("gmap", "geometric_map", "geometric_mean_average_precision"),
    "nDCG": ("normalized_discounted_cumulative_gain", "normalised_discounted_cumulative_gain"),
    "DCG": ("discounted_cumulative_gain", "cumulative_gain"),
    "ERR": ("expected_reciprocal_rank",),
    "RBP": ("rank_biased_precision",),
    "bpref": ("binary_preference",),
    "infAP": ("inferred_average_precision", "inferred_ap"),
}
#: Names of recall divided by min(R, k).
_CAPPED_RECALL = ("recall_cap", "r_cap", "capped_recall")
#: A whole number of at most 18 digits, since Python does not parse numbers of thousands of digits.
_WHOLE = r"[-+]?\d{1,18}"
#: Parameter -> the words that are its possible values.
_CHOICES = {"dcg": ("log2", "exp-log2")}


def _is_number(text: str) -> bool:
    """Whether the text is a finite decimal number."""
    number = r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?"
    return re.fullmatch(number, text) is not None and math.isfinite(float(text))


def _split_parameters(text: str) -> list[tuple[str, str]]:
    """``a=1,b=[2,3]`` as (name, value) pairs; a part without ``=`` has an empty value."""
    parts = (part.strip() for part in re.split(r",(?![^\[{]*[\]}])", text))
    pairs = (part.partition("=") for part in parts if part)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _value(parameter: MeasureParameter[Any], text: str) -> ParamValue:
    """The value of a parameter from its text.

    Raises:
        ValueError: the text is not of the parameter's type; the message names the type.
    """
    default = parameter.default
    value: ParamValue | None = None
    if isinstance(default, bool):
        expected, value = "True or False", {"True": True, "False": False}.get(text)
    elif isinstance(default, str):
        words, word = _CHOICES[parameter.name], text.strip("'\"")
        expected, value = " or ".join(map(repr, words)), word if word in words else None
    elif isinstance(default, int):
        expected, value = "a whole number", int(text) if re.fullmatch(_WHOLE, text) else None
    elif parameter is GAINS:
        expected = "gains of relevance levels like {1:3,2:9}"
        pairs = [[*map(str.strip, entry.partition(":"))] for entry in _entries(text, "{}")]
        if pairs and all(re.fullmatch(_WHOLE, level) and _is_number(gain) for level, _, gain in pairs):
            value = tuple((int(level), float(gain)) for level, _, gain in pairs)
    elif isinstance(default, tuple):
        expected, numbers = "a list of numbers like [1,0.5]", _entries(text, "[]")
        value = tuple(map(float, numbers)) if numbers and all(map(_is_number, numbers)) else None
    else:
        expected, value = "a number", float(text) if _is_number(text) else None
        if parameter.share and value is not None and not 0 <= value <= 1:
            expected, value = "a number from 0 to 1", None
    if value is None:
        raise ValueError(expected)
    return value


def _entries(text: str, brackets: str) -> list[str]:
    """The entries, separated by commas, of a text in brackets; empty if the text is not in brackets."""
    bracketed = text[:1] == brackets[0] and text[-1:] == brackets[1]
    return [entry.strip() for entry in text[1:-1].split(",")] if bracketed else []


def trec_eval_name(measure: Measure) -> str | None:
    """The name that trec_eval prints (``ndcg_cut_10``), or None if trec_eval has no such measure.

    The name lacks the relevance level and the collection size of ``utility``, which are flags of trec_eval
    (``-l``, ``-N``). Parameters are written in their shortest form; trec_eval prints them as they were typed.
    """
    about = families()[measure.family]
    params = {name: value for name, value in measure.params if name != "N"}
    at = None if measure.cutoff is None else f"{measure.cutoff}"
    if at is None and about.at_parameter in params:
        at = f"{params.pop(about.at_parameter):3.2f}"
    if at is not None:
        return f"{about.trec_eval_cut}_{at}" if about.trec_eval_cut and not params else None
    if about.trec_eval is None or not params:
        return about.trec_eval
    allowed = {about.trec_eval_param, *([GAINS.name] if GAINS in about.params else [])}
    return f"{about.trec_eval}_{_to_trec_eval(params)}" if params.keys() <= allowed else None


def _to_trec_eval(params: dict[str, ParamValue]) -> str:
    """Parameters in trec_eval's syntax: ``0.5``, ``1,-1,0,0``, ``1=3,2=9``, ``p=0.8``."""
    texts: list[str] = []
    for name, value in sorted(params.items(), reverse=True):
        for entry in value if isinstance(value, tuple) else (value,):
            head, number = entry if isinstance(entry, tuple) else ("p" if name == "p" else "", entry)
            texts.append(written(number) if head == "" else f"{head}={written(number)}")
    return ",".join(texts)


def _from_trec_eval(about: Family, text: str) -> str | None:
    """trec_eval's parameters (``1=3,2=9``) in ir_measures' spelling; None if the family ``about`` does not
    take them."""
    named = [part.partition("=") for part in text.split(",")]
    pairs = [(level, number) for level, equals, number in named if equals]
    numbers = (number if equals else name for name, equals, number in named)
    if not all(map(_is_number, numbers)) or len(pairs) not in (0, len(named)):
        return None
    if pairs:
        gains = ",".join(f"{level}:{gain}" for level, gain in pairs if level != "p")
        parts = [f"p={value}" for level, value in pairs if level == "p"]
        return ",".join([*parts, *([f"gains={{{gains}}}"] if gains else [])])
    if about.trec_eval_param in (None, "p"):
        return None
    is_list = isinstance(about.parameters[about.trec_eval_param].default, tuple)
    return f"{about.trec_eval_param}={f'[{text}]' if is_list else text}"


def software(profile: Profile) -> str:
    """The tool and version of a profile. The profile's name is added if another profile of the same tool
    comes first in the list."""
    first = next(one.name for one in profiles().values() if _source(one) == _source(profile))
    return _source(profile) + ("" if first == profile.name else f" (profile {profile.name})")


def with_version(profile: Profile) -> str:
    """The name of a profile, followed by the version of the tool if it is known and not part of the name."""
    version = re.search(r" \d\S*", _source(profile))
    return profile.name + (version[0] if version and version[0].strip() not in profile.name else "")


def _source(profile: Profile) -> str:
    return re.split(r" \(|[,;]", profile.source)[0]


def described(profile: Profile, measure: Measure) -> Conventions | None:
    """The conventions by which the tool of a profile computes a measure; None if the profile does not list
    the measure. A relevance level of the measure is ignored."""
    plain, listed = replace(measure, rel=None), profile.measures
    if ALL_OF_TREC_EVAL in listed and trec_eval_name(plain) is not None:
        newer = families()[measure.family].trec_eval_since != "9.0.8"
        return None if newer and not profile.name.startswith("trec_eval-10") else listed[ALL_OF_TREC_EVAL]
    at_any = f"{replace(plain, cutoff=None)}@k" if plain.cutoff is not None else ""
    return listed.get(str(plain)) or listed.get(at_any)


def ways(known: Mapping[str, Profile], measures: Sequence[Measure]) -> dict[str, dict[Measure, Conventions]]:
    """Name of a tool -> its conventions for each of these measures that it has.

    A part of a tool that computes some measures differently has an entry under the name of the part: the
    conventions of the tool, replaced by those of the part where the part has its own."""
    conventions_of: dict[str, dict[Measure, Conventions]] = {}
    for name, profile in known.items():
        own = {m: of for m in measures if (of := described(profile, m)) is not None}
        tool = conventions_of.get(profile.tool, {})
        if any(of is not tool.get(measure) for measure, of in own.items()):
            conventions_of[name] = tool | own
    return conventions_of


def extended(profile: Profile, measure: Measure) -> Conventions | None:
    """The conventions of a profile for a measure, also for a measure that trec_eval lacks if the profile has
    conventions for these (``*``); None if it has not."""
    return described(profile, measure) or profile.measures.get(ANY)


def describing(profile: Profile, measure: Measure) -> Conventions:
    """The conventions of a profile for a measure (see :func:`extended`).

    Raises:
        UsageError: the profile has no conventions for the measure.
    """
    if (spec := extended(profile, measure)) is not None:
        return spec
    known = ", ".join(profile.measures).replace(ALL_OF_TREC_EVAL, "all measures of trec_eval 9")
    of_tool = [one for one in profiles().values() if _source(one) == _source(profile)]
    hints = [f"the measures of this profile are: {known or 'none that crosscheck has'}"]
    hints += [f"the profile {one.name} has {measure}" for one in of_tool if described(one, measure)]
    hints.append(f"or give the settings that 'crosscheck profiles {profile.name}' lists, as AXIS=VALUE")
    raise UsageError(f"the profile {profile.name} has no conventions for {measure}", hint="; ".join(hints))


def conventions_for(spec: str | Conventions, measure: Measure) -> Conventions:
    """The conventions for a measure, from conventions or from a text (see
    :func:`crosscheck.conventions.conventions`). A profile in the text gives its conventions for this measure.

    Raises:
        UsageError: the profile has no conventions for the measure, or the text cannot be used.
    """
    return conventions(spec, lambda named: describing(named, measure))


# ---- names of measures in users' functions: values of a parameter ``measure``, keys of returned dicts -----
#
# trec_eval prints ``ndcg_cut_5``, pytrec_eval takes ``ndcg_cut.5``, other tools ``ndcg@5``, ``NDCG`` or
# ``precision_at_k``. :func:`accepted` calls a function to find which of these spellings it knows.

#: Family -> further names that users' functions have for it, besides those of ir_measures and trec_eval.
_NAMES: dict[str, tuple[str, ...]] = {
    "P": ("precision", "prec"),
    "R": ("recall",),
    "SetP": ("precision",),
    "SetR": ("recall",),
    "F1": ("f1", "f"),
    "SetF": ("f1", "f"),
    "Success": ("hit_rate", "hitrate", "hr", "hit", "hits", "success", "accuracy", "acc"),
    "RR": ("mrr", "rr", "reciprocal_rank", "mean_reciprocal_rank"),
    "AP": ("map", "ap", "average_precision", "mean_average_precision"),
    "Rprec": ("r_precision", "r-precision", "rprecision"),
}
_WITH_CUTOFF = ("%s@{k}", "%s_{k}", "%s_at_{k}", "%s{k}")
#: A name that is not a measure, and does not contain what a function may look for, such as "p" or "ndcg".
_INVENTED = "xyzzy"
_PARAMETER = re.compile(r"(?:measure|metric|metrica|medida)(s?)")
#: Words beside "measure" or "metric" in the names of parameters: ``eval_metric``, ``metric_name``.
_BESIDE = re.compile(r"eval(uation)?|ir|ranking|names?|nome|nombre|list|to|compute")


class KnownSpellings(NamedTuple):
    """The spellings that a function accepts.

    Attributes:
        templates: spellings, with ``{k}`` for the cutoff; the empty template stands for the canonical name.
            Of several spellings with equal results only the first is listed.
        known: whether the function gave a different result for an invented name. If not, the function may
            ignore the name.
    """

    templates: list[str]
    known: bool


def spelt(template: str, measure: Measure) -> str:
    """The name of a measure in the spelling of a template (see :class:`KnownSpellings`)."""
    return template.replace("{k}", str(measure.cutoff)) if template else str(measure)


def accepted(measure: Measure, ask: Callable[[str], str | None]) -> KnownSpellings:
    """Find which spellings of a measure a function accepts, by calling the function.

    Spellings without the cutoff are tried only if no spelling with the cutoff is accepted.

    Args:
        ask: calls the function with a template and returns the result as text; None if the call fails.
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
            other = spelt(template, replace(measure, cutoff=2 if measure.cutoff == 1 else 1))
            if measure.cutoff and "" in forms and ask(other) != answer:
                return KnownSpellings([template], known=True)
        if known:
            return KnownSpellings(list(known.values()), known=True)
    return KnownSpellings(ignored[:1], known=False)


def _forms(measure: Measure) -> Iterator[dict[str, str]]:
    """Templates of names for a measure -> an invented name of the same form. First the templates with the
    cutoff, then those without."""
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
        yield whole | written(("%s_{k}", "%s.{k}"), [printed]) | written(_WITH_CUTOFF, names)
        yield written(("%s", "%s@k", "%s_at_k"), [*names, printed])


def family_words(measure: Measure) -> tuple[str, ...]:
    """Words with which functions for this measure begin, in lower case and without underscores."""
    own = measure.family.lower()
    names = (*_NAMES.get(measure.family, ()), f"{own}@" if len(own) == 1 else own)
    return tuple(name.replace("_", "") for name in names)


@cache
def _families_of_words() -> dict[str, list[str]]:
    """Word for a measure in the name of a function, in lower case without separators -> names of families."""
    words: dict[str, list[str]] = {}
    for about in families().values():
        own = (about.name, *about.aliases, about.trec_eval, about.trec_eval_cut, *_NAMES.get(about.name, ()))
        for word in {re.sub(r"[_-]", "", name.lower()) for name in own if name}:
            words.setdefault(word, []).append(about.name)
    return words


@cache
def said_by(function: str) -> tuple[tuple[str, ...], int | None]:
    """The names of families that the name of a function may mean, and the cutoff: ``(("R",), 5)`` for
    ``Metrics.recall_at_5``; ``((), None)`` if the name means no measure."""
    words = _families_of_words()
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", function.rpartition(".")[2]).lower()
    bare = name.rstrip("0123456789")
    for stem, cutoff in ((name, ""), (bare, name.removeprefix(bare))):
        parts = [part for part in stem.split("_") if part]
        while parts:
            word = "".join(parts)
            if word in words and (len(word) > 1 or cutoff):
                at = int(cutoff[:18] or 0) or None
                return tuple(n for n in words[word] if at is None or families()[n].cutoff != "none"), at
            around = [place for place in (-1, 0) if _AROUND.fullmatch(parts[place])]
            if not around:
                break
            del parts[around[0]]
    return (), None


#: Words beside the measure in the name of a function, such as those in ``compute_ndcg_score``.
_AROUND = re.compile(
    r"comput(e|ed|ing)|calc(ulate)?|get|my|our|eval(uate)?|scores?|values?|metric|mean|average|avg|at|k|per|query|ir"
)


def measure_parameter(name: str) -> Literal["one", "several"] | None:
    """``one`` if the name of a parameter shows that it takes the name of a measure, ``several`` for names of
    several measures, else None."""
    parts = [part for part in re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) if part]
    kinds = [match for part in parts if (match := _PARAMETER.fullmatch(part))]
    if len(kinds) != 1 or not all(part == kinds[0][0] or _BESIDE.fullmatch(part) for part in parts):
        return None
    return "several" if kinds[0][1] or not {"names", "list"}.isdisjoint(parts) else "one"
