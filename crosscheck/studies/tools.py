"""Print the number that every known tool would print for these runs, and the conventions that cause the
differences.

No tool is called: each number is recomputed under the tool's profile. A profile was found by running the
tool or, if it is marked [read], by reading its source code.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Annotated, ClassVar, Literal

import click
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from crosscheck.axes import axes
from crosscheck.axes.summaries import ROUNDING
from crosscheck.backends import make
from crosscheck.conventions import UNKNOWN, AxisValue, Conventions, profiles
from crosscheck.engine.conversion import QrelsLike, RunLike, as_run
from crosscheck.engine.runs import averages_rounded, fails_on, mean_of_tool
from crosscheck.errors import CrosscheckError, count, joined
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.search import fewest
from crosscheck.formats.trec import RepeatedError, read_run
from crosscheck.harness.document import made_by
from crosscheck.model import Measure, Run
from crosscheck.names import software, ways
from crosscheck.rankings.pairing import JudgedPool, notes_of
from crosscheck.report.page import Bullets, Details, Id, Page, Paragraph, Section, Status, Text
from crosscheck.report.tables import NONE, Field, grouped, short, table
from crosscheck.report.words import convention, listed
from crosscheck.results import Number, as_float, optional
from crosscheck.shown import tell
from crosscheck.studies.base import RunsLike, StudyDocument, judged_by, named_runs, study, study_page
from crosscheck.studies.lint import LintFinding, lint
from crosscheck.studies.options import MEASURES, QRELS, flag, option, run_files


class ToolGroup(Struct, frozen=True, kw_only=True):
    """The tools that print the same number for a run.

    Attributes:
        printed: the number with the decimals of the document (its field ``decimals``); a range if a
            convention of the tools is unknown; empty if the tools print no number.
        value: the number of the first tool.
        low, high: the bounds of the range; null if there is no range.
        tools: the names of the tools' profiles.
        read: the profiles that were made by reading source code only.
        conventions: axis -> value, for the axes that cause the difference from trec_eval.
        otherwise: the tools that print the number although they have not these conventions.
        reason: these conventions in words, or the reason why there is no number.
    """

    measure: str
    run: str
    printed: str
    value: Number | None
    low: Number | None
    high: Number | None
    tools: Annotated[list[str], Meta(min_length=1)]
    read: list[str]
    conventions: dict[str, AxisValue]
    reason: str
    otherwise: list[str] = []


class ToolSwap(Struct, frozen=True):
    """Two runs that trec_eval and ``tools`` order differently. ``better`` is the better run in trec_eval."""

    measure: str
    better: str
    worse: str
    tools: list[str]


class ToolsDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck tools``, as written to JSON.

    Attributes:
        groups: for each measure and run, the tools that print the same number form a group; the group with
            trec_eval comes first.
        software: profile -> tool and version.
        lint: findings about the input files; null if these were not requested.
    """

    _rows: ClassVar[str] = "groups"

    study: Literal["tools"] = "tools"
    qrels: str
    runs: list[str]
    decimals: int
    groups: list[ToolGroup]
    swaps: list[ToolSwap]
    software: dict[str, str]
    lint: list[LintFinding] | None
    summary: str
    notes: list[str] = field(default_factory=list)


_REFERENCE = "trec_eval-9.0.8"


