"""Findings: comparisons with one explanation, by their status, in a sentence, in full, and in pictures."""

import math
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import attrgetter
from typing import TypeAlias

from msgspec import Struct

from crosscheck import results
from crosscheck.axes import axes
from crosscheck.axes.ties import TIES, WITHOUT_ORDER
from crosscheck.errors import count
from crosscheck.harness.settings import DEFAULT_REFERENCE
from crosscheck.report import page as block
from crosscheck.report.page import Block, Bullets, Details, Facts, Id, Section, Status, Text
from crosscheck.report.tables import Field, Printed, contrast, figure, figures, grouped, short, table, values
from crosscheck.report.words import cause_list, changes, in_axis_order, lines, listed, place, settings
from crosscheck.results import Cell, Comparison, Diagnosis, Document, as_float, finite, identity

#: Queries that differ, each with its comparison.
_Cells: TypeAlias = Sequence[tuple[Comparison, Cell]]


def status(comparison: Comparison) -> Status:
    """The status of a comparison; a mismatch that only informs is ``DIFFERS``, even if it was expected."""
    outcome = comparison.outcome
    if outcome == "mismatch" and comparison.informs:
        return Status.DIFFERS
    if outcome in ("match", "unsupported") and comparison.stale:
        return Status.STALE
    if comparison.expected:
        return {"match": Status.AGREE, "unsupported": Status.UNSUPPORTED}.get(outcome, Status.KNOWN)
    return Status.ERROR if outcome == "error" else Status.UNEXPECTED


def saved(document: Document) -> list[str]:
    """The candidates that are published or recorded numbers of the cases, which no backend computed."""
    computed = {backend.id for backend in document.backends}
    return [id for id in dict.fromkeys(c.candidate for c in document.comparisons) if id not in computed]


def differing(comparison: Comparison) -> str:
    """How many of the compared queries differ: ``1 of 50``, or ``mean only``."""
    number = comparison.mismatches + comparison.missing
    return f"{number:,} of {comparison.queries:,}" if number else "mean only"


def printed(comparison: Comparison) -> Printed:
    """The numbers of decimals that reference and candidate were printed with; None for full precision."""
    return comparison.reference_decimals, comparison.candidate_decimals


_NUMBERS = re.compile(r"\d[\d.,]*")
#: The clause of an explanation on ranks that fit as well as the one that it names.
_OF_RANKS = re.compile(r"any \w+ from [\d,]+ to [\d,]+ fits")


class Bundle(Struct, frozen=True):
    """One or more comparisons with the same candidate, reference, outcome and explanation."""

    comparisons: tuple[Comparison, ...]

    @property
    def first(self) -> Comparison:
        return self.comparisons[0]

    @property
    def diagnosis(self) -> Diagnosis | None:
        return self.first.diagnosis

    @property
    def causes(self) -> list[str]:
        """The labels of the explanation; empty if there is no explanation."""
        return list(self.diagnosis.causes) if self.diagnosis else []

    @property
    def strength(self) -> str:
        """The highest strength of the diagnoses of the comparisons; empty if there is no diagnosis."""
        held = (_strength(c.diagnosis) for c in self.comparisons if c.diagnosis)
        return min(held, key=_SURENESS.__getitem__, default="")

    @property
    def measures(self) -> list[str]:
        return list(dict.fromkeys(c.measure for c in self.comparisons))

    @property
    def places(self) -> list[Id]:
        """Case and run of each comparison."""
        return list(dict.fromkeys(map(place, self.comparisons)))


