"""The page of ``crosscheck run`` and ``diff``: the answer, every finding, then what was compared."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

from crosscheck import results
from crosscheck.compare import LEAST_OF_MEANS, same
from crosscheck.errors import count, joined
from crosscheck.evaluation.sentence import sentences
from crosscheck.harness.document import ExitCode, absent_backends, exit_code
from crosscheck.report import page as block
from crosscheck.report.finding import Bundle, bundles, differing, finding, printed, saved, section, status
from crosscheck.report.kinds import DocumentKind, meanings, page, paper
from crosscheck.report.page import FAILING, Block, Bullets, Details, Id, Matrix, Section, Status, Text
from crosscheck.report.tables import Field, as_printed, contrast, contrasts, grouped, short, table, values
from crosscheck.report.words import cause_list, clip, in_row, listed, place, settings
from crosscheck.results import Comparison, Document, Identity, identity

#: The number of findings that are shown in full; further findings are folded.
_IN_FULL = 5


def run_page(document: Document) -> block.Page:
    """The page of a run: the differences and their causes, then agreement, inputs and tools."""
    by_status = grouped(document.comparisons, status)
    trouble = [group for wanted in TROUBLE for group in bundles(by_status.get(wanted, []))]
    known = bundles(by_status.get(Status.KNOWN, []))
    numbered = enumerate([*trouble, *known], 1)
    anchors = {identity(c): f"finding-{n}" for n, bundle in numbered for c in bundle.comparisons}
    sections = [section(document, group, anchors[identity(group.first)]) for group in (*trouble, *known)]
    full = min(sum(status(group.first) is not Status.DIFFERS for group in trouble), _IN_FULL)
    good = exit_code(document) is ExitCode.AS_EXPECTED
    rest = sections[full : len(trouble)]
    overview = matrix(document, anchors)
    blocks: list[Block] = [
        overview,
        *sections[:full],
        Details(f"{count(len(rest), 'more finding' if full else 'finding')} in full", rest),
        *([] if overview.valued else agreement(document)),
        *notes(document),
        *by_group(document),
        *impacts(document, folded=good),
        _known(known, sections[len(trouble) :]),
        tools(document),
        meanings(label for group in (*trouble, *known) for label in group.causes),
        Details("What was compared", [block.Facts(list(_compared(document))), _tolerance(document)]),
        Details("Every comparison", [_every(document)]),
        for_the_paper(document),
    ]
    findings = [block.Finding(status(g.first), finding(g), anchors[identity(g.first)]) for g in trouble]
    failing = (one.status for one in findings if one.status in FAILING)
    mark = Status.AGREE if good else next(failing, Status.ERROR)
    mark = Status.UNEXPECTED if document.broken else mark
    cases = list(dict.fromkeys(c.case for c in document.comparisons))
    title = ("crosscheck: ", *listed(cases, 3)) if cases else "crosscheck"
    answer = block.Verdict(mark, verdict(document), _about(document), findings)
    return page(document, title, answer, blocks, brief=good and not document.groups)


def _about(document: Document) -> Text:
    """Reference and number of cases, runs and measures, in one line."""
    comparisons = document.comparisons
    runs = dict.fromkeys([(i.case, i.run) for i in document.inputs] + [(c.case, c.run) for c in comparisons])
    sizes = {"case": {case for case, _ in runs}, "run": runs, "measure": {c.measure for c in comparisons}}
    counts = ", ".join(count(len(some), noun) for noun, some in sizes.items())
    used = {c.reference for c in comparisons}
    reference = used.pop() if len(used) == 1 else document.reference
    version = next((b.version for b in document.backends if b.id == reference), "")
    main = {c.measure for c in comparisons if c.reference == reference}
    others = grouped((c for c in comparisons if c.measure not in main), lambda c: c.reference)
    first = Id(f"{reference} {version}".rstrip())
    parts = [(Id(of), " for ", *listed(dict.fromkeys(map(_measure, some)), 3)) for of, some in others.items()]
    return ("Reference ", *in_row([(first,), *parts]), f"; {counts}.")


def _known(known: Sequence[Bundle], sections: Sequence[Section]) -> Block:
    """Declared differences, one line per tool and cause."""
    fields: list[Field] = [
        ("@tool", lambda group: group.first.candidate),
        ("@cause", lambda g: cause_list(g.causes) if g.first.outcome == "mismatch" else g.first.outcome),
        *(("#times", lambda group: len(group.comparisons)), ("declared", _declared)),
    ]
    return Details("What differs as declared", [table("", known, *fields, limit=40, noun="cause"), *sections])


def _declared(group: Bundle) -> Text:
    more = len({c.case for c in group.comparisons}) - 1
    where = f" and {count(more, 'more case')}" if more else ""
    return (Id(group.first.case), where, f": {group.first.reason or 'no reason given'}")


def _every(document: Document) -> block.Table:
    """A table of all comparisons; comparisons that differ come first."""
    fields: list[Field] = [
        *(("!", status), "@tool=candidate", "@measure", ("@case / run", place)),
        values(lambda c: (c.mean.reference_value, c.mean.candidate_value, printed(c))),
        ("#differ", lambda c: differing(c) if c.outcome == "mismatch" else ""),
        ("@cause", lambda c: cause_list(c.diagnosis.causes) if c.diagnosis else ""),
    ]
    return table("", sorted(document.comparisons, key=urgency), *fields, noun="comparison")


KIND = DocumentKind("run", Document, run_page)


#: The statuses that a report shows first, in this order; below, all statuses in their order.
TROUBLE = (*FAILING, Status.DIFFERS)
_ORDER = (*TROUBLE, Status.KNOWN, Status.AGREE, Status.UNSUPPORTED)


#: The largest number of columns of values of several runs.
_VALUES = 12


_measure = attrgetter("measure")


def matrix(document: Document, anchors: dict[Identity, str]) -> Matrix:
    """The matrix of tools by measures. For a few inputs it shows the value that each tool prints; for more,
    the worst status of each tool on each measure and the number of queries that differ. Measures with the
    worst status on most runs come first."""
    places = {place(c) for c in document.comparisons}
    cases, by_measure = {c.case for c in document.comparisons}, grouped(document.comparisons, _measure)
    if len(cases) == 1 and (len(places) == 1 or len(places) * len(by_measure) <= _VALUES):
        return _values(document, anchors)
    fold = _folded(document, 3)
    by_cell = grouped(document.comparisons, lambda c: (fold.get(c.candidate, c.candidate), c.measure))

    def cell(tool: str, measure: str) -> block.Finding | None:
        if (tool, measure) not in by_cell:
            return None
        worst = min(by_cell[tool, measure], key=urgency)
        same = (c for c in by_cell[tool, measure] if status(c) is status(worst))
        queries = sum(c.mismatches + c.missing for c in same)
        text = f"{queries:,} q" if queries else ""
        return block.Finding(status(worst), text, anchors.get(identity(worst), ""))

    rows, columns = ([Id(name) for name in dict.fromkeys(key[part] for key in by_cell)] for part in (0, 1))
    runs = Counter(measure for _, _, measure in {(c.case, c.run, c.measure) for c in document.comparisons})
    # Differences come first, so that they are visible without scrolling.
    worst = {m: min(map(urgency, some)) for m, some in by_measure.items()}
    columns.sort(key=lambda measure: (worst[measure], -runs[measure]))
    return Matrix("Tools and measures", rows, columns, [[cell(tool, m) for m in columns] for tool in rows])


def _values(document: Document, anchors: dict[Identity, str]) -> Matrix:
    """The value of each tool on each measure. A column has enough digits to show how the tools differ."""
    several = len({c.run for c in document.comparisons}) > 1
    asked = [c for c in document.comparisons if c.outcome != "unsupported"]
    had = {c.measure for c in asked or document.comparisons}
    wanted = [c for c in document.comparisons if c.measure in had]
    columns = grouped(wanted, lambda c: Id(f"{c.measure}, {c.run}" if several else c.measure))

    def own_mean(c: Comparison) -> results.Number | None:
        """The candidate's mean; the reference's mean if there is no difference to show."""
        pair = c.mean.reference_value, c.mean.candidate_value
        before, after = (None if mean is None else results.as_float(mean) for mean in pair)
        return pair[0] if same(before, after, decimals=c.decimals) else pair[1]

    cells: dict[Id, dict[Id, block.Finding | block.Figure]]
    cells = {Id(c.reference): {} for c in document.comparisons}
    for name, some in columns.items():
        texts = contrasts([(c.mean.reference_value, own_mean(c), printed(c)) for c in some])
        for c, text in zip(some, texts, strict=True):
            shown = c.outcome in ("match", "mismatch")
            mean = c.mean.reference_value
            value = None if mean is None else results.as_float(mean)
            before = block.Figure(text.reference, value) if shown or mean is not None else None
            # What was printed also where it agrees with more digits of the reference.
            own = as_printed(c.mean.candidate_value, text.candidate, c.candidate_decimals) if shown else ""
            one = block.Finding(status(c), own, anchors.get(identity(c), ""))
            cells.setdefault(Id(c.candidate), {})[name] = one
            held = cells[Id(c.reference)].get(name)
            if before and not (isinstance(held, block.Figure) and len(held.text) >= len(before.text)):
                cells[Id(c.reference)][name] = before
    rows = [[cells[tool].get(name) for name in columns] for tool in cells]
    return Matrix("", [*cells], [*columns], rows, valued=True)


def _folded(document: Document, most: int) -> dict[str, str]:
    """Candidate -> common name, for candidates with saved numbers if there are more than ``most``."""
    own = saved(document)
    return dict.fromkeys(own, f"saved numbers ({len(own)})") if len(own) > most else {}


def agreement(document: Document) -> Iterator[Block]:
    """A table: how often each candidate agrees, and the causes of its declared differences. All candidates
    with saved numbers share one row."""
    names = {b.id: f"{b.id} {b.version}".rstrip() for b in document.backends} | _folded(document, 1)
    by_name = grouped(document.comparisons, lambda c: names.get(c.candidate, c.candidate))
    counts = {name: Counter(map(status, some)) for name, some in by_name.items()}
    fields: list[Field] = [("!", lambda row: min(row[1], key=_ORDER.index)), ("@tool", lambda row: row[0])]
    fields.append(("#compared", lambda row: row[1].total()))
    fields += [_times(wanted) for wanted in Status if wanted in {Status.AGREE}.union(*counts.values())]
    yield table("", list(counts.items()), *fields, limit=6, noun="tool")
    yield block.Facts([(Id(name), causes) for name, some in by_name.items() if (causes := _labels(some))])


def _labels(some: Sequence[Comparison]) -> Text:
    """The causes of declared differences with their numbers, the most frequent first."""
    known = (c.diagnosis for c in some if status(c) is Status.KNOWN)
    counted = Counter(cause_list(one.causes) for one in known if one).most_common()
    parts: list[tuple[str, ...]] = [(Id(cause), f" {number:,}") for cause, number in counted[:_CAUSES]]
    rest = len(counted) - _CAUSES
    return in_row(parts + [(f"{rest:,} more",)] * (rest > 0))


#: The largest number of causes that are named beside a tool.
_CAUSES = 6


def _times(wanted: Status) -> Field:
    return f"#{wanted.upper() if wanted in FAILING else wanted}", lambda row: row[1][wanted]


def urgency(comparison: Comparison) -> int:
    """The position of a comparison's status in the order of reports; 0 comes first."""
    return _ORDER.index(status(comparison))


