"""The pages of ``crosscheck audit``: verdict, deviations by their smallest input, evidence, properties."""

import math
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

from crosscheck import audit_records as records
from crosscheck.audit_records import Audit, AuditDocument, AxisFinding, Counterexample, PropertyFinding
from crosscheck.axes import axes
from crosscheck.axes.ids import Duplicates
from crosscheck.conventions import profiles
from crosscheck.errors import count, joined
from crosscheck.model import written
from crosscheck.names import described, parse_measure
from crosscheck.report import page as block
from crosscheck.report.finding import ideal_fields, recognised
from crosscheck.report.kinds import DocumentKind, meanings, page
from crosscheck.report.page import Block, Bullets, Id, Section, Status, Text, phrase
from crosscheck.report.tables import Field, begun, exact, figure, figures, grouped, table
from crosscheck.report.words import cause_sentence, convention, in_row, listed, settings

_STATUS = {"agrees": Status.AGREE, "deviates": Status.UNEXPECTED, "uncallable": Status.ERROR}
_PRECISION = {
    "double": ", as they are in double precision",
    "single": " (relative), as they are in single precision",
    "relative": " (relative), though not all of them are in single precision",
    "printed": ", as they are printed with so few decimals",
    None: "",
}


def audit_page(document: AuditDocument) -> block.Page:
    """The page of an audit: deviations with counterexamples, then the evidence for the conventions."""
    audit = document.audit
    shown = {f"deviation-{n}": example for n, example in enumerate(audit.counterexamples, 1)}
    silent = [cause for cause in audit.causes if cause not in {one.cause for one in shown.values()}]
    findings = [block.Finding(Status.UNEXPECTED, deviation(audit, one), name) for name, one in shown.items()]
    findings += [block.Finding(Status.UNEXPECTED, (Id(c), ": ", unshown(audit, c))) for c in silent]
    blocks: list[Block] = []
    if audit.verdict in ("agrees", "deviates"):
        blocks = [counterexample(audit, example, name) for name, example in shown.items()]
        blocks += evidence(audit)
    elif not audit.gave_one_number:  # the headline says that
        blocks = [block.Message(audit.message or "it could not be called")]
    title = phrase("Audit of {} as {}", audit.target, audit.measure)
    status = Status.DIFFERS if audit.kinds_missed else _STATUS[audit.verdict]
    verdict = block.Verdict(status, _headline(audit), _about(audit), findings)
    return page(document, title, verdict, blocks, brief=audit.plainly_agrees)


def _reference(audit: Audit) -> str:
    """The name of the reference; ``crosscheck`` if the tool whose conventions it has lacks the measure."""
    tool = profiles().get(audit.reference)
    return "crosscheck" if tool and not described(tool, parse_measure(audit.measure)) else audit.reference


def _headline(audit: Audit) -> Text:
    names = audit.target, _reference(audit), audit.measure
    if audit.cut_short:
        return phrase("{} was not asked enough to say whether it agrees with {} on {}.", *names)
    if audit.verdict == "uncallable":
        if audit.gave_one_number:
            return *phrase("{} does not compute {}: ", audit.target, audit.measure), f"{audit.message}."
        return phrase("{} could not be called as {}.", audit.target, audit.measure)
    if audit.verdict == "agrees":
        met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} fresh inputs"
        same = phrase("{} agrees with {} on {}: the same value on ", *names)
        return (*same, met, _sizes(audit), _kinds(audit), ".")
    known: tuple[str, ...] = ()
    if audit.recognised:
        sure = f" ({audit.recognised.strength}): it gives all {audit.recognised.values:,} values."
        known = (*recognised(audit.recognised), sure)
    if known and "unexplained" in audit.causes:
        return (*phrase("{} is not {}: ", audit.target, audit.measure), *known)
    causes = f"{cause_sentence(audit.causes, audit.strength)}{' Or ' * bool(known)}"
    names = audit.target, audit.measure, _reference(audit)
    shown = next((example.measure for example in audit.counterexamples), audit.measure)
    beyond = shown != audit.measure and audit.causes == ["unexplained"]
    if beyond and audit.fresh_inputs_met == audit.fresh_inputs:
        return (*phrase("{} gives the {} of {} on all inputs asked, but not the {}. ", *names, shown), causes)
    faults = (of.explanation for of in audit.counterexamples if of.explanation.startswith(_AS_IF))
    if audit.causes == ["unexplained"] and (fault := next(faults, "").partition(", so ")[0]):
        return (*phrase("{} does not compute {} as {} does: ", *names), f"{fault}.")
    return (*phrase("{} does not compute {} as {} does. ", *names), causes, *known)