class Prediction(Struct, frozen=True, kw_only=True):
    """The predicted output of a tool: a value, a range if some of its axes are unknown, or the reason why
    there is no value."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""

    def printed(self, decimals: int) -> str:
        """The value or range with this number of decimals; empty if there is no value."""
        ends = (self.value,) if self.low is None else (self.low, self.high)
        return " to ".join(dict.fromkeys(f"{end:.{decimals}f}" for end in ends if end is not None))


def tools(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: Sequence[str] = (),
    *,
    decimals: int = 4,
    find_causes: bool = False,
    progress: Callable[[str], None] = tell,
) -> ToolsDocument:
    """The numbers that all known tools print for these runs, and the conventions that make them differ.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: paths, or a mapping from names to runs. A document may occur twice under a query, which only
            some tools reject.
        measures: names in either spelling; empty for the default measures.
        decimals: number of decimals to which numbers are printed and compared; trec_eval prints 4.
        find_causes: also list the properties of runs and qrels that make tools differ.

    Raises:
        InputError: an input cannot be used.
        UsageError: an unknown measure, or one run twice.
    """
    judged, wanted = judged_by(qrels, measures)
    systems = named_runs(runs, at_least=1, what="a prediction", read=leniently)
    pool, notes = JudgedPool(judged), list[str]()
    groups, findings = list[ToolGroup](), list[LintFinding]()
    each: dict[Measure, dict[str, dict[str, Prediction]]] = {measure: {} for measure in wanted}
    for name, run in systems.items():
        rankings = Rankings(run, pool)  # one run at a time, to save memory
        notes += notes_of(rankings.pairing)
        for measure in wanted:
            progress(f"{measure} of {name} as every tool computes it")
            recomputer = Recomputer(rankings, measure, Conventions())
            specs = {t: _rounded_once(of[measure], decimals) for t, of in ways(profiles(), [measure]).items()}
            each[measure][name] = predicted = {t: prediction(recomputer, spec) for t, spec in specs.items()}
            found = _groups(recomputer, name, specs, predicted, decimals)
            # The group with trec_eval is first, groups without a number are last, those between are by size.
            groups += sorted(found, key=lambda g: (_REFERENCE not in g.tools, not g.printed, -len(g.tools)))
            findings += lint(rankings, measure, name) if find_causes else []
    place = {str(measure): place for place, measure in enumerate(wanted)}
    for records in (groups, findings):
        records.sort(key=lambda record: place[record.measure])
    swaps = [swap for measure, of in each.items() for swap in _swaps(str(measure), of)]
    known = profiles().items()
    leaking = {str(m): [of.tool or name for name, of in known if str(m) in of.leaks] for m in wanted}
    lacking = _lacking([measure for measure in wanted if str(measure) not in {g.measure for g in groups}])
    return ToolsDocument(
        **made_by(),
        qrels=judged.source,
        runs=list(systems),
        decimals=decimals,
        groups=groups,
        swaps=swaps,
        software={name: software(profiles()[name]) for group in groups for name in group.tools},
        lint=findings if find_causes else None,
        summary=_summary(groups, swaps) + _unpredicted(leaking) if groups else lacking[0],
        notes=list(dict.fromkeys([*notes, *(lacking if groups else [])])),
    )


def _unpredicted(leaking: Mapping[str, Sequence[str]]) -> str:
    """Sentences on the tools of which a measure is not predicted."""
    leaks = "leaks between queries, so that no number is predicted"
    named = {measure: joined(names) for measure, names in leaking.items() if names}
    return "".join(f" The {measure} of {names} {leaks}." for measure, names in named.items())


def _rounded_once(spec: Conventions, decimals: int) -> Conventions:
    """A tool's conventions, without the rounding of its mean if it keeps as many decimals as are printed:
    0.613954, rounded to five and then to four decimals, is not 0.6140."""
    own = spec[ROUNDING]
    kept = own is None or own < decimals or averages_rounded(spec)
    return spec if kept else spec.with_changes(rounding="none")


def _lacking(measures: Sequence[Measure]) -> list[str]:
    """A sentence on the measures that no profile has, and the backend that computes them; else nothing."""
    if not measures:
        return []
    backend = make("ir-measures")
    able = [str(m) for m in measures if backend.describe().available and backend.supports(m)]
    hint = f"; ir_measures has {joined(able)} (crosscheck run -b {backend.id})" if able else ""
    return [f"Crosscheck has no profile of a tool for {joined(list(map(str, measures)))}{hint}."]


def leniently(given: RunLike) -> Run:
    """Read a run as :func:`as_run` does, but accept a document that occurs twice under a query."""
    try:
        return as_run(given)
    except RepeatedError as error:
        return replace(read_run(error.path, strict=False), unique=False)


def prediction(recomputer: Recomputer, spec: Conventions) -> Prediction:
    """The output of the tool with these conventions for a measure on a run, in full precision."""
    if failing := fails_on(spec, recomputer.measure, recomputer.rankings):
        return Prediction(reason=failing[0])
    unknown = [axis for axis in spec.unknown if axis.read_by(recomputer.family)]
    values: list[float] = []
    try:
        options = (dict.fromkeys([*map(str, a.options(recomputer)), str(a.default)]) for a in unknown)
        for chosen in product(*options):
            tried = spec.with_changes(**{a.name: v for a, v in zip(unknown, chosen, strict=True)})
            mean = mean_of_tool(spec, recomputer.evaluated(tried)) if recomputer.possible(tried) else None
            values += [] if mean is None else [mean]
    except CrosscheckError as error:
        return Prediction(reason=f"refused: {error.args[0]}")
    if not values:
        return Prediction(reason="no query has a value")
    low, high = (min(values), max(values)) if unknown else (None, None)
    return Prediction(value=values[0], low=low, high=high)


def _groups(
    view: Recomputer, run: str, specs: dict[str, Conventions], found: dict[str, Prediction], decimals: int
) -> Iterator[ToolGroup]:
    """Yield a group for each different output, with the tools that have it."""
    by_text = grouped(found, lambda name: (found[name].printed(decimals), found[name].reason))
    for (printed, reason), tools in by_text.items():
        first = found[tools[0]]
        asked = {} if _REFERENCE in tools or reason else {name: specs[name] for name in tools}
        # Of each tool the changes without which it prints another number; of these sets the smallest.
        needed = (_needed(view, spec, printed, decimals) for spec in asked.values())
        because = min(needed, key=len, default={})
        yield ToolGroup(
            measure=str(view.measure),
            run=run,
            printed=printed,
            value=optional(first.value),
            low=optional(first.low),
            high=optional(first.high),
            tools=tools,
            read=[name for name in tools if profiles()[name].evidence == "read"],
            conventions=because,
            otherwise=[n for n, spec in asked.items() if any(spec.plain(a) != because[a] for a in because)],
            reason=reason or "; ".join(_words(axis, value) for axis, value in because.items()),
        )


def _words(axis: str, value: AxisValue) -> str:
    if value == UNKNOWN:
        return f"the convention for {axis.replace('_', ' ')} is arbitrary or not known"
    return convention(axis, value)


def _needed(recomputer: Recomputer, spec: Conventions, printed: str, decimals: int) -> dict[str, AxisValue]:
    """The changes of a tool's conventions that its number depends on. If one of two changes is enough, the
    likelier is kept."""
    changes = spec.changes_from(Conventions())
    read = [axis for name, axis in axes().items() if name in changes and axis.read_by(recomputer.family)]

    def same(left: Mapping[str, AxisValue]) -> bool:
        fewer = spec.with_values((axis, axis.default) for axis in read if axis.name not in left)
        return prediction(recomputer, fewer).printed(decimals) == printed

    kept = fewest({a.name: changes[a.name] for a in sorted(read, key=lambda a: -a.priority)}, same)
    return {name: value for name, value in changes.items() if name in kept}


def _swaps(measure: str, each: Mapping[str, Mapping[str, Prediction]]) -> Iterator[ToolSwap]:
    """Yield the pairs of runs whose order in some tool is the reverse of the order in trec_eval."""
    for a, b in combinations(each, 2):
        signs = {name: _sign(each[a][name].value, each[b][name].value) for name in each[a]}
        reference = signs.get(_REFERENCE) or next(iter(signs.values()), 0)
        tools = [name for name, sign in signs.items() if sign * reference < 0]
        if tools:
            better, worse = (a, b) if reference > 0 else (b, a)
            yield ToolSwap(measure, better, worse, tools)


def _sign(first: float | None, second: float | None) -> int:
    return 0 if first is None or second is None else (first > second) - (first < second)


def _summary(groups: Sequence[ToolGroup], swaps: Sequence[ToolSwap]) -> str:
    """The summary: the number of tools that agree on the first measure and run, how many numbers are the same
    in all tools, and the swaps."""
    cells = grouped(groups, lambda group: (group.measure, group.run))
    (measure, run), first = next(iter(cells.items()))
    text = _portability(first)
    if len(cells) == 1:
        text = f"Tools differ: {text}" if len(first) > 1 else text
    else:
        same = sum(len([g for g in cell if g.printed]) == 1 for cell in cells.values())
        of = f"{same} of {len(cells)} numbers are" if same else "No number is"
        where = f"{measure} of {run}" if len({run for _, run in cells}) > 1 else measure
        text = f"{of} the same in every tool. {where}: {text}"
    if swaps:
        pairs = "pair of runs changes" if len(swaps) == 1 else "pairs of runs change"
        text += f" {len(swaps)} {pairs} order between tools."
    return text


def _portability(groups: Sequence[ToolGroup]) -> str:
    total = sum(len(group.tools) for group in groups)
    first, *rest = groups
    among = " among them" if len(first.tools) > 1 else ""
    which = f", {_REFERENCE}{among}," if rest and _REFERENCE in first.tools else ""
    most = f"{len(first.tools)} of {count(total, 'tool')}{which} {_print(first)} {first.printed or 'nothing'}"
    most += "" if first.printed else f" ({first.reason})"
    numbers = sum(bool(group.printed) for group in rest[2:])
    failing = sum(len(group.tools) for group in rest[2:] if not group.printed)
    more = [f"{count(numbers, 'more number')} below"] * (numbers > 0)
    kind = "tool" if all(group.printed for group in groups[:3]) else "more tool"
    more += [f"{count(failing, kind)} print{'s' * (failing == 1)} nothing"] * (failing > 0)
    return "; ".join([most, *map(_other, rest[:2]), *more]) + "."


def _other(group: ToolGroup) -> str:
    tools = [name for name in group.tools if name not in group.otherwise]
    names = joined(tools) if len(tools) < 3 else f"{', '.join(tools[:2])}, ..."
    if not group.printed:
        return f"nothing is printed by {names} ({group.reason})"
    names += f"; {len(group.otherwise)} by other conventions" if group.otherwise else ""
    why = f": {group.reason}" if group.conventions else f", which {group.reason}" if group.reason else ""
    return f"{len(group.tools)} {_print(group)} {group.printed}{why} ({names})"


def _print(group: ToolGroup) -> str:
    return "prints" if len(group.tools) == 1 else "print"


_SURE = (
    "No tool was called. Each number is recomputed under the conventions of the tool's profile, which were"
    " observed by running that version, or read in its source; where an axis is not known, under each of its"
    " values, which gives a range."
)


def _page(document: ToolsDocument) -> Page:
    """A table for each measure and run, trec_eval's number first, then swaps and the input."""
    several = len(document.runs) > 1
    cells = grouped(document.groups, lambda g: (Id(g.measure), *((" of ", Id(g.run)) if several else ())))
    lint = table("", document.lint or (), *(["@run"] * several), *_LINT, limit=100, noun="property")
    read = {name for group in document.groups for name in group.read}
    known: Field = "known by", lambda of: "read in its source" if of[0] in read else "run"
    software = sorted(document.software.items())
    sources = table("", software, (("@profile", "@tool"), tuple), known, limit=100, noun="tool")
    same = all(len(groups) == 1 for groups in cells.values())
    open_still = {measure for one in profiles().values() for measure in one.leaks}
    all_known = open_still.isdisjoint(group.measure for group in document.groups)
    return study_page(
        document,
        ("What tools print for ", *listed(document.runs, 3)),
        *(Section(name, [table("", of, _GROUP, limit=30, noun="number")]) for name, of in cells.items()),
        Bullets("Systems that change places", [_swap(swap) for swap in document.swaps]),
        Section("What in the input makes tools differ", [lint]),
        Details("How sure this is", [Paragraph(_SURE), sources]),
        status=(Status.AGREE if same else Status.DIFFERS) if cells and (all_known or not same) else None,
    )