def impacts(document: Document, *, folded: bool) -> Iterator[Block]:
    """For cases with several runs: whether the mismatches change a conclusion about the systems. Measures
    with a changed conclusion come first."""
    if not document.impacts:
        return
    ordered = sorted(document.impacts, key=lambda impact: not impact.affected)
    blocks: list[Block] = []
    for number, impact in enumerate(ordered, 1):
        said = (Id(impact.case), ", ", Id(impact.measure), ": ", impact.summary)
        blocks += [block.Paragraph(said), Bullets("Notes", impact.notes)]
        blocks += impact_charts(impact, f"impact-{number}") if number <= 10 else ()
    title = "What it means for the systems"
    if folded or not ordered[0].affected:
        yield Details(title, blocks)
    else:
        yield Section(title, blocks[:1])
        yield Details("More of what it means for the systems", blocks[1:])


def impact_charts(impact: results.Impact, name: str) -> Iterator[block.Chart]:
    """A chart of both rankings of the systems, and a chart of the queries whose values change most. Nothing
    if no value changes."""
    if not impact.changed:
        return
    sides = (impact.reference, impact.candidate)
    systems = [*_moved(impact.systems, lambda s: Id(s.run))]
    queries = [*_moved(impact.queries, lambda q: (Id(q.query), " (", Id(q.run), ")"))]
    if len(systems) > 1:
        title = f"{impact.measure}: the systems before and after"
        swaps = len(impact.swaps)
        caption = f"{count(swaps, 'pair')} of systems change order." if swaps else "No pair changes order."
        yield block.Chart(f"{name}-ranking", "ranking", title, caption, sides, systems, "run")
    if queries:
        higher = sum(mark.candidate > mark.reference for mark in queries)
        most = count(len(queries), "query")
        caption = f"Of the {most} that move most, {higher:,} are higher by the candidate."
        rest = max(impact.moved - len(queries), 0)
        title = f"{impact.measure}: queries that move most"
        yield block.Chart(f"{name}-queries", "queries", title, caption, sides, queries, omitted=rest)


