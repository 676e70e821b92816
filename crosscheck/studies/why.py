"""Find the conventions, or the changes of the input, that give printed numbers.

Write numbers with the digits that were printed: "nDCG@10=0.4986" "AP=0.3809". A number without a measure
tries the usual ones. Several numbers are explained together.
"""

import csv
import io
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

import numpy as np
from msgspec import Meta, Struct, field
from msgspec.structs import replace

from crosscheck.axes.forms import UNIT, Unit
from crosscheck.conventions import AxisValue, Conventions, profiles
from crosscheck.engine.conversion import QrelsLike, as_qrels
from crosscheck.engine.runs import fails_on
from crosscheck.errors import InputError, UsageError, count, first_few, joined, no_such, quoted, safe_text
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.explain.decoys import other_measures
from crosscheck.explain.numbers import FAR, Given, Guess, Guesses, PrintedNumber, explain_numbers
from crosscheck.formats.numerals import printed_number
from crosscheck.formats.recorded import read_recorded
from crosscheck.harness.document import made_by
from crosscheck.measures import needs_of
from crosscheck.model import Measure, Qrels, Run, Scores, display
from crosscheck.names import DEFAULT_MEASURES, is_measure, parse_measure, trec_eval_name, ways, with_version
from crosscheck.rankings.changed_inputs import changed_inputs
from crosscheck.rankings.pairing import Pairing, notes_of, nothing_judged
from crosscheck.report.page import Bullets, Figure, Id, Page, Paragraph, Section, Status, Text
from crosscheck.report.tables import Field, table
from crosscheck.report.words import convention, listed, settings
from crosscheck.results import Number, number, optional
from crosscheck.shown import tell
from crosscheck.studies.base import RunsLike, StudyDocument, named_runs, study, study_page
from crosscheck.studies.options import QRELS, option, run_files


class WhyNumber(Struct, frozen=True):
    """A number that is to be explained.

    Attributes:
        measure: the measure; null if it is not known.
        query: the query; null for a mean.
        printed: the number as the user gave it.
        value: the mean, or the value of the query, under trec_eval's conventions on the user's input; null if
            the measure is not known, or there is no value.
    """

    measure: str | None
    run: str
    query: str | None
    printed: str
    value: Number | None


class WhyAnswer(Struct, frozen=True):
    """One way to get the numbers.

    Attributes:
        another: whether this answer is that the numbers are from a different run or different judgements.
            All other fields except ``says`` and ``ask`` are then empty.
        says: the answer in words.
        change: the change of the input in words; empty if there is none.
        conventions: axis -> value, for the axes whose value differs from trec_eval's value.
        by_measure: measure -> axis -> value, for the axes whose value is that of this measure only.
        tools: profiles with these conventions.
        others: number of further sets of conventions that predict the same values.
        same: of these sets, those that change as few axes, and the same ones for all measures; at most five.
        measures, values: for each number, the measure and the value that the answer predicts.
        chance: how many of the answers in the list, from the first to this one, are expected to give the
            numbers by chance.
        ask: the question to put to the authors of the numbers.
    """

    another: bool
    says: str
    change: str
    conventions: dict[str, AxisValue]
    tools: list[str]
    others: int
    measures: list[str]
    values: list[Number]
    chance: Annotated[float, Meta(ge=0)] | None
    ask: str
    by_measure: dict[str, dict[str, AxisValue]] = field(default_factory=dict)
    same: list[dict[str, AxisValue]] = field(default_factory=list)


class WhyDocument(StudyDocument, frozen=True, kw_only=True):
    """The result of ``crosscheck why``, as written to JSON.

    Attributes:
        answers: the likeliest answers, likeliest first.
        tried: number of pairs of conventions and input that were tried.
        distinct: number of answers with different predictions.
        fitting: number of these answers that give all numbers.
        by_chance: number of answers that are expected to give all numbers by chance.
    """

    _rows: ClassVar[str] = "answers"

    study: Literal["why"] = "why"
    qrels: str
    runs: list[str]
    numbers: list[WhyNumber]
    answers: Annotated[list[WhyAnswer], Meta(min_length=1)]
    tried: int
    distinct: int
    fitting: int
    by_chance: Annotated[float, Meta(ge=0)]
    summary: str
    notes: list[str] = field(default_factory=list)