def bundles(comparisons: Iterable[Comparison]) -> list[Bundle]:
    """Bundle comparisons by candidate, reference, outcome and explanation.

    Bundles are sorted by their highest strength. Within a bundle, comparisons are sorted by strength, those
    with another mean first, then by difference, the largest first; a difference of NaN precedes all numbers.
    """

    def explained(c: Comparison) -> tuple[object, ...]:
        d = c.diagnosis
        formula = d.recognised.formula.replace(c.measure, "") if d and d.recognised else ""
        why = (tuple(d.causes), whole(d), formula) if d else _NUMBERS.sub("#", c.message or "")
        return c.candidate, c.reference, c.outcome, why

    def first(c: Comparison) -> tuple[int, bool, float]:
        size = as_float(c.max_abs_diff or 0.0)
        sure = _SURENESS[_strength(c.diagnosis)] if c.diagnosis else 0
        return sure, c.mean.match, -math.inf if math.isnan(size) else -size

    made = [Bundle(tuple(sorted(some, key=first))) for some in grouped(comparisons, explained).values()]
    return sorted(made, key=lambda bundle: _SURENESS.get(bundle.strength, 4))


#: Strength -> its position in the order in which findings are listed.
_SURENESS = {"proved": 0, "consistent": 1, "per-query": 2, "none": 3}


def _strength(diagnosis: Diagnosis) -> str:
    """The strength of the recognised formula, if there is one; else that of the conventions."""
    return diagnosis.recognised.strength if diagnosis.recognised else diagnosis.strength