def _moved(moves: Sequence[Any], name: Callable[[Any], Text]) -> Iterator[block.Mark]:
    for move in moves:
        if move.reference_value is not None and move.candidate_value is not None:
            yield block.Mark(name(move), move.reference_value, move.candidate_value)


def tools(document: Document) -> Block:
    """For each candidate that differs in several measures, the conventions that explain most of these
    measures."""
    lines = [
        (*listed([f"{one.candidate}, {place(one)}" for one in of], 3), ": ", *text)
        for text, of in grouped(document.tools, _together).items()
    ]
    return Details("What several measures of a tool say together", [Bullets("", lines, limit=6)])


def _together(conventions: results.ToolConventions) -> tuple[str, ...]:
    """The conventions in words, how many measures they reproduce, and the causes of the other measures."""
    total = len(conventions.measures) + len(conventions.rest)
    what = (Id(settings(conventions.conventions)), " reproduces")
    alone = "no single change does better than the reference's own conventions, which reproduce"
    causes = {m: ", ".join(of) or "agrees with the reference" for m, of in conventions.rest.items()}
    rest = ("; not ", *listed([f"{m} ({of})" for m, of in causes.items()], 8)) if causes else ()
    reproduced = f" {len(conventions.measures):,} of {count(total, 'measure')}"
    return (*(what if conventions.conventions else (alone,)), reproduced, *rest, ".")