#: Measures that are tried for a number without a measure.
_USUAL = (
    *(*DEFAULT_MEASURES, "P@1", "P@20", "R@5", "R@20", "R@100", "R@1000", "AP@10", "AP@100", "RR@10"),
    *("nDCG@1", "nDCG@5", "nDCG@20", "nDCG@100", "Success@1", "Success@5", "Success@10"),
)
#: Number of answers that the document lists, beside "another run".
_SHOWN = 10
#: Maximum number of sets that are listed because they give the same as an answer.
_SAME = 5
#: The families of these measures.
_FAMILIES = {parse_measure(name).family for name in _USUAL}
_OR_ANOTHER = "A different run or different judgements are not excluded"
#: If the chance of the first answer is above this, the user is asked for one more number.
_TOLD = 1e-4
#: The first sentence names a second answer whose chance is less than so many times that of the first.
_AS_LIKELY = 10
#: A tool that gives all numbers but some, which cannot be predicted, leads if its chance is below this.
_IN_PART = 0.05


#: Function from the name of a run and a measure to the recomputer of the measure on the run.
_View: TypeAlias = Callable[[str, Measure], Recomputer]


def _another(asked: int) -> str:
    of = "the number is" if asked == 1 else "the numbers are"
    return f"{of} from a different run or different judgements"


def why(
    qrels: QrelsLike,
    runs: RunsLike,
    numbers: str | Sequence[str] | Mapping[str, str | float] = (),
    *,
    table: str | None = None,
    values: str | None = None,
    qrels_candidates: str | None = None,
    progress: Callable[[str], None] = tell,
) -> WhyDocument:
    """Conventions of known tools, changes of one or two axes, and changes of the input that give the numbers.

    A single mean cannot prove an answer: many answers may give it by chance. An answer is listed before
    "a different run or different judgements" only if few answers would fit by chance.

    Args:
        qrels: as for :func:`crosscheck.evaluate`.
        runs: one or more, by name or as paths; several runs need ``table``.
        numbers: ``nDCG@10=0.4986`` with the decimals as printed; ``0.4986`` tries the usual measures.
        table: a CSV file with the columns system, measure and value; a system is the name or tag of a run.
        values: a file with values of single queries (``trec_eval -q`` or JSON) of the first run.
        qrels_candidates: a folder of qrels files. Each is tried in place of ``qrels``.

    Raises:
        InputError: an input cannot be used.
        UsageError: no number is given, a text is not a number, a measure is unknown, or a system has no run.
    """
    systems = named_runs(runs, at_least=1, what="a number")
    first = next(iter(systems))
    if isinstance(numbers, str):
        numbers = [numbers]
    elif isinstance(numbers, Mapping):
        numbers = [f"{name}={value}" for name, value in numbers.items()]
    if len(systems) > 1 and (numbers or values is not None):
        problem = f"there are {len(systems)} runs, and the numbers do not say which run they belong to"
        raise UsageError(problem, hint="give one run, or name the run of each number in a --table")
    asked = [_number(text, first) for text in numbers]
    asked += list(_of_table(table, systems)) if table is not None else []
    saved = list(_of_queries(values, first)) if values is not None else []
    if not (asked or saved):
        raise UsageError("there is no number to explain", hint='give a number, such as "nDCG@10=0.4986"')
    judged = as_qrels(qrels, needs=needs_of([m for one, _ in (*asked, *saved) for m in one.measures]))
    notes = list[str]()
    if values is not None and qrels_candidates is None:
        saved, notes = _of_known_queries(saved, values, Pairing.of(systems[first], judged))
    asked += saved
    printed = [one for one, _ in asked]
    named = {(one.run, one.query, one.measures): one for one in printed}
    for one in printed:
        if (other := named[one.run, one.query, one.measures]) != one and len(one.measures) == 1:
            problem = f"{one.measures[0]} of {quoted(one.run)} has two numbers: {one.value} and {other.value}"
            raise UsageError(problem, hint="ask for one of them")
    used = {one.run: systems[one.run] for one in printed}
    notes += notes_of(*(Pairing.of(run, judged) for run in used.values()))
    skipped: list[str] = []
    inputs = list(_inputs(used, judged, list(_candidates(qrels_candidates, skipped))))
    guesses, left_out = explain_numbers(printed, inputs, profiles(), progress), ""
    if not guesses.fitting and (lacking := next(iter(guesses.in_part.values()), None)):
        # What a tool computes by unknown conventions speaks neither for the tool nor against it.
        some = [one for one in printed if one.measures[0] not in lacking]
        rest = explain_numbers(some, inputs, profiles(), progress)
        likely = rest.fitting[: rest.leading][:1]
        tools = [tool for answer in likely if answer.chance < _IN_PART for tool in answer.tools]
        if any(guesses.in_part.get(tool) == lacking for tool in tools):
            guesses, left_out = rest, _in_part(guesses.in_part)
    for run in () if guesses.fitting else used.values():
        if not Pairing.of(run, judged).topics:
            raise nothing_judged(run, judged)
    inputs_of = {given.says: given.inputs for given in inputs}
    bare = any(len(one.measures) > 1 for one in printed)
    answers = [_answer(answer, inputs_of[answer.says], bare) for answer in guesses.fitting[:_SHOWN]]
    files = "the run file and for the qrels: their version, and how many queries and judgements they have"
    other_run = WhyAnswer(True, _another(len(asked)), "", {}, [], 0, [], [], None, f"Ask for {files}.")
    answers.insert(min(guesses.leading, len(answers)), other_run)
    exact = [one for one in printed if one.query is None and _digits(one) > 2]
    nearly = "" if guesses.leading else _but_one(guesses, printed, inputs[:1])
    rankings = {name: Rankings(*of) for name, of in inputs[0].inputs.items()}
    view = cache(lambda run, measure: Recomputer(rankings[run], measure, Conventions()))
    seen = not guesses.leading and len(exact) == len(printed)
    beside = _beside(exact, view, told=bool(nearly)) if seen else ""
    return WhyDocument(
        **made_by(),
        qrels=judged.source,
        runs=list(used),
        numbers=[_asked(one, text, view) for one, text in asked],
        answers=answers,
        tried=guesses.tried,
        distinct=guesses.distinct,
        fitting=len(guesses.fitting),
        by_chance=guesses.by_chance,
        summary=nearly + _summary(answers, guesses, len(asked)) + left_out + beside,
        notes=[*notes, *skipped],
    )