#: How the explanation of a value begins that says what all values are like.
_AS_IF = ("all values are as if ", "each value is ")


def _kinds(audit: Audit) -> str:
    """A clause with the kinds of change that the fresh inputs would show, and would not show. Empty for old
    documents, which do not record them."""
    missed = audit.kinds_missed
    if not audit.kinds_caught and not missed:
        return ""
    of_all = f", which catch {audit.kinds_caught} of {audit.kinds_caught + len(missed)} kinds of change"
    return of_all + "; not covered: " * bool(missed) + "; ".join(missed)


def _sizes(audit: Audit) -> str:
    """A clause with the largest numbers of documents and queries in the inputs of the audit, and with the
    number of relevant ones if the call allows one. Empty for old documents, which do not record them."""
    if not audit.longest_list:
        return ""
    one = ", each query with at most one relevant document" * audit.one_relevant
    queries = f" and up to {audit.most_queries:,} queries at once" * (audit.most_queries > 1)
    return f" in lists of up to {count(audit.longest_list, 'document')}{queries}{one}"


def _about(audit: Audit) -> Text:
    """Sentences on how the metric was called, the nearest known profile, and when two values are equal."""
    called = phrase("Called as {}. ", audit.call) if audit.call else ()
    nearest: tuple[str, ...] = ()
    if (profile := audit.nearest_profile) and profile.differs:
        differs = f"{', '.join(profile.differs)}."
        nearest = (*phrase("Nearest known profile: {}, except for ", profile.name), differs)
    elif profile:
        nearest = phrase("Same conventions as {} on this measure.", profile.name)
    if audit.verdict == "uncallable":
        return (*called, *nearest)
    within = f"Values count as equal within {audit.tolerance:g}{_PRECISION[audit.precision]}."
    twice = (part for example in audit.accepts for part in _counted_twice(example, audit))
    no_set = audit.strength == "per-query" and not audit.recognised
    pointers = " No conventions give all values, so those that are named are pointers." * no_set
    more = (*_of_levels(audit), pointers, *twice, f" {audit.refused}" * bool(audit.refused))
    return (*called, *nearest, " " * bool(nearest), within, *more)


def _of_levels(audit: Audit) -> Text:
    """A warning, if the metric was passed 0 and 1 and gives other values of relevance levels."""
    graded = audit.call.replace("binary", "gains")
    noted = any(note.startswith(f"the call {graded} was also") for note in audit.notes)
    text = " It is passed 0 and 1 for relevance: called with levels, {}, it gives other values."
    return phrase(text, graded) if noted and graded != audit.call else ()


def _counted_twice(input: records.Accepted, audit: Audit) -> Iterator[str]:
    """A warning, so that it is not taken for agreement, if the metric counts a document twice that occurs
    twice, which is an error in the reference. None if only a value of 0 shows it."""
    if input.values == [Duplicates.EACH] and input.candidate_value:
        yield f" A document that occurs twice, which {_reference(audit)} refuses, counts as two here: "
        yield from (Id(input.measure), f" {begun(input.candidate_value)}.")


KIND = DocumentKind("audit", AuditDocument, audit_page)