_COUNTED = {"values": "queries", "agree": "matches", "differ": "mismatches", "missing": "missing"}


def by_group(document: Document) -> Iterator[Block]:
    """Per group of queries: the mean of every measure, and how often each candidate agrees."""
    for column, some in grouped(document.groups, lambda r: r.column).items():
        of: Field = (f"@{column}", lambda some: _group(some[0]))
        tools = [*grouped(some, lambda r: (r.candidate, r.group)).values()]
        counts = (_sum(title, field) for title, field in _COUNTED.items())
        agreement = table("", tools, ("@tool", lambda some: some[0].candidate), of, *counts)
        fields: list[Field] = [
            *(("@measure", lambda some: some[0].measure), of),
            ("#queries", lambda some: max(r.queries for r in some)),
            *(("#mean", lambda some: short(some[0].mean.reference_value)), ("other means", _others)),
        ]
        means: list[Block] = []
        for where, of_run in grouped(some, place).items():
            measures = [*grouped(of_run, lambda r: (r.measure, r.group)).values()]
            means.append(table(where, measures, *fields, limit=60, noun="mean"))
        yield Section(("By ", Id(column)), [*means, Details("Agreement per group", [agreement])])


def _sum(title: str, field: str) -> Field:
    return f"#{title}", lambda some: sum(getattr(result, field) for result in some)