def _number(text: str, run: str) -> tuple[PrintedNumber, str]:
    """A number and its digits as text, from ``nDCG@10=0.4986``, ``nDCG@10=49.86%`` or ``0.4986``."""
    name, _, value = text.rpartition("=")
    value = value.strip()
    number = printed_number(f"{value[:-1]}e-2" if value.endswith("%") else value)
    if number is None:
        hint = 'write the measure and the digits: "nDCG@10=0.4986"'
        raise UsageError(f"{quoted(text)} is not a number", hint=hint)
    measures = tuple(map(parse_measure, [name] if name else _USUAL))
    return PrintedNumber(float(number), number.decimals, measures, run), value


def _of_table(path: str, systems: Mapping[str, Run]) -> Iterator[tuple[PrintedNumber, str]]:
    """The numbers of a table. A system that is not among the runs is an error, because it may be misspelt."""
    named = ((name, (name, Path(name).stem, display(run.tag))) for name, run in systems.items())
    names = {alias: name for name, aliases in named for alias in aliases if alias}
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("the table cannot be read", path=path, found=str(error)) from None
    rows = csv.DictReader(io.StringIO(text), skipinitialspace=True)
    try:
        columns = {name.strip().lower(): name for name in rows.fieldnames or ()}
        if not {"system", "measure", "value"} <= columns.keys():
            present = ", ".join(rows.fieldnames or ()) or "nothing"
            hint = "it needs the columns system, measure and value; a system is the name or tag of a run"
            problem = f"the first line of the table {quoted(path)} names {safe_text(present)}"
            raise UsageError(problem, hint=hint)
        for row in rows:
            cells = ((row[columns[key]] or "").strip() for key in ("system", "measure", "value"))
            system, measure, value = cells
            try:
                if system not in names:
                    raise no_such("run", system, names, several="runs")
                yield _number(f"{measure}={value}", names[system])
            except UsageError as error:
                where = f"{safe_text(path, 4096)}:{rows.line_num}"
                raise UsageError(f"{where}: {error.message}", hint=error.hint) from None
    except csv.Error as error:
        raise InputError(f"invalid table: {error}", path=path, line=rows.line_num + 1) from None