def _which(group: ToolGroup) -> Text:
    """The names of the tools in a group; before them, the reason why the tools print the same number, if
    there is a reason."""
    names = {tool: f"{tool} [read]" if tool in group.read else tool for tool in group.tools}
    by_reason = listed([name for tool, name in names.items() if tool not in group.otherwise], 100)
    otherwise = listed([names[tool] for tool in group.otherwise], 100)
    more = ("; the same number by other conventions: ", *otherwise) if group.otherwise else ()
    return (f"{group.reason}: ", *by_reason, *more) if group.reason else by_reason


_GROUP: Field = (
    ("#prints", "#tools", "which, and why"),
    lambda group: (group.printed or NONE, len(group.tools), _which(group)),
)


def _swap(swap: ToolSwap) -> Text:
    better, worse = Id(swap.better), Id(swap.worse)
    words = (Id(swap.measure), ": ", better, " is better than ", worse, " by trec_eval, and worse by ")
    return (*words, *listed(swap.tools, 10))


def _effect(finding: LintFinding) -> str:
    """The values of the mean under the other settings of a finding, each with its settings."""
    value = finding.value
    means = {setting: mean for setting, mean in finding.effects.items() if mean is not None}
    far = (s for s, mean in means.items() if value is None or abs(as_float(mean) - as_float(value)) >= 5e-5)
    moved = {setting: short(means[setting]) for setting in far}
    by_text = grouped(moved, moved.__getitem__)
    effects = [f"{text} ({', '.join(settings)})" for text, settings in by_text.items()]
    return "; ".join(effects) or f"none ({count(len(finding.effects), 'other rule')} tried)"


_LINT: tuple[Field, ...] = ("@measure", "what=says", "#queries", "#trec_eval=value", ("effect", _effect))

STUDY = study(
    ToolsDocument,
    tools,
    _page,
    *(QRELS, run_files(), MEASURES),
    flag("--lint find_causes", "Also list what in the input makes tools differ."),
    option("--decimals", "Numbers that agree to so many decimals are the same.", click.IntRange(0, 15), 4),
    code=lambda document: 0 if any(group.printed for group in document.groups) else 3,
)