#: The largest numbers of documents of a counterexample, and of properties, that a sentence names.
_NAMED, _MOST_UNLIKE = 4, 2


def _changed(audit: Audit, cause: str) -> AxisFinding | None:
    """The audit's finding for the axis with this cause label, if the values of the metric and the reference
    differ on this axis; else None."""
    return next((f for f in audit.fingerprint if f.cause == cause and f.value != f.reference_value), None)


def deviation(audit: Audit, example: Counterexample) -> Text:
    """A sentence about a deviation, with the smallest input that shows it."""
    axis = _changed(audit, example.cause)
    known = axes().get(axis.axis) if axis and axis.status == "decided" else None
    does = known.does(axis.reference_value, axis.value) if axis and known else None
    values = figures(example.reference_value, example.candidate_value)
    lacks = joined([finding.says for finding in _unlike(audit)[-_MOST_UNLIKE:]])
    alone = bool(lacks) and audit.causes == ["unexplained"] and not audit.recognised
    why = f"unlike {audit.measure}, {lacks}; " * alone + example.explanation.rstrip(".")
    does = why.removeprefix("it ") if why.startswith("it computes ") else does
    head: Text = (f"It {does}: ",) if does else (Id(example.cause), f": {why}: ")
    alike = example.reference_value == example.candidate_value
    difference = f" is {values[1].text}" if alike else f" {values[1].text} instead of {values[0].text}"
    end = f"{'; ' * bool(example.note)}{example.note}.{_where(audit, example.cause)}"
    return (*head, Id(example.measure), difference, *_input(example), end)


def _where(audit: Audit, cause: str) -> str:
    """A sentence, after a space, about the inputs on which no convention explains the values. Empty if these
    inputs are not known, or if the cause is known."""
    if (where := audit.where) is None or cause != "unexplained":
        return ""
    beside = "With these conventions it is wrong" if audit.conventions else "Wrong"
    text = f" {beside} on {_share(where.wrong, where.of)} {where.of_what}"
    if where.conditions:
        outside = _share(where.of_elsewhere - where.wrong_elsewhere, where.of_elsewhere)
        elsewhere = f" with {where.otherwise}" if where.otherwise else " others"
        text += f" with {' and '.join(where.conditions)}, right on {outside}{elsewhere}"
    return f"{text}."


def _share(number: int, of: int) -> str:
    return f"all {of:,}" if number == of else f"{number:,} of {of:,}"


#: Query, docno, level, score and rank of a document of a counterexample; None if it has no level, or if it is
#: not retrieved.
_Entry: TypeAlias = tuple[str, str, int | None, float | None, int | None]


def _entries(example: Counterexample) -> Iterator[_Entry]:
    """The documents of each query: the retrieved documents, then the documents that were not retrieved."""
    for query in {**example.run, **example.qrels}:
        levels, run = example.qrels.get(query, {}), example.run.get(query, {})
        yield from ((query, d, levels.get(d), score, example.ranks[query][d]) for d, score in run.items())
        yield from ((query, d, level, None, None) for d, level in levels.items() if d not in run)


def _input(example: Counterexample) -> tuple[str, ...]:
    """The input in words: all documents if it has one query with few documents, else the numbers of queries
    and documents."""
    entries = [*_entries(example)]
    retrieved = [(docno, score, level) for _, docno, level, score, _ in entries if score is not None]
    queries = len({query for query, *_ in entries})
    if queries != 1 or len(retrieved) > _NAMED:
        return (f" on {count(queries, 'query')} with {count(len(retrieved), 'document')}",)
    named = [
        (Id(docno), f" (score {written(score)}, {'not judged' if level is None else f'level {level}'})")
        for docno, score, level in retrieved
    ]
    missed = [docno for _, docno, _, score, _ in entries if score is None]
    rest = (", not retrieved: ", *listed(missed, 3)) if missed else ()
    return (" for ", *in_row(named), *rest) if named else (" where nothing is retrieved",)