def _of_queries(path: str, run: str) -> Iterator[tuple[PrintedNumber, str]]:
    """The numbers in a file of saved values: first the values of single queries, then the means."""
    saved = read_recorded(path, is_measure)
    for name, values in saved.values.items():
        measure, decimals = parse_measure(name), saved.decimals[name]
        for topic, value in values.items():
            yield PrintedNumber(value, decimals, (measure,), run, topic), _as_printed(value, decimals)
    for name, mean in saved.means.items():
        decimals = saved.decimals[name]
        yield PrintedNumber(mean, decimals, (parse_measure(name),), run), _as_printed(mean, decimals)


def _as_printed(value: float, decimals: int | None) -> str:
    return str(value) if decimals is None else f"{value:.{decimals}f}"


def _of_known_queries(
    saved: Sequence[tuple[PrintedNumber, str]], path: str, pairing: Pairing
) -> tuple[list[tuple[PrintedNumber, str]], list[str]]:
    """The numbers without the values of queries that are in neither qrels nor run, and a note on these.

    Raises:
        UsageError: all values are of such queries.
    """
    known = {None, *pairing.all_topics}
    others = list(dict.fromkeys(one.query for one, _ in saved if one.query not in known))
    left = [of for of in saved if of[0].query in known]
    if others and all(one.query is None for one, _ in left):
        theirs, ours = (quoted(display(topic or b"")) for topic in (others[0], pairing.all_topics[0]))
        ids = f"such as {theirs}, where qrels or run have {ours}"
        problem = f"the values in {quoted(path)} are of queries in neither qrels nor run, {ids}"
        raise UsageError(problem, hint="give values of this run, with the same query ids (1 and 001 differ)")
    ids = first_few(safe_text(display(topic)) for topic in others if topic is not None)
    left_out = f"the values of {count(len(others), 'query')} in neither qrels nor run were left out: {ids}"
    return left, [left_out] if others else []


def _candidates(folder: str | None, skipped: list[str]) -> Iterator[tuple[str, Qrels]]:
    """Name and qrels of each qrels file in a folder. For any other file, ``skipped`` gets a sentence."""
    if folder is None:
        return
    try:
        paths = sorted(path for path in Path(folder).iterdir() if path.is_file())
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("the folder cannot be read", path=folder, found=reason) from None
    if not paths:
        raise InputError("the folder holds no files", path=folder, hint="put other qrels there")
    for path in paths:
        try:
            yield path.name, as_qrels(str(path))
        except InputError as error:
            skipped.append(f"{safe_text(path.name)} was not tried: {error.message}")


def _inputs(runs: Mapping[str, Run], qrels: Qrels, others: Sequence[tuple[str, Qrels]]) -> Iterator[Given]:
    """Yield the user's input, then the input with each of the candidate qrels, then the input after each
    usual change (made to all runs)."""
    yield Given({name: (run, qrels) for name, run in runs.items()})
    for file, other in others:
        yield Given({name: (run, other) for name, run in runs.items()}, f"the qrels {file}")
    each = [{one.says: (one.run, one.qrels) for one in changed_inputs(run, qrels)} for run in runs.values()]
    for says in each[0]:
        if all(says in changed for changed in each):
            yield Given({name: changed[says] for name, changed in zip(runs, each, strict=True)}, says)


def _can_print(name: str, answer: Guess, inputs: Mapping[str, tuple[Run, Qrels]]) -> bool:
    """Whether a tool is not known to fail on these inputs, for any of the measures that are read."""
    known = ways({name: profiles()[name]}, [measure for measure, _ in answer.readings])
    specs = [(spec, measure) for of_tool in known.values() for measure, spec in of_tool.items()]
    rankings = [Rankings(run, qrels) for run, qrels in inputs.values()]
    return not any(fails_on(*one, of) for one, of in product(specs, rankings))