def _group(result: results.GroupResult) -> Text:
    """The name of a group; ``(no group)`` for queries without a group."""
    return ("(no group)",) if result.group is None else Id(result.group)


def _others(several: list[results.GroupResult]) -> Text:
    parts: list[tuple[str, ...]] = []
    for r in several:
        if r.mismatches or r.missing or not r.mean.match:
            means = contrast(r.mean.reference_value, r.mean.candidate_value)
            differ = f"{r.mismatches + r.missing:,} of {r.queries:,} differ"
            parts.append((Id(r.candidate), f" {means.candidate} ({differ})"))
    return in_row(parts)


def _tolerance(document: Document) -> Block:
    """A sentence with the largest difference between values that agree."""
    tolerances = sorted({c.tolerance for c in document.comparisons}) or [0.0]
    limit, of_means = (
        " to ".join(dict.fromkeys(f"{max(t, least):g}" for t in (tolerances[0], tolerances[-1])))
        for least in (0, LEAST_OF_MEANS)
    )
    each = "every query and the mean" if limit == of_means else "every query"
    text = f"To agree, {each} may differ by at most {limit}"
    text += "." if limit == of_means else f", and the mean by at most {of_means}."
    if decimals := sorted({c.decimals for c in document.comparisons if c.decimals is not None}):
        digits = ", ".join(map(str, decimals))
        text += f" Values that were printed with {digits} decimals are compared as printed."
    return block.Paragraph(text)


def _compared(document: Document) -> Iterator[tuple[str, Text]]:
    rankings = count(sum(i.queries for i in document.inputs), "query ranking")
    yield "inputs", f"{rankings} (one per run and judged query)"
    references = {c.reference for c in document.comparisons} - {c.candidate for c in document.comparisons}
    references.add(document.reference)
    for role in ("reference", "candidate", "not available"):
        for b in document.backends:
            usable = "reference" if b.id in references else "candidate"
            if role == (usable if b.available else "not available"):
                about = b.engine if b.available else b.reason or "not available"
                yield role, (Id(f"{b.id} {b.version}".rstrip()), f": {about}" if about else "")
    if own := saved(document):
        yield "saved", ("numbers that came with the cases: ", *listed(own, 8))


def notes(document: Document) -> Iterator[Block]:
    """Notes on the inputs and the tools, and the measures that a tool does not have."""
    lines: list[Text] = []
    for i in document.inputs:
        lines += [(place(i), f": {note}") for note in i.notes]
        missing = (i.missing, i.missing_queries, "judged, but without results in the run")
        unjudged = (i.unjudged, i.unjudged_queries, "in the run, but without judgements")
        for number, ids, what in (missing, unjudged):
            if number:
                lines.append((place(i), f": {count(number, 'query')} {what}: ", *listed(ids, 10, number)))
    counted = Counter((Id(c.candidate), note) for c in document.comparisons for note in c.notes)
    lines += [(tool, f": {note} ({count(number, 'comparison')})") for (tool, note), number in counted.items()]
    lacking = [c for c in document.comparisons if status(c) is Status.UNSUPPORTED]
    reasons = grouped(lacking, lambda c: (c.candidate, (c.message or "").partition(f" {c.measure}: ")[2]))
    for (tool, why), some in reasons.items():
        named = listed(dict.fromkeys(map(_measure, some)), 3)
        lines += [(Id(tool), " is not asked for ", *named, f": {why}")] if why else []
    yield Bullets("Notes", lines, limit=4, noun="note")
    by_tool = grouped(lacking, lambda c: c.candidate)
    names = {tool: listed(dict.fromkeys(map(_measure, some)), 20) for tool, some in by_tool.items()}
    absent = [(Id(tool), " does not have ", *named) for tool, named in names.items()]
    yield Details("What a tool does not have", [Bullets("", absent)])


def for_the_paper(document: Document) -> Block:
    """The sentence that describes each measure, where the conventions of the reference are known."""
    counts = {i.queries for i in document.inputs}
    queries = min(counts) if len(counts) == 1 else None
    measures = {c.measure: c for c in document.comparisons}.items()
    lists = (sentences({name: queries}, c.reference, c.reference_engine) for name, c in measures)
    return paper([*chain.from_iterable(lists)])