#: Number of documents of a counterexample that a text shows, and of relevant documents among them.
_ROWS, _RELEVANT = 5, 3


def _telling_first(entries: list[_Entry]) -> list[_Entry]:
    """The entries, those that a text shows first: some relevant documents, if there are any, and others."""
    relevant = [i for i, entry in enumerate(entries) if (entry[2] or 0) > 0][:_RELEVANT]
    others = [i for i in range(len(entries)) if i not in relevant]
    first = sorted((*relevant, *others[: _ROWS - len(relevant)]))
    return [entries[i] for i in dict.fromkeys((*first, *range(len(entries))))]


def unshown(audit: Audit, cause: str) -> str:
    """A sentence about a deviation without a counterexample."""
    if (f := _changed(audit, cause)) is None:
        met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs are as expected."
        return f"no single input was found that shows it; {met}{_where(audit, cause)}"
    return f"{convention(f.axis, f.value)} (reference: {convention(f.axis, f.reference_value)})."


def counterexample(audit: Audit, example: Counterexample, anchor: str) -> Section:
    """A section: the input as a table with a row per document, both values, and programs that print them."""
    entries, values = [*_entries(example)], figures(example.reference_value, example.candidate_value)
    fields: list[Field] = [
        *(("@query", itemgetter(0)), ("@docno", itemgetter(1))),
        ("#level", lambda entry: "not judged" if entry[2] is None else entry[2]),
        ("#score", lambda entry: None if entry[3] is None else figure(entry[3], full=True)),
        ("#rank column", itemgetter(4)),
    ]
    one = len({query for query, *_ in entries}) == 1
    facts: list[tuple[str, Text]] = [(Id(_reference(audit)), values[0].text), ("here", values[1].text)]
    facts += [("note", example.note)] if example.note else []
    both = "Both values" if audit.call else "The reference's value, in Python"
    both = both if example.run else "Its value"  # the reference has none of an empty run
    programs = {"The reference's value, from these as files": example.trec_eval, both: example.python}
    tags = {"tool": [audit.target], "cause": [example.cause], "measure": [example.measure]}
    more: list[Block] = [block.Command(program, title) for title, program in programs.items()]
    title = phrase("{}: {}, ", example.cause, example.measure)
    whose = ("mean",) if example.query is None else ("query ", Id(example.query))
    inputs = table("", _telling_first(entries), *fields[one:], limit=_ROWS, noun="document")
    lists = table("Ideal lists", example.ideal, *ideal_fields(_reference(audit), "here"), noun="rank")
    blocks: list[Block] = [inputs, lists, block.Facts(facts), block.Details("To see it", more)]
    return Section((*title, *whose), blocks, anchor, tags | {"status": [Status.UNEXPECTED]})


def accepted(input: records.Accepted) -> Section:
    """A section with an input that is an error for the reference, and the metric's value on this input."""
    whose = () if input.query is None else (" of query ", Id(input.query))
    value = f" is {exact(input.candidate_value)} here: {input.explanation}"
    given = block.Message(f"qrels:\n{input.qrels}\nrun.txt:\n{input.run}")
    return Section((Id(input.measure), *whose, value), [given, block.Command(input.python)])