def _answer(answer: Guess, inputs: Mapping[str, tuple[Run, Qrels]], bare: bool) -> WhyAnswer:
    """The record of an answer. Tools that fail on the inputs are left out, unless no others are known.

    Args:
        bare: whether a number was given without its measure, so that the answer says which it is.
    """
    tools = [name for name in answer.tools if _can_print(name, answer, inputs)] or answer.tools
    alike, alone = answer.changes()
    words = [convention(axis, value) for axis, value in alike.items()]
    words += [f"{measure}: {convention(a, v)}" for measure, of in alone.items() for a, v in of.items()]
    measures = list(dict.fromkeys(measure for measure, _ in answer.readings))
    known = ways(profiles(), measures)
    lacking = {name: [str(m) for m in measures if m not in known.get(name, {})] for name in tools}
    tools = [name for name in tools if not lacking[name]] or tools * bool(words)
    words += [f"{joined(lacking[name])} as in trec_eval" for name in tools[:1] if lacking[name]]
    unknown = [str(measure) for measure in measures if not trec_eval_name(measure)]
    but = f" ({joined(unknown)} {'is' if len(unknown) == 1 else 'are'} not in trec_eval)" if unknown else ""
    says = words or [f"trec_eval's own conventions{but}"]
    if _in_percent(alike) and len(words) == 1:
        own = "crosscheck" if unknown else "trec_eval"
        says = [f"{own}'s value{'s' * (len(answer.readings) > 1)}, as a percentage"]
    parts = [*([answer.says] if answer.says else []), *says]
    every = [{frozenset(c.changes_from(Conventions()).items()) for _, c in of} for of in answer.sets]
    ours = frozenset(alike.items())
    others = [dict(of) for of, *more in every if not more and of != ours and 0 < len(of) <= len(ours)]
    same = sorted(others, key=settings)[:_SAME]
    alike_too = (convention(*change) for of in same if of.keys() == alike.keys() for change in of.items())
    asked = [f"they used {answer.says}"] * bool(answer.says)
    asked += [" or ".join((joined(words), *(alike_too if len(alike) == 1 else ())))] * bool(words)
    of = f", for {joined([str(measure) for measure, _ in answer.readings])}" if bare else ""
    return WhyAnswer(
        another=False,
        says=f"{'with ' if answer.says else ''}{'; '.join(parts)}{of}",
        change=answer.says,
        conventions=alike,
        by_measure={str(measure): changes for measure, changes in alone.items() if changes},
        tools=tools,
        others=len(answer.sets) - 1,
        same=same,
        measures=[str(measure) for measure, _ in answer.readings],
        values=[number(value) for _, value in answer.readings],
        chance=answer.chance,
        ask=f"Ask whether {', and whether '.join(asked)}." if asked else "",
    )


def _but_one(guesses: Guesses, printed: Sequence[PrintedNumber], inputs: Sequence[Given]) -> str:
    """The first sentence, if an answer gives all numbers but one, and is likelier than a different run by the
    others alone; else empty."""
    if guesses.but_one is None:
        return ""
    guess, place = guesses.but_one
    others = [one for number, one in enumerate(printed) if number != place]
    of_others = explain_numbers(others, inputs, profiles(), lambda _: None)
    for one in of_others.fitting[: of_others.leading]:
        if one.predicted == (*guess.predicted[:place], *guess.predicted[place + 1 :]):
            answer, wrong = _answer(one, inputs[0].inputs, bare=False), printed[place]
            tools = joined([with_version(profiles()[name]) for name in answer.tools[:3]])
            says = f"as in {tools}: {answer.says}" if tools else answer.says
            (value,) = guess.predicted[place] if len(wrong.measures) == 1 else (None,)
            of_query = f" of query {safe_text(display(wrong.query))}" if wrong.query else ""
            there = "it has no value" if value is None else f"it is {value:.{wrong.decimals or 4}f}"
            asks = ": were digits exchanged?" if value is not None and _exchanged(wrong, value) else "."
            return f"All numbers but that of {wrong.measures[0]}{of_query} fit: {says}; there {there}{asks} "
    return ""


def _exchanged(one: PrintedNumber, value: float) -> bool:
    """Whether a number has the digits of a value in another order."""
    return sorted(f"{value:.{one.decimals or 4}f}") == sorted(f"{one.value:.{one.decimals or 4}f}")


def _in_percent(conventions: Mapping[str, AxisValue]) -> bool:
    """Whether the numbers are percentages, which no set of a tool says: any may have been printed so."""
    return conventions.get(UNIT.name) == Unit.PERCENT