def whole(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis explains all values that were compared, not only a part of them."""
    return diagnosis.strength in ("proved", "consistent")


def alternatives(bundle: Bundle) -> Iterator[tuple[str, list[tuple[results.Alternative, int]]]]:
    """Other explanations of a bundle and the number of comparisons that each fits, highest first: those that
    may be the cause instead (``or``), and those that fit beside a proved one, which only those do that give
    ``the same`` values of the measure on every input."""
    for name, proved in (("or", False), ("the same", True)):
        held = [c.diagnosis for c in bundle.comparisons if c.diagnosis]
        every = (other for d in held if (d.strength == "proved") is proved for other in d.alternatives)
        same = grouped(every, lambda other: (*other.causes, *sorted(other.conventions.items())))
        if same:
            yield name, sorted(((s[-1], len(s)) for s in same.values()), key=lambda entry: -entry[1])


def worst(bundle: Bundle) -> list[tuple[Comparison, Cell]]:
    """All differing queries of a bundle, each with its comparison.

    Differences that are NaN or infinite come first, then finite differences, the largest first. Queries
    without a value on one side come last.
    """

    def severity(entry: tuple[Comparison, Cell]) -> tuple[int, float]:
        before, after = entry[1].reference_value, entry[1].candidate_value
        if before is None or after is None:
            return 2, 0.0
        size = abs(as_float(after) - as_float(before))
        return (1, -size) if math.isfinite(size) else (0, 0.0)

    return sorted(((c, cell) for c in bundle.comparisons for cell in c.cells), key=severity)


def subject(bundle: Bundle) -> Id | str:
    """The causes of a mismatch, or the status of another outcome, for titles."""
    first = bundle.first
    if first.diagnosis and first.diagnosis.recognised:
        return Id(first.diagnosis.recognised.formula)
    return Id(cause_list(bundle.causes)) if first.outcome == "mismatch" else str(status(first))


_NO_CONVENTIONS = "none: no known conventions give the values that differ"


def evidence(bundle: Bundle) -> str:
    """The strength of the explanation and the number of queries it reproduces; empty without a diagnosis."""
    if bundle.diagnosis is None:
        return ""
    if not bundle.diagnosis.trusted:
        return "none: no cause was looked for"
    if known := bundle.diagnosis.recognised:
        doubt = f", not proved: {known.doubt}" if known.doubt else ""
        formula = f"{known.formula}{' under these conventions' * bool(known.conventions)}"
        return f"{known.strength}{doubt}; {formula} gives all {count(known.values, 'value')}"
    strength = bundle.diagnosis.strength
    diagnoses = [c.diagnosis for c in bundle.comparisons if c.diagnosis and c.diagnosis.strength == strength]
    numbers = ("reproduced", "of", "fits", "tried")
    held, total, fits, tried = (sum(getattr(d, name) for d in diagnoses) for name in numbers)
    values = f"{held:,} of {count(total, 'query')}" if total else "the mean, the only number there is"
    if len(diagnoses) > 1:
        values += f" (summed over {len(diagnoses):,} comparisons)"
    what = "these conventions reproduce" if bundle.diagnosis.conventions else "this explains"
    sets = f"{fits:,} of {tried:,} sets of conventions {'does' if fits == 1 else 'do'}"
    why = sets if tried and total else "another reason is not excluded"
    rest = "the mean is not" if held == total else "the others are not"
    said = {
        "proved": f"proved: {what} {values}",
        "consistent": f"consistent, not proved: {what} {values}; {why}",
        "per-query": f"per query: {values} can be reproduced, but no set of conventions gives all",
        "none": f"none: {values} can be reproduced, {rest}" if held else _NO_CONVENTIONS,
    }
    return said[strength] if total or strength != "none" else f"none: {values}, cannot be reproduced"


#: The largest number of further measures that a sentence names.
_MEASURES = 4


def finding(group: Bundle) -> Text:
    """The sentence about a bundle, with the query and the document that show the difference."""
    first = group.first
    tool = Id(first.candidate)
    match status(first):
        case Status.STALE:
            gone = first.message or "a declared difference no longer happens"
            return (tool, ", ", *_where(group), f": {gone}.")
        case Status.ERROR:
            failed = next(iter(lines(first.message or "")), "") or "it failed without a message"
            return (tool, " failed on ", *_where(group), ": ", failed)
        case _ if first.outcome != "mismatch":
            return (tool, ", ", *_where(group), f": {first.outcome}, which is not as declared.")
    cause, pointers = _because(group)
    sure = f"; {group.strength}" if first.diagnosis and group.strength != "none" else ""
    measure, reference = Id(first.measure), Id(first.reference)
    both = first.mean.reference_value, first.mean.candidate_value
    mean = contrast(*both, printed(first))
    if first.mean.match:
        near = "nearly " * (len({f"{as_float(value or 0.0):.4f}" for value in both}) > 1)
        means = (f" has {near}the same mean ", measure, " as ", reference, ", but other values of queries")
    else:
        means = (" prints ", measure, f" {mean.candidate} where ", reference, f" prints {mean.reference}")
    queries = "only means were compared"
    if first.queries:
        differ = differing(first)
        noun = "query" if first.queries == 1 else "queries"
        queries = "only the mean" if differ == "mean only" else f"{differ} {noun}"
        left = sum(cell.causes == ["unexplained"] for cell in first.cells)
        if left and group.strength == "per-query":
            queries += f", {left:,} of them unexplained"
    return (tool, *means, ": ", *cause, f" ({queries}{sure}).", *pointers, *_example(first), *_also(group))


#: The largest number of changes of conventions that a sentence spells out.
_CLAUSES = 3
#: If all of so many saved values or more differ, and nothing explains them, they may be of another run.
_MANY = 10


def _because(group: Bundle) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A clause with the cause of a mismatch, and a sentence with pointers to it; empty without pointers."""
    diagnosis = group.diagnosis
    if diagnosis and not diagnosis.trusted:
        return ("no cause is named",), ()
    if diagnosis and diagnosis.recognised:
        others = () if "unexplained" in group.causes else (" Or ", Id(cause_list(group.causes)), ".")
        return recognised(diagnosis.recognised), others
    clauses = diagnosis.explanation.removesuffix(".").split("; ") if diagnosis else [""]
    if group.causes in ([], ["unexplained"]):
        if lacking := _lacking(group.first):
            return (lacking,), ()
        if clauses[0].startswith(results.NOT_REPRODUCED):
            what = " itself is not what a known convention gives for this run and these qrels"
            return (Id(group.first.reference), what), ()
        idle = not clauses[0] or clauses[0].startswith(results.NOTHING_KNOWN)
        first, another = group.first, ": perhaps it is of another run or other judgements"
        all_saved = first.candidate.startswith(_SAVED) and first.mismatches == first.queries >= _MANY
        return (f"no known convention explains it{another * all_saved}" if idle else clauses[0],), ()
    assert diagnosis is not None  # and reservations come last
    number = len(diagnosis.conventions if whole(diagnosis) else group.causes)
    clause = "; ".join(clauses[: min(max(number, 1), _CLAUSES)])
    if group.causes[0] == "unexplained":
        clause = clauses[0]
        return (clause,), (" Pointers: ", Id(cause_list(group.causes[1:])), ".")
    does = _does(diagnosis)
    said = ("it ", does) if does else (Id(cause_list(group.causes)), f", {clause}" if clause else "")
    same = (one for one in diagnosis.rivals if one.endswith(results.FOR_EVERY_QUERY))
    alike = [f"the candidate has {one}; perhaps " for one in same if group.strength == "consistent"]
    open_ranks = "".join(f"; {found[0]}" for found in _OF_RANKS.finditer(diagnosis.explanation))
    if not group.first.queries and group.strength == "consistent":
        return ("perhaps ", *said, open_ranks, "; or it is another run"), ()
    sets = [settings(other.conventions) for other in diagnosis.alternatives if len(other.conventions) == 1]
    rivals = _or(sets if group.strength == "consistent" else ())[1:]
    return (*alike, *said, open_ranks), (" Or ", *rivals, ".") if rivals else ()


#: The largest number of rivals of a recognised formula, or of conventions, that a sentence names.
_RIVALS = 2


def _or(rivals: Sequence[str]) -> tuple[str, ...]:
    """The rivals, each after " or "."""
    more = len(rivals) - _RIVALS
    others = (f" or {count(more, 'other')}",) if more > 0 else ()
    return (*(part for rival in rivals[:_RIVALS] for part in (" or ", Id(rival))), *others)


def recognised(known: results.Recognised) -> tuple[str, ...]:
    """The other measure or formula that a candidate computes: ``it is P@20``."""
    changed = (" with ", Id(settings(known.conventions))) if known.conventions else ()
    return ("it is ", Id(known.formula), *changed, " whatever k" * known.whatever_k, *_or(known.rivals))


def _lacking(c: Comparison) -> str:
    """A clause on the queries that one side has no value for, or the candidate 0 or NaN, if all others agree;
    else empty."""
    theirs = sum(cell.candidate_value is None for cell in c.cells)
    ours = sum(cell.reference_value is None for cell in c.cells)
    held, sides = {str(cell.candidate_value) for cell in c.cells}, list[str]()
    if not c.missing and held in ({"0.0"}, {"NaN"}):
        sides = [f"it has {'NaN' if 'NaN' in held else '0'} for {count(c.mismatches, 'query')}"]
    elif not c.mismatches and theirs + ours == c.missing:
        both = (("it", theirs), ("the reference", ours))
        sides = [f"{who} has no value for {count(number, 'query')}" for who, number in both if number]
    rest = c.queries - c.mismatches - c.missing
    agree = f"{rest:,} agree" if rest > 1 else "agrees"
    return f"{', '.join(sides)}, and the other {agree}" if sides and rest else ""


def _does(diagnosis: Diagnosis) -> str | None:
    """The behaviour of the tool as verbs of a sentence; None unless conventions explain all differences."""
    if not whole(diagnosis) or not diagnosis.conventions:
        return None
    reference, known = diagnosis.reference_conventions, axes()
    clauses = [
        known[axis].does(reference[axis], value) if axis in known and axis in reference else None
        for axis, value in in_axis_order(diagnosis.conventions)
    ]
    return " and ".join(filter(None, clauses)) if all(clauses) else None


def _example(c: Comparison) -> tuple[str, ...]:
    """A clause with the query of the first cause that differs most, and the document that causes this
    difference."""
    cells = [cell for _, cell in worst(Bundle((c,)))]
    named = c.diagnosis.causes[0] if c.diagnosis and c.diagnosis.causes else ""
    cells = [cell for cell in cells if named in cell.causes] or cells
    shown = next((cell for cell in cells if cell.documents), next(iter(cells), None))
    if shown is None:
        return ()
    query = (" Query ", Id(shown.query))
    given = [c.diagnosis.conventions, c.diagnosis.reference_conventions] if c.diagnosis else []
    if shown.documents and WITHOUT_ORDER.isdisjoint(of.get(TIES.name) for of in given):
        document = shown.documents[0]
        level = "unjudged " if document.rel is None else "relevant " if document.rel > 0 else "nonrelevant "
        return (*query, f": {level}document ", Id(document.docno), f" {_change(document)}.")
    values = contrast(shown.reference_value, shown.candidate_value, printed(c))
    return (*query, f": {values.candidate} instead of {values.reference}.")


def _change(d: results.TiedDocument) -> str:
    """A verb phrase about a document: how its rank changes, or what it adds to the value at the same rank."""
    before, after = d.reference_rank, d.candidate_rank
    if before is None or after is None:
        return f"is left out, from rank {before:,}" if before is not None else f"comes in at rank {after:,}"
    if before != after:
        return f"moves from rank {before:,} to {after:,}"
    if d.reference_adds is None or d.candidate_adds is None:
        return f"stays at rank {before:,}"
    adds = contrast(d.reference_adds, d.candidate_adds)
    return f"at rank {before:,} adds {adds.candidate} instead of {adds.reference}"


def _also(group: Bundle) -> tuple[str, ...]:
    """A sentence that names the other measures and runs with the same finding; nothing if there are none."""
    rest = group.comparisons[1:]
    if not rest:
        return ()
    proved = group.strength == "proved"
    strong = (c.measure for c in rest if not (proved and c.diagnosis and _strength(c.diagnosis) != "proved"))
    others = [measure for measure in dict.fromkeys(strong) if measure != group.first.measure]
    weaker = [m for m in dict.fromkeys(c.measure for c in rest) if m not in (*others, group.first.measure)]
    where = f" in {count(len(group.places), 'run')}" if len(group.places) > 1 else ""
    if not weaker:
        also = (" Also ", *listed(others, _MEASURES)) if others else (" The same",)
        return (*also, f"{where}.")
    also = (" Also ", *listed(others, _MEASURES), f"{where}; not") if others else (" Not",)
    return (*also, " proved: ", *listed(weaker, _MEASURES), ".")


def _where(group: Bundle) -> tuple[str, ...]:
    first, *others = group.places
    runs = (f" in {count(len(others) + 1, 'run')}",) if others else (" of ", first)
    return (*listed(group.measures, _MEASURES), *runs)


#: Comparisons and queries of a group that a short report shows, and messages that every report shows.
_ROWS, _QUERIES, _MESSAGES = 3, 3, 3


def section(document: Document, group: Bundle, anchor: str) -> Section:
    """The section about a bundle: means, queries and facts, then everything else in a folded block."""
    first, about, cells = group.first, subject(group), worst(group)
    blocks: list[Block] = [*_tables(group, cells), Facts(list(_facts(group, cells)))]
    # The first comparison with evidence, if one has some.
    held = {identity(exhibit): exhibit for exhibit in document.evidence}
    shown = next((c for c in group.comparisons if identity(c) in held), first)
    drawn = pictures(shown, held.get(identity(shown)), anchor.removeprefix("finding-"))
    rest = [*_more(group, cells), *drawn]
    rest += _command(document, first, cells) if first.outcome == "mismatch" else ()
    tags = {"tool": [first.candidate], "status": [str(status(first))], "cause": group.causes}
    tags |= {"measure": group.measures, "case": list(dict.fromkeys(c.case for c in group.comparisons))}
    blocks.append(Details(("More of ", Id(first.candidate), ", ", about), rest))
    return Section((Id(first.candidate), ": ", about), blocks, anchor, tags)


def _tables(group: Bundle, cells: _Cells) -> Iterator[Block]:
    """The means of a mismatch, and the queries that differ most."""
    several_runs: list[Field] = [("@case / run", lambda of: place(of[0]))] * (len(group.places) > 1)
    several: list[Field] = [("@measure", lambda of: of[0].measure)]
    if group.first.outcome == "mismatch":
        means = values(lambda of: (of[0].mean.reference_value, of[0].mean.candidate_value, printed(of[0])))
        fields = [*several, means, ("#differ", lambda of: differing(of[0])), *several_runs]
        yield table("", [(c,) for c in group.comparisons], *fields, limit=_ROWS, noun="comparison")
    fields = [
        ("@query", lambda of: of[1].query),
        *several * (len(group.measures) > 1),
        values(lambda of: (of[1].reference_value, of[1].candidate_value, printed(of[0]))),
        *several_runs,
    ]
    if not (group.diagnosis and group.diagnosis.recognised):
        fields.append(("@cause", lambda of: cause_list(of[1].causes)))
    yield table("", cells, *fields, limit=_QUERIES, noun="query value")


def _facts(group: Bundle, cells: _Cells) -> Iterator[tuple[str, Text]]:
    first, diagnosis = group.first, group.diagnosis
    if first.outcome != "mismatch":
        yield from _first(_places(group, 3, 8), 3)
    reasons = dict.fromkeys(c.reason for c in group.comparisons if c.reason)
    yield from _first([("declared", reason) for reason in reasons], 3)
    if first.message:
        yield "message", "; ".join(line.strip() for line in lines(first.message))
    if diagnosis is None:
        return
    asked = diagnosis.fresh
    yield "evidence", evidence(group) + (f"; {asked.met} of {asked.asked} fresh inputs" if asked else "")
    parts = diagnosis.explanation.removesuffix(".").split("; ")
    known = diagnosis.recognised  # then these are of the other explanation
    if diagnosis.strength == "none" and not known:
        yield "reason", diagnosis.explanation
    elif diagnosis.strength == "consistent" and len(parts) > max(len(diagnosis.conventions), 1) and not known:
        yield "doubt", (Id(first.measure), f": {parts[-1]}")
    if diagnosis.conventions:
        name = "or" if known else "conventions" if whole(diagnosis) else "in part"
        label = next(cause for cause in group.causes if cause != "unexplained")
        yield name, (Id(settings(diagnosis.conventions)), f" (crosscheck explain {label})")
    yield from (("ties", text) for text in islice(_ties(cells), 1))
    for name, others in alternatives(group):
        texts = listed([f"{cause_list(o.causes)} ({settings(o.conventions)})" for o, _ in others], 1)
        if name == "the same":
            yield name, (*texts, ", for this measure")
        elif diagnosis.strength != "proved":
            yield name, texts
    if diagnosis.separate_by and diagnosis.strength != "proved":
        yield "to decide", diagnosis.separate_by


def _places(group: Bundle, runs: int, measures: int) -> list[tuple[str, Text]]:
    """Rows ``where`` of the report, in order of appearance: one row for each set of measures, which lists the
    runs that have the finding on exactly these measures."""
    at = grouped(group.comparisons, place)
    compared = {where: tuple(dict.fromkeys(c.measure for c in some)) for where, some in at.items()}
    folded = grouped(compared, compared.__getitem__)
    return [("where", (*listed(of, runs), ": ", *listed(names, measures))) for names, of in folded.items()]


def _first(rows: list[tuple[str, Text]], most: int) -> list[tuple[str, Text]]:
    """The first ``most`` of rows that have the same name, and a row with the number of further rows."""
    rest = len(rows) - most
    return [*rows[:most], (rows[0][0], f"and {rest:,} more")] if rest > 0 else rows


def _ties(cells: _Cells) -> Iterator[Text]:
    """The range of values over all orders of tied documents, for each query with such a range."""
    for c, cell in cells:
        if (ties := cell.ties) is not None:
            text = f": any order of the tied documents gives {short(ties.worst)} to {short(ties.best)}"
            text += "" if ties.expected is None else f", {short(ties.expected)} on average"
            yield ("query ", Id(cell.query), ", ", Id(c.measure), text)


def _other(other: results.Alternative, fits: int, group: Bundle) -> Text:
    size = len(group.comparisons)
    scope = "" if size == 1 else f", in {fits:,} of {count(size, 'comparison')}"
    return (Id(cause_list(other.causes)), ": ", changes(other.conventions), scope)


def _more(group: Bundle, cells: _Cells) -> Iterator[Block]:
    """Blocks for the folded part: the diagnosis in words, alternatives, ties, documents, notes, messages."""
    first, diagnosis = group.first, group.diagnosis
    rows: list[tuple[str, Text]] = []
    if diagnosis is not None:
        rows.append(("cause", (Id(cause_list(group.causes)), ": ", diagnosis.explanation)))
    rows += _first(_places(group, 10, 20), 10)
    ulps = max((c.max_ulp for c in group.comparisons if c.max_ulp is not None), default=0)
    if 0 < ulps <= 1000:
        rows.append(("largest", f"{ulps:,} ULP (steps from one double-precision number to the next)"))
    for side, name in (("candidate", first.candidate), ("reference", first.reference)):
        ids = list(dict.fromkeys(cell.query for _, cell in cells if cell.outcome == f"missing-in-{side}"))
        if ids:
            lacks = " has none where the other has one: query "
            rows.append(("no value", (Id(name), lacks, *listed(ids, 10))))
    for name, others in alternatives(group):
        rows += _first([(name, _other(other, fits, group)) for other, fits in others], 10)
    if diagnosis and (fresh := diagnosis.fresh) and fresh.met < fresh.asked:
        # The smallest fresh input whose value the conventions do not predict; else why the test failed.
        numbers = f": {short(fresh.found)} instead of {short(fresh.expected)}"
        found = ("query ", Id(fresh.query or ""), numbers)
        failed = fresh.failure or "not all of them are predicted"
        rows.append(("fresh inputs", failed if fresh.query is None else found))
    yield Facts(rows)
    yield Bullets("What the order of tied documents can make of it", [*islice(_ties(cells), 20)], limit=5)
    yield from islice((_documents(c, cell) for c, cell in cells if cell.documents), 1)
    yield Bullets("Notes", list(dict.fromkeys(note for c in group.comparisons for note in c.notes)))
    messages = list(dict.fromkeys(c.message for c in group.comparisons if c.message))
    yield from map(block.Message, messages[:_MESSAGES])
    yield Bullets("", [*filter(None, [block.more(messages, messages[:_MESSAGES], "message")])])


def _documents(c: Comparison, cell: Cell) -> block.Table:
    title = ("Documents that make the difference in query ", Id(cell.query), " of ", place(c))
    fields: list[Field] = [
        *("@docno", ("#score", lambda d: figure(d.score, full=True))),
        ("#relevance", lambda d: "not judged" if d.rel is None else d.rel),
        *("#rank in reference=reference_rank", "#in candidate=candidate_rank"),
    ]
    return table(title, cell.documents, *fields, limit=10, noun="document")


def _command(document: Document, c: Comparison, cells: _Cells) -> Iterator[block.Command]:
    """The command that repeats a comparison for the query that differs most (if there is one). Nothing if the
    files of the comparison are not known."""
    files = next((i for i in document.inputs if (i.case, i.run) == (c.case, c.run)), None)
    if files is None or not files.run_path:
        return
    query = next((["--query", cell.query] for of, cell in cells if of is c), [])
    reference = [] if c.reference == DEFAULT_REFERENCE else ["--reference", c.reference]
    if c.reference.startswith(_SAVED) and c.candidate.startswith(_SAVED):
        paths = {one.id: one.engine.removeprefix("recorded in ") for one in document.backends}
        both = (c.reference, c.candidate)
        sides = [max(side.removeprefix(_SAVED), paths.get(side, ""), key=len) for side in both]
        call = ["diff", *sides, "--qrels", files.qrels_path, "--run", files.run_path, "-m", c.measure]
    elif c.candidate in saved(document):
        call = [os.path.dirname(files.qrels_path) or ".", "-m", c.measure, *query, *reference]
    else:
        call = [files.qrels_path, files.run_path, "-m", c.measure, "-b", c.candidate, *query, *reference]
    yield block.Command(shlex.join(["crosscheck", *call]), "To see this alone")


_SAVED = "recorded:"


def pictures(c: Comparison, exhibit: results.Exhibit | None, name: str) -> Iterator[Block]:
    """The charts of a comparison, whose names begin with ``name``, and the rankings in its evidence.

    A chart of the steps from the reference's mean to the candidate's mean, and a chart of all queries. A
    chart without numbers is left out.
    """
    sides, where = (c.reference, c.candidate), f"{c.measure} of {place(c)}"
    before = finite(c.mean.reference_value)
    if exhibit is not None and before is not None and exhibit.steps:
        ends = pairwise([before, *(as_float(step.mean) for step in exhibit.steps)])
        marks = [block.Mark(s.cause, *values, s.cause) for s, values in zip(exhibit.steps, ends, strict=True)]
        order = "causes in the order of an evaluation" if len(marks) > 1 else "one cause"
        caption = f"From {marks[0].reference:.4f} to {marks[-1].candidate:.4f}: {order}."
        yield block.Chart(f"{name}-waterfall", "waterfall", f"Mean {where}", caption, sides, marks, "cause")
    marks = []
    for cell in c.cells:
        first, last = finite(cell.reference_value), finite(cell.candidate_value)
        if first is not None and last is not None:
            band = (finite(cell.ties.worst), finite(cell.ties.best)) if cell.ties else ()
            marks.append(block.Mark(Id(cell.query), first, last, cause_list(cell.causes), *band))
    higher = sum(mark.candidate > mark.reference for mark in marks)
    which = f"{higher:,} of {count(c.queries, 'query')} {'is' if higher == 1 else 'are'}"
    caption = f"{which} higher by the candidate, {len(marks) - higher:,} lower."
    agreeing = exhibit.agreeing.items() if exhibit else ()
    same = [block.Mark(Id(query), as_float(value), as_float(value)) for query, value in agreeing]
    if marks and len(marks) + len(same) > 2:
        yield block.Chart(f"{name}-dots", "dots", where, caption, sides, [*marks, *same])
    for one in exhibit.rankings if exhibit else ():
        title = "Ideal lists of query ", Id(one.query)
        yield table(title, one.ideal, *ideal_fields("reference", "candidate"), noun="rank")
        shown = next((cell for cell in c.cells if cell.query == one.query), None)
        both = (shown.reference_value, shown.candidate_value) if shown else (None, None)
        values = figures(*both, printed(c))
        reference = block.Side(Id(c.reference), values[0], one.reference_ranking)
        candidate = block.Side(Id(c.candidate), values[1], one.candidate_ranking)
        omitted = one.documents - len(one.reference_ranking)
        yield block.RankingPair(("Query ", Id(one.query), ", ", Id(c.measure)), reference, candidate, omitted)


def ideal_fields(*sides: str) -> Iterator[Field]:
    """The columns of two ideal lists: the gain at each rank, and the DCG up to it."""
    yield "#rank"
    for side, name in zip(("reference", "candidate"), sides, strict=True):
        yield f"#gain, {name}", attrgetter(f"{side}_gain")
        yield f"#DCG, {name}", attrgetter(f"{side}_sum")