def evidence(audit: Audit) -> Iterator[Block]:
    """Blocks with the fingerprint and the tests that confirm it, folded if the metric agrees with the
    reference."""
    fold = block.Details if audit.verdict == "agrees" else Section
    facts = list(_predictions(audit))
    open_or_decided = [f for f in audit.fingerprint if f.status in ("decided", "open")]
    deviating = [f for f in open_or_decided if f.value != f.reference_value]
    if deviating or facts:
        title = f"Fingerprint, from {count(audit.experiments, 'experiment')} (seed {audit.seed})"
        yield fold(title, [_fingerprint(deviating), block.Facts(facts)])
    by_status = grouped(audit.fingerprint, lambda f: f.status)
    rest = [(why, ", ".join(f.axis for f in by_status[s])) for s, why in _NOT_ASKED.items() if s in by_status]
    yield block.Details("Every axis", [_fingerprint(open_or_decided), block.Facts(rest)])
    yield fold("In practice", [Bullets("", audit.practice, limit=6)])
    no_change = Bullets("", audit.kinds_without_effect)
    yield block.Details(f"Kinds of change without effect on {audit.measure}", [no_change])
    yield Bullets("Notes", audit.notes, limit=3)
    yield block.Details("Inputs that it takes and the reference refuses", [*map(accepted, audit.accepts)])
    known, differ = _known(audit), _unlike(audit)
    if audit.properties:
        title = f"{len(known) - len(differ):,} of {len(known):,} are those of the measure."
        shown, table_of = examples(f for f in differ if f.holds == "no"), listed_properties(differ)
        if differ and "unexplained" in audit.causes:  # they may say why
            yield Section(("Properties that differ from those of ", Id(audit.measure)), [table_of])
        yield block.Details("Properties", [block.Paragraph(title), table_of, *shown])
    yield meanings(audit.causes)
    theirs = audit.behaviour_of_reference
    beside: Field = (_reference(audit), lambda row: _beside_reference(row[1], theirs.get(row[0], "")))
    did = table("", sorted(audit.behaviour.items()), (("input", "what it does"), tuple), beside)
    yield block.Details("Unusual inputs", [did])


def _known(audit: Audit) -> list[PropertyFinding]:
    """The properties that are known of the metric and of the measure."""
    return [f for f in audit.properties if {f.holds, f.expected} <= {"yes", "no"}]


def _unlike(audit: Audit) -> list[PropertyFinding]:
    """The known properties that differ from those of the measure."""
    return [f for f in _known(audit) if f.holds != f.expected]


def _predictions(audit: Audit) -> Iterator[tuple[str, Text]]:
    if audit.verdict != "agrees" and audit.fresh_inputs:
        met = f"{audit.fresh_inputs_met:,} of {audit.fresh_inputs:,} values on fresh inputs"
        yield "predicts", f"{met}{_sizes(audit)}"
    if audit.doubt:
        yield "not proved", audit.doubt
    if audit.recognised is not None and audit.recognised.doubt:
        yield f"{audit.recognised.formula} is not proved", audit.recognised.doubt
    if audit.rivals:
        yield "or", ", ".join(audit.rivals)
    if done := audit.confirmation:
        failed = f"; it failed on {done.failed:,} more" if done.failed else ""
        differs = ("; not on ", *listed(done.differs, 3)) if done.differs else ()
        met = f"all values on {done.confirmed:,} of {done.of:,} runs of the cases{failed}"
        yield "predicts", (met, *differs)
    for other in audit.alternatives:
        named = (Id(", ".join(other.causes)), " (", Id(settings(other.conventions)), ")")
        yield "or", ("no input tells it apart from ", *named)


#: Status of axes for which the audit found no value -> the reason in words.
_NOT_ASKED = {
    "settled": "settled by how it is called",
    "unseen": "no input showed any influence",
    "unknown": "unknown, as something is unexplained",
}


def _beside_reference(did: str, beside: str) -> str:
    """The reference's behaviour on an input; ``the same`` if it and the metric both raise an error, or both
    give the same value."""
    if did.startswith(("raises ", "fails: ")):
        alike = beside.startswith("refused: ")
    else:
        try:
            alike = math.isclose(float(did), float(beside), rel_tol=1e-6, abs_tol=1e-9)
        except ValueError:
            alike = did == beside
    return "the same" if beside and alike else beside


def _fingerprint(findings: list[AxisFinding]) -> block.Table:
    status: Field = ("!", lambda f: Status.DIFFERS if f.value != f.reference_value else Status.AGREE)
    values: Field = ("@value", "@reference"), lambda f: (_value(f.value), _value(f.reference_value))
    return table("", findings, status, "@axis", values, ("shown by", _shown), noun="axis")