def _beside(exact: Sequence[PrintedNumber], view: _View, *, told: bool) -> str:
    """A sentence on what printed means have to do with those of trec_eval; empty if nothing is seen.

    Args:
        view: function that gives the recomputer of a measure on a run.
        told: whether it is said already which of them are trec_eval's.
    """
    single = [one for one in exact if len(one.measures) == 1]
    own = {one: view(one.run, one.measures[0]).evaluated(Conventions()) for one in single}
    means = {one: of.mean for one, of in own.items() if of.mean is not None and math.isfinite(of.mean)}
    wrong = [one for one, mean in means.items() if not one.is_met(mean)]
    if not wrong or len(means) < len(exact):
        return ""
    exact = [_as_share(one, means[one]) for one in exact]
    shares = [str(one.measures[0]) for one, of in zip(exact, means, strict=True) if one is not of]
    means = dict(zip(exact, means.values(), strict=True))
    own = dict(zip(exact, own.values(), strict=True))
    percent = f"{joined(shares)} {'is a percentage' if len(shares) == 1 else 'are percentages'}"
    are = "it is" if len(exact) == 1 else "they are"
    if not (wrong := [one for one, mean in means.items() if not one.is_met(mean)]):
        return f" But {are} trec_eval's, if {percent}."
    if all(_cut(mean, one.decimals) == one.value for one, mean in means.items()):
        but = f" {percent}, and" * bool(shares)
        return f" But {are} trec_eval's, if{but} digits are cut off and not rounded."
    if meant := _meant(exact, wrong, view):
        return meant
    runs = {one.run for one in exact}
    for place in np.flatnonzero(own[exact[0]].present).tolist() if len(means) > 1 == len(runs) else ():
        if all(one.is_met(_without(of, place)) for one, of in own.items()):
            topic = display(view(exact[0].run, exact[0].measures[0]).topics[place])
            return f" But trec_eval gives them if the query {safe_text(topic)} is left out."
    right = [one for one in exact if one not in wrong]
    if not right or told:
        return ""
    named = {one: f"{one.measures[0]}{f' of {safe_text(one.run)}' * (len(runs) > 1)}" for one in exact}
    others = joined([f"{named[one]} is {means[one]:.4f}" for one in wrong])
    asks = ": were digits exchanged?" if all(_exchanged(one, means[one]) for one in wrong) else "."
    are = "is" if len(right) == 1 else "are"
    lacks = not all(trec_eval_name(one.measures[0]) for one in exact)
    prints = "by trec_eval's conventions" if lacks else "as trec_eval prints"
    return f" But {joined([named[one] for one in right])} {are} {prints}; there {others}{asks}"


def _digits(one: PrintedNumber) -> float:
    """The number of decimals that are printed of a share."""
    return math.inf if one.decimals is None else one.decimals + 2 * (one.value > 1)


def _as_share(one: PrintedNumber, mean: float) -> PrintedNumber:
    """The number, if it is a percentage of a share, as that share."""
    if not (one.value > FAR * mean and 0 < mean <= 1 and one.decimals is not None):
        return one
    return replace(one, value=float(f"{one.value}e-2"), decimals=one.decimals + 2)


def _cut(value: float, decimals: int | None) -> float:
    """The value, cut after this number of decimals."""
    return value if decimals is None else float(f"{math.floor(value * 10**decimals)}e-{decimals}")


def _without(scores: Scores, place: int) -> float:
    """The mean over the queries with a value, but for one of them."""
    values = scores.values[scores.present]
    return float((values.sum() - scores.values[place]) / max(len(values) - 1, 1))


def _meant(exact: Sequence[PrintedNumber], wrong: Sequence[PrintedNumber], view: _View) -> str:
    """A sentence, if each wrong mean is that of its measure at one other cutoff, or of each without one; or
    each is another one that is asked for, or that of another usual measure at the same cutoff; else empty."""
    cutoffs, others = list[dict[int | None, str]](), list[list[str]]()
    asked = [(one.run, one.measures[0]) for one in exact]
    for one in wrong:
        own = one.measures[0]
        others_of = [(one.run, of.measure) for of in other_measures(own) if of.measure]
        every = dict.fromkeys([*asked, *others_of[::-1]])
        values = ((run, m, view(run, m).value(Conventions(), None)) for run, m in every)
        met = {(run, m): f"{m} of {safe_text(run)} is {v:.4f}" for run, m, v in values if v and one.is_met(v)}
        alike = ((m, text) for (run, m), text in met.items() if run == one.run and m.family == own.family)
        cutoffs.append({m.cutoff: text for m, text in alike if m.params == own.params})
        usual = [of for of in others_of if of[1].family in _FAMILIES and of[1].cutoff == own.cutoff]
        others.append([met[of] for of in met if of in asked or of in usual])
    for cutoff in cutoffs[0]:
        if all(cutoff in of for of in cutoffs):
            return f" But {joined([of[cutoff] for of in cutoffs])}: was another cutoff meant?"
    if not all(others):
        return ""
    exchanged = len({one.run for one in exact}) > 1
    asks = "are systems exchanged?" if exchanged else "was another measure meant?"
    return f" But {joined([texts[0] for texts in others])}: {asks}"


