"""The values that every known tool prints for a run, and the conventions that make them differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product

import numpy as np
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.axes.base import plain
from crosscheck.conventions import UNKNOWN, AxisValue, Conventions, Profile, profiles
from crosscheck.engine.conversion import QrelsLike, RunLike, as_qrels, as_run
from crosscheck.errors import CrosscheckError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.formats.trec import RepeatedError, read_run
from crosscheck.harness.environment import environment
from crosscheck.measures import needs_of
from crosscheck.model import Measure, Run
from crosscheck.names import describes, software
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.results import Number, number
from crosscheck.studies.lint import lint
from crosscheck.studies.named_runs import TOOL, RunsLike, joined, named_runs, parsed_measures
from crosscheck.study_records.tools import LintFinding, ToolGroup, ToolsDocument, ToolSwap

__all__ = ["Prediction", "leniently", "prediction", "tools"]

#: Decimals that trec_eval prints.
DECIMALS = 4
_REFERENCE = "trec_eval-9.0.8"
_FAILS = {
    "missing": "fails on judged queries without results",
    "extra": "fails on queries without judgements",
    "single": "fails on a list of one document",
    "words": "fails on query ids that are not numbers",
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """One tool's output: a value, or a range where axes are unknown, or the reason why it prints none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    def printed(self, decimals: int) -> str:
        """The value, or its range, with this number of decimals; empty without a value."""
        if self.low is not None and self.high is not None:
            low, high = f"{self.low:.{decimals}f}", f"{self.high:.{decimals}f}"
            return low if low == high else f"{low} to {high}"
        return "" if self.value is None else f"{self.value:.{decimals}f}"


def tools(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: Sequence[str] = (),
    *,
    decimals: int = DECIMALS,
    find_causes: bool = False,
    progress: Callable[[str], None] = lambda message: None,
) -> ToolsDocument:
    """The numbers that all known tools print for these runs, and the conventions that make them differ.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: by name or as paths. A document may occur twice under a query: only some tools refuse that.
        measures: names in either spelling; empty for the default measures.
        decimals: decimals to which numbers are printed and compared.
        find_causes: also list what in the runs and the qrels makes tools differ.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, or one run twice.
    """
    wanted = parsed_measures(measures)
    judged = as_qrels(qrels, needs=needs_of(wanted))
    systems = named_runs(runs, at_least=1, what="a prediction", read=leniently)
    pool = JudgedPool(judged)
    groups: dict[Measure, list[ToolGroup]] = {measure: [] for measure in wanted}
    found: dict[Measure, list[LintFinding]] = {measure: [] for measure in wanted}
    each: dict[Measure, dict[str, dict[str, Prediction]]] = {measure: {} for measure in wanted}
    for name, run in systems.items():
        rankings = Rankings(run, pool)  # one run at a time, with all that is kept of it
        for measure in wanted:
            progress(f"{measure} of {name} as every tool computes it")
            recomputer = Recomputer(rankings, measure, Conventions())
            each[measure][name] = predicted = {
                profile.name: prediction(recomputer, profile)
                for profile in profiles().values()
                if describes(profile, measure)
            }
            groups[measure] += _groups(recomputer, name, predicted, decimals)
            found[measure] += lint(rankings, measure, name) if find_causes else []
    told = list(chain.from_iterable(groups.values()))
    swaps = [swap for measure, of in each.items() for swap in _swaps(str(measure), of)]
    return ToolsDocument(
        tool=TOOL,
        environment=environment(),
        qrels=judged.source,
        runs=list(systems),
        decimals=decimals,
        groups=told,
        swaps=swaps,
        software={name: software(profiles()[name]) for group in told for name in group.tools},
        lint=list(chain.from_iterable(found.values())) if find_causes else None,
        summary=_summary(told, swaps),
        notes=[*judged.notes, *(note for run in systems.values() for note in run.notes)],
    )


def leniently(given: RunLike) -> Run:
    """Read a run as :func:`as_run` does, but accept a document that occurs twice under a query."""
    try:
        return as_run(given)
    except RepeatedError as error:
        return replace(read_run(error.path, strict=False), unique=False)


def prediction(recomputer: Recomputer, profile: Profile) -> Prediction:
    """The output of the tool of a profile for a measure on a run, in full precision."""
    single = np.diff(recomputer.run.offsets) == 1
    words = not all(topic.replace(b"-", b"").isdigit() for topic in recomputer.run.topics)
    there = {
        "missing": recomputer.missing.any(),
        "extra": recomputer.unjudged.any(),
        "single": single.any(),
        "words": words,
    }
    if failing := [kind for kind in profile.fails if there[kind]]:
        return Prediction(reason=_FAILS[failing[0]])
    spec = profile.conventions
    unknown = [axis for axis in spec.unknown if axis.read_by(recomputer.family)]
    values: list[float] = []
    try:
        options = [
            [*dict.fromkeys([*map(str, axis.options(recomputer)), str(axis.default)])] for axis in unknown
        ]
        for chosen in product(*options):
            tried = spec.with_changes(**{a.name: v for a, v in zip(unknown, chosen, strict=True)})
            if not recomputer.possible(tried):
                continue
            result = recomputer.evaluated(tried)
            mean = result.mean_of_rounded if profile.mean_of == "rounded values" else result.mean
            values += [] if mean is None else [mean]
    except CrosscheckError as error:
        return Prediction(reason=f"refuses it: {error.args[0]}")
    if not values:
        return Prediction(reason="no query has a value")
    return Prediction(values[0], *((min(values), max(values)) if unknown else (None, None)))