def _value(value: object) -> str:
    return "none" if value is None else str(value)


def _shown(finding: AxisFinding) -> str:
    if finding.status == "open":
        return "no input tells it apart from the alternatives"
    if finding.input is None:
        return "means, or realistic inputs" if finding.value != finding.reference_value else ""
    number = "" if finding.decided_by is None else f"experiment {finding.decided_by}: "
    return f"{number}{finding.input}; it said {begun(finding.seen)}"


_LEFT_OPEN: dict[records.PropertyStatus, str] = {
    "unseen": "not tested, because it is not given this part of the input",
    "refused": "it gave no value on the inputs that test these",
    "untried": "no time was left for these, or its values change from call to call",
}


def properties_page(document: records.PropertyDocument) -> block.Page:
    """The page of ``crosscheck audit --properties``: the properties that do not hold, with inputs that show
    it, then a table of all properties."""
    report = document.properties
    lacking = [finding for finding in report.properties if finding.surprising]
    findings = [block.Finding(Status.UNEXPECTED, (Id(f.name), f": {f.says}")) for f in lacking]
    status = (Status.UNEXPECTED if lacking else Status.AGREE) if report.properties else Status.ERROR
    blocks: list[Block] = [block.Message(report.message or "it could not be called")]
    if report.properties:
        names = grouped(report.properties, lambda f: f.holds)
        said = ((why, names[held]) for held, why in _LEFT_OPEN.items() if held in names)
        left_open = [f"{why}: {', '.join(f.name for f in some)}" for why, some in said]
        held: list[Block] = [listed_properties(report.properties), Bullets("", left_open)]
        others = [f for f in report.properties if f.holds == "no" and not f.surprising]
        details = block.Details("Inputs for what a measure may lack", list(examples(others)))
        blocks = [*examples(lacking), Section("Properties", held), details]
    about: Text = phrase("Called as {}.", report.call) if report.call else ""
    verdict = block.Verdict(status, _lacks(report, lacking), about, findings)
    return page(document, ("Properties of ", Id(report.target)), verdict, blocks)


def _lacks(report: records.PropertyReport, lacking: Sequence[PropertyFinding]) -> Text:
    target = Id(report.target)
    if not report.properties:
        return (target, " could not be called.")
    whose = "a sound measure" if report.measure is None else Id(report.measure)
    cases = f" ({count(sum(f.cases for f in report.properties), 'comparison')}, seed {report.seed})."
    lacks = f"lacks {count(len(lacking), 'property')}" if lacking else "lacks no property"
    return (target, f" {lacks} of ", whose, cases)


def listed_properties(findings: Iterable[PropertyFinding]) -> block.Table:
    """A table of the properties that are known to hold or not to hold."""
    known = [finding for finding in findings if finding.holds in ("yes", "no")]
    fields: list[Field] = ["holds", "@property=name", "what was seen=says"]
    fields += [("beside the measure", _beside)] * any(map(_beside, known))
    return table("", known, *fields, noun="property")


def _beside(finding: PropertyFinding) -> str:
    alike = "as" if finding.expected == finding.holds else "unlike"
    return alike if finding.expected in ("yes", "no") else ""


def examples(findings: Iterable[PropertyFinding]) -> Iterator[Block]:
    """A section per property, with the inputs that show that it does not hold."""
    for finding in findings:
        blocks: list[Block] = []
        for given in finding.inputs:
            whose = "the mean" if given.query is None else f"query {given.query}"
            lines = f"qrels\n{given.qrels}run.txt\n{given.run}"
            blocks += [block.Facts([(whose, exact(given.value))]), block.Message(lines)]
        program = block.Details("A program that prints both", [block.Command(finding.python)])
        yield Section((Id(finding.name), f": {finding.says}"), [*blocks, program])


PROPERTIES = DocumentKind("properties", records.PropertyDocument, properties_page)