def _asked(one: PrintedNumber, printed: str, view: _View) -> WhyNumber:
    """The record of a number; ``view`` as for :func:`_beside`."""
    query = None if one.query is None else display(one.query)
    if len(one.measures) > 1:
        return WhyNumber(None, one.run, query, printed, None)
    value = view(one.run, one.measures[0]).value(Conventions(), one.query)
    return WhyNumber(str(one.measures[0]), one.run, query, printed, optional(value))


def _summary(answers: Sequence[WhyAnswer], guesses: Guesses, asked: int) -> str:
    """The first sentences. ``asked``: the number of numbers."""
    first, *others = answers
    fitting, them = len(guesses.fitting), "it" if asked == 1 else "them"
    how_many = f"{fitting:,} of" if fitting else "none of the"
    give = f"give{'s' * (fitting < 2)} {them}"
    of = f"Perhaps {_another(asked)}: {how_many} {guesses.distinct:,} explanations tried {give}"
    if first.another:
        luck = f"{guesses.by_chance:.2g}" if guesses.by_chance < 10 else f"{guesses.by_chance:,.0f}"
        near = "a random value near it" if asked == 1 else "random values near them"
        of += f", and {luck} would fit {near}" if others else ""
        lies = "it lies" if asked == 1 else "they lie"
        some = f" Some order of the documents with equal scores may give {them}: {lies} between"
        some += " the worst and the best order."
        return f"{of}.{_in_part(guesses.in_part) * (not others)}{some * guesses.within_ties}"
    tools = [name for name in first.tools if profiles()[name].tool not in first.tools]
    names = [with_version(profiles()[name]) for name in tools[:3]]
    names += [f"{len(tools) - 3} more"] * (len(tools) > 3)
    answer = f"as in {joined(names)}: {first.says}" if names else first.says
    alone = first.conventions and not first.by_measure  # no tool is needed to think of it
    if names and first.others and alone:  # a set with fewer axes, or more likely ones
        answer = f"{first.says}. {joined(names)} would print the same"
    if names and _in_percent(first.conventions):
        answer = f"{first.says} (otherwise as in {joined(names)})"
    numbers = "the numbers" if len(first.values) > 1 else "the number"
    fit = f"only this one gives {numbers}" if fitting == 1 else f"{fitting:,} give {numbers}"
    if first.others:
        are = "is" if first.others == 1 else "are"
        fit += f"; {count(first.others, 'other set')} of conventions {are} the same on these data"
        fit += f", such as {' or '.join(map(settings, first.same[:2]))}" * bool(first.same)
    chance = first.chance or 0.0
    often = f"about 1 in {1 / chance:,.0f}" if chance > 1e-6 else "below 1 in 1,000,000"
    often = "more than 1 in 2" if chance > 0.5 else often
    it = "it" if fitting == 1 else "this one"
    luck = f"The chance that {it}, or one with fewer changes, fits by accident is {often}"
    if (by_order := guesses.fitting[0].by_order) > 1e-6:
        of_all = f"about 1 in {1 / by_order:,.0f}" if by_order < 0.5 else "more than half"
        luck += f": {of_all} of all orders of the documents with equal scores would give {numbers}"
    more = "; one more number would tell" if chance > _TOLD else ""
    tried = f"Of {guesses.distinct:,} explanations tried, {fit}"
    second = next((one for one in others[: max(guesses.leading - 1, 0)] if not one.another), None)
    more_of_it = second is not None and first.conventions.items() < second.conventions.items()
    if second and (second.chance or 0.0) < _AS_LIKELY * chance and not more_of_it:
        answer = f"{answer}; or {second.says}"
    head = answer if answer.startswith("trec_eval") else f"{answer[0].upper()}{answer[1:]}"
    return f"{head}. {tried}. {luck}. {_OR_ANOTHER}{more}."