def lacking(document: Document) -> list[str]:
    """Why the result is inconclusive although no comparison failed, in sentences without a full stop."""
    absent = [
        f"{clip(backend.id)} is needed, and not available: {backend.reason or 'no reason given'}"
        for backend in absent_backends(document)
    ]
    told = any(c.outcome in ("match", "mismatch") or status(c) is Status.ERROR for c in document.comparisons)
    return absent if absent or told else ["no two numbers were compared"]


def broken(document: Document) -> str:
    """The sentences about crosscheck's own measures that are broken; empty if none is known to be."""
    if not document.broken:
        return ""
    first, *others = document.broken
    values = contrast(first.backend_value, first.own_value)
    query = f" in query {clip(first.query)}" if first.query is not None else ""
    named = [one.measure for one in others[:_NAMED]]
    named += [f"{rest:,} more"] if (rest := len(others) - len(named)) else []
    more = f" {joined(named)} {'is' if len(others) == 1 else 'are'} broken too." if others else ""
    return (
        f"crosscheck's own {first.measure} is broken: {values.candidate} instead of "
        f"{clip(first.backend)}'s {values.reference}{query}.{more} No diagnosis of "
        f"{'these measures' if others else 'this measure'} can be trusted, and none is given."
    )


#: The largest number of broken measures that are named besides the first.
_NAMED = 4
_MISSING = "the comparisons that are not listed here were not made"


def verdict(document: Document) -> str:
    """The result of the whole run in a few sentences."""
    totals = Counter(map(status, document.comparisons))
    head = f"{problem} " if (problem := broken(document)) else ""
    head += "" if document.complete else f"Interrupted: {_MISSING}. "
    absent = ", ".join(clip(backend.id) for backend in document.backends if not backend.available)
    tail = f" Not available here, and so not compared: {absent}." if absent else ""
    if not document.comparisons:
        return f"{head}Inconclusive: nothing was compared.{tail}"
    compared, match = totals.total(), totals[Status.AGREE]
    informing = sum(c.informs and status(c) in (Status.DIFFERS, Status.ERROR) for c in document.comparisons)
    parts = [
        f"{match:,} of {count(compared, 'comparison')} {'agrees' if 1 in (match, compared) else 'agree'}",
        *_some(totals[Status.KNOWN], "came out as declared"),
        *_some(totals[Status.UNSUPPORTED], "ask{s} for a measure the candidate lacks"),
        *_some(informing, "differ{s} in a tool that was not asked for, which does not fail the run"),
    ]
    if surprises := _surprises(document):
        head += f"Not as expected: {joined(surprises)}. "
    elif not any(c.outcome in ("match", "mismatch") for c in document.comparisons):
        head += "Inconclusive: no two numbers were compared. "
    elif needed := [clip(backend.id) for backend in absent_backends(document)]:
        head += f"Inconclusive without {joined(needed)}. "
    elif document.complete and not document.broken:
        head += "As expected. "
    return f"{head}{joined(parts)}.{tail}"


def _surprises(document: Document) -> list[str]:
    totals = Counter(status(c) for c in document.comparisons if not c.informs)
    differing = (c.message or "" for c in document.comparisons if status(c) is Status.UNEXPECTED)
    otherwise = sum(message.startswith("case.toml declares ") for message in differing)
    return [
        *_some(totals[Status.UNEXPECTED] - otherwise, "comparison{p} differ{s} without being declared"),
        *_some(otherwise, "comparison{p} differ{s} otherwise than declared"),
        *_some(totals[Status.STALE], "declared difference{p} no longer happen{s}"),
        *_some(totals[Status.ERROR], "comparison{p} failed"),
    ]


def _some(number: int, words: str) -> list[str]:
    """The text of a number followed by ``words``, as a list; empty for 0.

    ``{p}`` in the words becomes the plural ending of a noun, and ``{s}`` the singular ending of a verb.
    """
    one = number == 1
    return [f"{number:,} {words.format(p='' if one else 's', s='s' if one else '')}"] if number else []
