"""The measures of trec_eval in its order, and their selection by ``-m``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from crosscheck.errors import did_you_mean, quoted
from crosscheck.trec_eval.failure import TrecEvalError

__all__ = ["KINDS", "NICKNAMES", "Request", "TrecEvalMeasure", "Version", "kinds"]

Version: TypeAlias = Literal["9.0.8", "10.0"]


class TrecEvalMeasure(NamedTuple):
    """One of trec_eval's measures, or a row of them that differ in a cutoff.

    Attributes:
        name: as ``-m`` takes it.
        takes: the parameters allowed after the point: none, rank cutoffs, recall points or multiples of R,
            plain numbers, or pairs ``level=gain``.
        needs: the judgements it is computed from: ``qrels``, ``qrels_jg``, ``prefs``, or None.
        counts: printed as a whole number and summed up, not averaged.
        where: whether it is printed per topic, in the summary, or both.
        since: first version that has it.
    """

    name: str
    takes: Literal["", "cutoffs", "points", "values", "pairs"] = ""
    needs: Literal["qrels", "qrels_jg", "prefs"] | None = "qrels"
    counts: bool = False
    where: Literal["both", "topics", "summary"] = "both"
    since: Version = "9.0.8"


#: All measures in the order in which they are computed and printed.
KINDS = (
    TrecEvalMeasure("runid", needs=None, where="summary"),
    TrecEvalMeasure("num_q", needs=None, counts=True, where="summary"),
    TrecEvalMeasure("num_ret", counts=True),
    TrecEvalMeasure("num_rel", counts=True),
    TrecEvalMeasure("num_rel_ret", counts=True),
    TrecEvalMeasure("map"),
    TrecEvalMeasure("gm_map", where="summary"),
    TrecEvalMeasure("Rprec"),
    TrecEvalMeasure("bpref"),
    TrecEvalMeasure("recip_rank"),
    TrecEvalMeasure("iprec_at_recall", "points"),
    TrecEvalMeasure("P", "cutoffs"),
    TrecEvalMeasure("relstring", "values", where="topics"),
    TrecEvalMeasure("recall", "cutoffs"),
    TrecEvalMeasure("infAP"),
    TrecEvalMeasure("gm_bpref", where="summary"),
    TrecEvalMeasure("Rprec_mult", "points"),
    TrecEvalMeasure("utility", "values"),
    TrecEvalMeasure("11pt_avg", "values"),
    TrecEvalMeasure("binG"),
    TrecEvalMeasure("G", "pairs"),
    TrecEvalMeasure("dcg", "pairs", since="10.0"),
    TrecEvalMeasure("ideal_dcg", "pairs", since="10.0"),
    TrecEvalMeasure("ndcg", "pairs"),
    TrecEvalMeasure("ndcg_rel", "pairs"),
    TrecEvalMeasure("Rndcg", "pairs"),
    TrecEvalMeasure("ndcg_cut", "cutoffs"),
    TrecEvalMeasure("map_cut", "cutoffs"),
    TrecEvalMeasure("relative_P", "cutoffs"),
    TrecEvalMeasure("success", "cutoffs"),
    TrecEvalMeasure("set_P"),
    TrecEvalMeasure("set_relative_P"),
    TrecEvalMeasure("set_recall"),
    TrecEvalMeasure("set_map"),
    TrecEvalMeasure("set_F", "values"),
    TrecEvalMeasure("num_nonrel_judged_ret", counts=True),
    TrecEvalMeasure("prefs_num_prefs_poss", needs="prefs", counts=True),
    TrecEvalMeasure("prefs_num_prefs_ful", needs="prefs", counts=True),
    TrecEvalMeasure("prefs_num_prefs_ful_ret", needs="prefs", counts=True),
    TrecEvalMeasure("prefs_simp", needs="prefs"),
    TrecEvalMeasure("prefs_pair", needs="prefs"),
    TrecEvalMeasure("prefs_avgjg", needs="prefs"),
    TrecEvalMeasure("prefs_avgjg_Rnonrel", needs="prefs"),
    TrecEvalMeasure("prefs_simp_ret", needs="prefs"),
    TrecEvalMeasure("prefs_pair_ret", needs="prefs"),
    TrecEvalMeasure("prefs_avgjg_ret", needs="prefs"),
    TrecEvalMeasure("prefs_avgjg_Rnonrel_ret", needs="prefs"),
    TrecEvalMeasure("prefs_simp_imp", needs="prefs"),
    TrecEvalMeasure("prefs_pair_imp", needs="prefs"),
    TrecEvalMeasure("prefs_avgjg_imp", needs="prefs"),
    TrecEvalMeasure("map_avgjg", needs="qrels_jg"),
    TrecEvalMeasure("P_avgjg", "cutoffs", needs="qrels_jg"),
    TrecEvalMeasure("Rprec_mult_avgjg", "points", needs="qrels_jg"),
    TrecEvalMeasure("yaap"),
    TrecEvalMeasure("rbp", "pairs", since="10.0"),
    TrecEvalMeasure("rbp_resid", "pairs", since="10.0"),
    TrecEvalMeasure("unj", "cutoffs", since="10.0"),
)


def _names(text: str) -> list[str]:
    return text.split()


_OFFICIAL = _names(
    "runid num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall P"
)
#: Nickname -> its measures; those that a version does not have are left out.
NICKNAMES = {
    "official": _OFFICIAL,
    "set": _names(
        "runid num_q num_ret num_rel num_rel_ret utility set_P set_recall set_relative_P set_map set_F"
    ),
    "all_trec": _OFFICIAL
    + _names(
        "relstring recall infAP gm_bpref utility 11pt_avg ndcg relative_P Rprec_mult success map_cut ndcg_cut"
        " ndcg_rel Rndcg binG G set_P set_recall set_relative_P set_map set_F num_nonrel_judged_ret"
        " unj rbp rbp_resid"
    ),
    "all_prefs": [kind.name for kind in KINDS if kind.needs in (None, "prefs")],
    "prefs": _names(
        "runid num_q prefs_num_prefs_poss prefs_num_prefs_ful prefs_num_prefs_ful_ret"
        " prefs_simp prefs_pair prefs_avgjg"
    ),
    "qrels_jg": _names("runid num_q map_avgjg P_avgjg Rprec_mult_avgjg"),
}


def kinds(version: Version) -> dict[str, TrecEvalMeasure]:
    """The measures of a version by name, in order."""
    return {kind.name: kind for kind in KINDS if kind.since == "9.0.8" or version == "10.0"}


@dataclass(slots=True)
class Request:
    """The measures requested by ``-m`` options.

    Attributes:
        version: the version of trec_eval.
        parameters: name -> text after the point; only the first one of a measure counts.
    """

    version: Version
    parameters: dict[str, bytes] = field(default_factory=dict)
    _marked: set[str] = field(default_factory=set)

    def add(self, argument: bytes) -> None:
        """Add one ``-m`` argument: a measure or a nickname, and parameters after its first point.

        Raises:
            TrecEvalError: with code 1, the version has no such measure, or a point is the last byte.
        """
        raw, point, parameters = argument.partition(b".")
        name = raw.decode("ascii", "backslashreplace")
        shown = quoted(raw)
        illegal = f"trec_eval: illegal measure {shown}"
        if point and not parameters:
            raise TrecEvalError(
                1,
                f"trec_eval: improper measure in parameter {shown}",
                illegal,
                problem=f"-m {name}.: parameters are missing after the point",
            )
        known = kinds(self.version)
        if name in NICKNAMES:
            self._marked.update(part for part in NICKNAMES[name] if part in known)
        elif name in known:
            self._marked.add(name)
        else:
            raise TrecEvalError(1, illegal, problem=_explained(name, self.version))
        if point:
            self.parameters.setdefault(name, parameters)

    def selected(self) -> Iterator[TrecEvalMeasure]:
        """The requested measures, ``official`` if there is no ``-m``, in trec_eval's order."""
        marked = self._marked or set(NICKNAMES["official"])
        return (kind for kind in kinds(self.version).values() if kind.name in marked)

    def named(self) -> list[str]:
        """The measures requested by name, empty if there is no ``-m``."""
        return [kind.name for kind in KINDS if kind.name in self._marked]


def _explained(name: str, version: Version) -> str:
    """A suggestion for a measure that does not exist."""
    from crosscheck.errors import UnknownMeasure
    from crosscheck.names import parse_measure, trec_eval_name

    shown = quoted(name)
    known = kinds(version)
    if name in kinds("10.0"):
        return f"{shown} came with trec_eval 10: add --compat 10.0"
    stem, _, cutoff = name.rpartition("_")
    if stem in known and known[stem].takes and cutoff:
        return f"{shown} is how the value is printed; write -m {stem}.{quoted(cutoff)[1:-1]}"
    try:
        spelt = trec_eval_name(parse_measure(name))
    except UnknownMeasure:
        spelt = None
    meant = f"; did you mean {spelt}?" if spelt else did_you_mean(name, [*known, *NICKNAMES], "; ")
    return f"trec_eval has no measure {shown}{meant}\n  the measures are: {', '.join([*known, *NICKNAMES])}"