def _in_part(in_part: Mapping[str, Sequence[Measure]]) -> str:
    """A sentence on the tools that give all numbers but those of some measures; empty if there are none."""
    lacking = next(iter(in_part.values()), ())
    names = [with_version(profiles()[name]) for name, of in in_part.items() if of == lacking][:3]
    if not names:
        return ""
    measures = joined(list(dict.fromkeys(map(str, lacking))))
    give = "gives" if len(names) == 1 else "give"
    return f" But {joined(names)} {give} the others; how {measures} is computed there is not known."


def _of_words(given: Sequence[str], progress: Callable[[str], None], **asked: Any) -> WhyDocument:
    """The document of :func:`why`. ``given``: the words of the command line: numbers, and paths of runs."""

    def is_number(text: str) -> bool:
        return not os.path.exists(text) and ("=" in text or printed_number(text.rstrip("%")) is not None)

    for text in given:
        name, _, value = text.partition(":")
        if not os.path.exists(text) and is_measure(name) and (not value or is_number(value)):
            hint = f'write it without blanks: "{name}={value or 0.3482}"'
            raise UsageError(f"the measure {quoted(text)} has no number", hint=hint)
    numbers = [text for text in given if is_number(text)]
    runs = [text for text in given if not is_number(text)]
    return why(runs=runs, numbers=numbers, progress=progress, **asked)


_ABOUT = (
    "A mean proves nothing. Chance: how many of the answers up to this one would be expected to give the"
    " numbers if the values near them, or as near to trec_eval's, were random; of several changes, the one"
    " that the fewest numbers speak for counts. Sets that predict the same values are one answer."
)


_NUMBER: Field = (
    ("@measure", "@query", "#printed"),
    lambda one: (one.measure or "?", one.query or "mean", one.printed),
)


def _page(document: WhyDocument) -> Page:
    """Answers, what to ask, and the numbers."""
    places = {id(answer): str(place) for place, answer in enumerate(document.answers, 1)}
    numbered: list[Field] = [("#no.", lambda answer: places[id(answer)]), ("answer", _says)]
    if any(answer.conventions or answer.tools for answer in document.answers):
        numbered += [("settings", _settings), ("tools known to compute so", _tools)]
    numbered += [("#chance", lambda a: None if a.chance is None else Figure(f"{a.chance:.2g}", a.chance))]
    answers = table("", document.answers, *numbered, limit=5, noun="answer")
    lacks = any(one.measure and not trec_eval_name(parse_measure(one.measure)) for one in document.numbers)
    value = f"#{'crosscheck' if lacks else 'trec_eval'}=value"
    asks = list(dict.fromkeys(answer.ask for answer in document.answers[:3] if answer.ask))
    return study_page(
        document,
        ("Numbers of ", *listed(document.runs, 3)),
        Section("Answers", [answers, Paragraph(_ABOUT)]),
        Section("What to ask the authors", [Bullets("", asks)]),
        Section("Numbers", [table("", document.numbers, _NUMBER, value, "@run", limit=10)]),
        status=Status.DIFFERS if document.answers[0].another else None,
    )


def _says(answer: WhyAnswer) -> str:
    others = f" ({count(answer.others, 'other set')} would give the same)" if answer.others else ""
    return f"{answer.says}{others}"


def _settings(answer: WhyAnswer) -> Text:
    """The settings for ``--conventions``; those of one measure only stand behind its name."""
    parts: list[str] = [Id(settings(answer.conventions))] if answer.conventions else []
    for measure, of in answer.by_measure.items():
        parts += [*(["; "] if parts else []), Id(measure), ": ", Id(settings(of))]
    return tuple(parts)


def _tools(answer: WhyAnswer) -> Text:
    """The profiles of an answer; none prints percentages, which is said where the numbers are percentages."""
    but = ("but for the percentage: ",) if answer.tools and _in_percent(answer.conventions) else ()
    return (*but, *listed(answer.tools, 6))


STUDY = study(
    WhyDocument,
    _of_words,
    _page,
    QRELS,
    run_files("RUN... [MEASURE=NUMBER | NUMBER]...", "given"),
    option("--table", "Rows of system, measure and value; a system is a run.", "CSV"),
    option("--values", "Saved values of single queries, where there are more.", "FILE"),
    option("--qrels-candidates", "Other qrels to try, such as another version.", "FOLDER"),
    code=lambda document: 0 if document.distinct else 3,
)