def _groups(
    recomputer: Recomputer, run: str, predicted: Mapping[str, Prediction], decimals: int
) -> list[ToolGroup]:
    """Groups of tools with the same output: trec_eval's first, then by size; groups without a number last."""
    by_text: dict[tuple[str, str], list[str]] = {}
    for name, one in predicted.items():
        by_text.setdefault((one.printed(decimals), one.reason), []).append(name)
    made: list[ToolGroup] = []
    for (printed, reason), tools in by_text.items():
        first = predicted[tools[0]]
        because = {} if _REFERENCE in tools or reason else _because(recomputer, tools, predicted, decimals)
        made.append(
            ToolGroup(
                measure=str(recomputer.measure),
                run=run,
                printed=printed,
                value=_number(first.value),
                low=_number(first.low),
                high=_number(first.high),
                tools=tools,
                read=[name for name in tools if profiles()[name].evidence == "read"],
                conventions=because,
                reason=reason or "; ".join(_words(axis, value) for axis, value in because.items()),
            )
        )
    return sorted(
        made, key=lambda group: (_REFERENCE not in group.tools, not group.printed, -len(group.tools))
    )


def _number(value: float | None) -> Number | None:
    return None if value is None else number(value)


def _words(axis: str, value: AxisValue) -> str:
    if value == UNKNOWN:
        return f"the convention for {axis.replace('_', ' ')} is not known"
    return axes()[axis].phrase(value) or f"{axis}={value}"


def _because(
    recomputer: Recomputer, tools: Sequence[str], predicted: Mapping[str, Prediction], decimals: int
) -> dict[str, AxisValue]:
    """The changes of trec_eval's conventions that give the number of a group, as few as possible.

    The changes are those of the tool in the group with the fewest. A change is left out if the tool prints
    the same number without it.
    """
    read = {axis.name for axis in axes().values() if axis.read_by(recomputer.family)}
    found: list[dict[str, AxisValue]] = []
    for name in tools:
        spec, kept = profiles()[name].conventions, dict[str, AxisValue]()
        changes = spec.changes_from(Conventions())
        for axis, value in sorted(changes.items(), key=lambda change: -axes()[change[0]].priority):
            fewer = spec.with_changes(**{axis: plain(axes()[axis].default)})
            other = replace(profiles()[name], conventions=fewer)
            if axis in read and (
                prediction(recomputer, other).printed(decimals) != predicted[name].printed(decimals)
            ):
                kept[axis] = value
            else:
                spec = fewer
        found.append({axis: kept[axis] for axis in changes if axis in kept})
    return min(found, key=len)


def _swaps(measure: str, each: Mapping[str, Mapping[str, Prediction]]) -> list[ToolSwap]:
    """Pairs of runs that some tool orders the other way than trec_eval."""
    found: list[ToolSwap] = []
    for a, b in combinations(each, 2):
        signs = {name: _sign(each[a][name].value, each[b][name].value) for name in each[a] if name in each[b]}
        reference = signs.get(_REFERENCE) or next(iter(signs.values()), 0)
        tools = [name for name, sign in signs.items() if sign * reference < 0]
        if tools:
            found.append(ToolSwap(measure, *((a, b) if reference > 0 else (b, a)), tools))
    return found


def _sign(first: float | None, second: float | None) -> int:
    if first is None or second is None or math.isnan(first - second):
        return 0
    return (first > second) - (first < second)


def _summary(groups: Sequence[ToolGroup], swaps: Sequence[ToolSwap]) -> str:
    """How many tools agree on the first measure and run, how many numbers all tools share, and the swaps."""
    if not groups:
        return "No known tool has these measures."
    cells: dict[tuple[str, str], list[ToolGroup]] = {}
    for group in groups:
        cells.setdefault((group.measure, group.run), []).append(group)
    told = [_portability(cell) for cell in cells.values()]
    if len(cells) > 1:
        same = sum(len([g for g in cell if g.printed]) == 1 for cell in cells.values())
        first = next(iter(cells))
        told = [
            f"{f'{same} of {len(cells)}' if same else 'None of the'} numbers are the same in every tool.",
            f"{first[0]} of {first[1]}: {told[0]}"
            if len({run for _, run in cells}) > 1
            else f"{first[0]}: {told[0]}",
        ]
    if swaps:
        pairs = "pair of runs changes" if len(swaps) == 1 else "pairs of runs change"
        told.append(f"{len(swaps)} {pairs} order between tools.")
    return " ".join(told)


def _portability(groups: Sequence[ToolGroup]) -> str:
    total = sum(len(group.tools) for group in groups)
    first, *rest = groups
    said = f"{len(first.tools)} of {total} tools print {first.printed or 'nothing'}"
    said += "" if first.printed else f" ({first.reason})"
    more = len(rest) - 2
    told = [_other(group) for group in rest[:2]] + [f"{more} more below"] * (more > 0)
    return "; ".join([said, *told]) + "."


def _other(group: ToolGroup) -> str:
    names = joined(group.tools) if len(group.tools) < 3 else f"{', '.join(group.tools[:2])}, ..."
    why = f" where {group.reason}" if group.conventions else f", which {group.reason}" if group.reason else ""
    return f"{group.printed or 'nothing'}{why} ({names})"
