"""Parsing of the command line of trec_eval: trec_eval's options by the rules of GNU getopt_long, and
``--compat``."""

from __future__ import annotations

import inspect
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from crosscheck import __version__
from crosscheck.errors import InputError, did_you_mean, quoted, safe_text
from crosscheck.formats.numerals import atof, atol, clamped
from crosscheck.measures import Family
from crosscheck.model import Measure, ParamValue
from crosscheck.names import GROUPS, PRINT_ORDER, is_measure, parse_measure, trec_eval_family, trec_eval_name


class TrecEvalError(Exception):
    """An error that ends the command with one of trec_eval's exit codes.

    Attributes:
        code: exit code: 1 usage, 2 input file or parameters of a measure, 4 a topic that cannot be evaluated,
            7 no topic in both run and qrels, 255 the file of ``-Z``.
        said: the lines that the C program prints, for scripts that search for them.
        problem: the problem and the remedy, if the lines of the C program do not say them.
    """

    def __init__(self, code: int, *said: str, problem: str | InputError | None = None) -> None:
        super().__init__(code, *said)
        self.code, self.said, self.problem = code, said, problem

    def __str__(self) -> str:
        """The text for stderr: the lines of the C program, then crosscheck's."""
        ours = [] if self.problem is None else [f"crosscheck: {self.problem}"]
        return "\n".join([*self.said, *ours])


Version: TypeAlias = Literal["9.0.8", "10.0"]


class TrecEvalMeasure(Struct, frozen=True, eq=False):
    """A measure of trec_eval, or several measures that differ only in the cutoff.

    Attributes:
        name: the name for ``-m``.
        family: the family that computes the measure; None for the two texts, ``runid`` and ``relstring``.
    """

    name: str
    family: Family | None

    @property
    def takes(self) -> Literal["", "cutoffs", "points", "values", "pairs"]:
        """The kind of parameters after the point: none, rank cutoffs, recall points or multiples of R,
        numbers, or pairs ``level=gain``."""
        if self.family is None:
            return "values" if self.name == "relstring" else ""
        if self.name == self.family.trec_eval_cut:
            return "cutoffs" if self.family.at_parameter == "cutoff" else "points"
        if "gains" in self.family.parameters or self.family.trec_eval_param == "p":
            return "pairs"
        return "values" if self.family.trec_eval_param else ""

    @property
    def needs(self) -> Literal["qrels", "qrels_jg", "prefs"] | None:
        """The kind of judgements that the measure needs; None if it needs only the run."""
        if self.name in ("runid", "num_q"):
            return None
        needs = None if self.family is None else self.family.needs
        if needs == "groups":
            return "qrels_jg"
        return "prefs" if needs == "preferences" else "qrels"

    @property
    def counts(self) -> bool:
        """Whether the measure is a number of documents or topics, which is printed as a whole number and
        summed over topics."""
        return self.family is not None and self.family.is_sum

    @property
    def where(self) -> Literal["both", "topics", "summary"]:
        """Where the measure is printed: per topic, in the summary, or both."""
        if self.name == "relstring":
            return "topics"
        geometric = self.family is not None and self.family.aggregate == "geometric"
        return "summary" if geometric or self.needs is None else "both"


@cache
def trec_eval_measures(version: Version) -> dict[str, TrecEvalMeasure]:
    """The measures of a version by name, in the order in which they are computed and printed."""
    measures = [TrecEvalMeasure(name, trec_eval_family(name)) for name in PRINT_ORDER]
    new = version == "10.0"
    return {m.name: m for m in measures if new or m.family is None or m.family.trec_eval_since == "9.0.8"}


class MeasureRequest:
    """The measures requested by ``-m`` options.

    Attributes:
        version: the version of trec_eval.
        parameters: name -> text after the point. If a measure is named repeatedly, the first text is used.
        marked: names of the requested measures.
    """

    def __init__(self, version: Version) -> None:
        self.version: Version = version
        self.parameters: dict[str, bytes] = {}
        self.marked: set[str] = set()

    def add(self, argument: bytes) -> None:
        """Add an argument of ``-m``: a measure or a group, and parameters after the first point.

        Raises:
            TrecEvalError: with code 1, the version has no such measure, or a point is the last byte.
        """
        raw, point, parameters = argument.partition(b".")
        name = raw.decode("ascii", "backslashreplace")
        illegal = f"trec_eval: illegal measure {quoted(raw)}"
        if point and not parameters:
            improper = f"trec_eval: improper measure in parameter {quoted(raw)}"
            problem = f"-m {name}.: parameters are missing after the point"
            raise TrecEvalError(1, improper, illegal, problem=problem)
        known = trec_eval_measures(self.version)
        if name in GROUPS:
            self.marked.update(part for part in GROUPS[name] if part in known)
        elif name in known:
            self.marked.add(name)
        else:
            raise TrecEvalError(1, illegal, problem=_explained(name, self.version))
        if point:
            self.parameters.setdefault(name, parameters)

    def selected(self) -> Iterator[TrecEvalMeasure]:
        """The requested measures in trec_eval's order; without ``-m`` those of the group ``official``."""
        marked = self.marked or set(GROUPS["official"])
        return (about for about in trec_eval_measures(self.version).values() if about.name in marked)


def _explained(name: str, version: Version) -> str:
    """The text for a measure that does not exist, with a suggestion if possible."""
    shown = quoted(name)
    known = trec_eval_measures(version)
    if name in trec_eval_measures("10.0"):
        return f"{shown} is new in trec_eval 10: add --compat 10.0"
    stem, _, cutoff = name.rpartition("_")
    if stem in known and known[stem].takes and cutoff:
        return f"{shown} is the printed name; write -m {stem}.{safe_text(cutoff)}"
    spelt = trec_eval_name(parse_measure(name)) if is_measure(name) else None
    meant = f"; did you mean {spelt}?" if spelt else did_you_mean(name, [*known, *GROUPS], "; ")
    return f"trec_eval has no measure {shown}{meant}\n  the measures are: {', '.join([*known, *GROUPS])}"


_Number = TypeVar("_Number", int, float)

RELSTRING_LENGTH = 10
_BLANKS = b" \t\n\v\f\r"
_WHOLE = re.compile(rb"[+-]?\d+")


class OutputColumn(Struct, frozen=True, eq=False):
    """A column of the output, with one value per topic.

    Attributes:
        name: name of the column as printed.
        about: the measure of trec_eval to which the column belongs.
        measure: the measure to compute, None for texts.
        length: number of ranks shown by ``relstring``.
    """

    name: bytes
    about: TrecEvalMeasure
    measure: Measure | None = None
    length: int = RELSTRING_LENGTH


def long(text: str | bytes) -> int:
    """The longest whole number at the start of the text (0 if there is none), clamped to 64 bits, as in C's
    ``atol``."""
    value, _ = atol(_bytes(text).lstrip(_BLANKS))
    return clamped(value)


def double(text: str | bytes) -> float:
    """The longest number at the start of the text (0.0 if there is none), as in C's ``atof``."""
    return atof(_bytes(text).lstrip(_BLANKS))[0]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def columns(request: MeasureRequest, collection_size: int) -> list[OutputColumn]:
    """The columns of the requested measures, in the order of printing.

    Raises:
        TrecEvalError: with code 2, a measure does not accept its parameter list.
    """
    given = ((m, request.parameters.get(m.name) if m.takes else None) for m in request.selected())
    every = (_columns_of(*measure, request.version, collection_size) for measure in given)
    return [column for of in every for column in of]


def _refused(about: TrecEvalMeasure, given: bytes, c_message: str, problem: str) -> TrecEvalError:
    """The error for parameters that trec_eval does not accept, with the lines of the C program and a
    ``problem``."""
    lines = f"trec_eval: {c_message}", f"trec_eval: Cannot initialize measure '{about.name}'"
    return TrecEvalError(2, *lines, problem=f"-m {about.name}.{safe_text(given)}: {problem}")


def _columns_of(
    about: TrecEvalMeasure, given: bytes | None, version: Version, collection_size: int
) -> list[OutputColumn]:
    name, family = about.name.encode(), about.family
    if family is not None and about.takes == "cutoffs":
        cuts = map(int, family.trec_eval_defaults) if given is None else _cutoffs(about, given, long)
        return [OutputColumn(b"%s_%d" % (name, k), about, Measure(family.name, k)) for k in cuts]
    if family is not None and about.takes == "points":
        points = family.trec_eval_defaults if given is None else _cutoffs(about, given, double)
        measures = [Measure(family.name, params=((family.at_parameter, p),)) for p in points]
        # The buffer in C has room for the name, the underscore and eight more characters.
        names = [(b"%s_%3.2f" % (name, p))[: len(name) + 9] for p in points]
        return [OutputColumn(name, about, m) for name, m in zip(names, measures, strict=True)]
    name = name if given is None else b"%s_%s" % (name, given)
    if family is None:
        length = RELSTRING_LENGTH if given is None else double(given)
        # In C on x86, NaN and values beyond 64 bits become the lowest integer.
        return [OutputColumn(name, about, length=max(0, int(length)) if abs(length) < 2.0**63 else 0)]
    params = {} if given is None else _params(about, family, given, version)
    if about.name == "utility":
        if any(isinstance(value, tuple) and len(value) != 4 for value in params.values()):
            return [OutputColumn(name, about)]
        params["N"] = float(collection_size)
    return [OutputColumn(name, about, Measure(family.name, params=tuple(sorted(params.items()))))]


def _cutoffs(about: TrecEvalMeasure, given: bytes, read: Callable[[bytes], _Number]) -> list[_Number]:
    cutoffs = sorted(read(part) for part in given.split(b","))
    if cutoffs[0] <= 0 and read is long:
        problem = f"a cutoff must be at least 1, not {cutoffs[0]}"
        raise _refused(about, given, "Negative cutoff detected", problem)
    for one, next_one in pairwise(cutoffs):
        if one == next_one:
            raise _refused(about, given, "duplicate cutoffs detected", f"{one:g} occurs twice")
    return cutoffs


def _params(about: TrecEvalMeasure, family: Family, given: bytes, version: Version) -> dict[str, ParamValue]:
    """The parameters of a measure that takes numbers, or pairs ``level=gain``."""
    parts = given.split(b",")
    if about.takes == "values":
        values = tuple(map(double, parts))
        return {str(family.trec_eval_param): values[0] if about.name == "set_F" else values}
    if any(part.count(b"=") != 1 for part in parts):
        problem = "the parameters must be pairs level=gain, separated by commas, such as 1=3,2=7"
        raise _refused(about, given, f"malformed pair parameters in {quoted(given)}", problem)
    pairs = [(level, double(value)) for level, _, value in (part.partition(b"=") for part in parts)]
    params: dict[str, ParamValue] = {}
    if about.name != "rbp_resid":
        # 10.0 ignores pairs whose level is not a whole number; 9.0.8 uses the digits at the start ("a" is 0).
        gains = tuple((long(n), value) for n, value in pairs if version != "10.0" or _WHOLE.fullmatch(n))
        params |= {"gains": gains} if gains else {}
    if about.name.startswith("rbp") and b"p" in dict(pairs):
        params["p"] = dict(pairs)[b"p"]
    return params


class TrecEvalOptions(Struct, frozen=True, kw_only=True, eq=False):
    """The options of a command line.

    Attributes:
        request: measures and their parameters (``-m``), and the emulated version (``--compat``).
        qrels, run: file names.
        per_topic: print a line per topic (``-q``).
        no_summary: print no summary (``-n``).
        complete: average over all topics of the qrels (``-c``).
        judged_only: remove unjudged documents (``-J``).
        level: lowest relevant level (``-l``).
        collection_size: ``-N``, used by ``utility`` only.
        depth: documents kept per topic (``-M``), or None for all.
        qrels_format, run_format: ``-R``, ``-T``.
        zscores: file of means and standard deviations (``-Z``), or None.
        only_topic: the one topic to evaluate (``-D level.topic``), or None.
    """

    request: MeasureRequest
    qrels: str
    run: str
    per_topic: bool = False
    no_summary: bool = False
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    collection_size: int = 0
    depth: int | None = None
    qrels_format: str = "qrels"
    run_format: str = "trec_results"
    zscores: str | None = None
    only_topic: bytes | None = None

    @property
    def version(self) -> Version:
        return self.request.version


def _depth(text: str) -> int:
    depth = long(text)
    if depth < 0:
        raise TrecEvalError(1, problem=f"-M {depth}: the number of documents to keep cannot be negative")
    return depth


class _Option(NamedTuple):
    """An option of the command line.

    Attributes:
        argument: what the help shows for the argument; empty if the option has no argument.
        field: the field of :class:`TrecEvalOptions` that the option sets; empty if there is none.
        value: converts the argument to the value of this field.
    """

    letter: str
    name: str
    argument: str
    field: str
    value: Callable[[str], object]
    help: str


#: In the order of trec_eval's table, in which the message about an ambiguous abbreviation lists the options.
_OPTIONS = (
    _Option("h", "help", "", "", str, "this help, and with -m what a measure is"),
    _Option("v", "version", "", "", str, "the version"),
    _Option("q", "query_eval_wanted", "", "per_topic", bool, "lines per topic before the summary"),
    _Option("m", "measure", "NAME[.PARAMETERS]", "", str, "a measure or a nickname; may be repeated"),
    _Option("c", "complete_rel_info_wanted", "", "complete", bool,
            "average over all judged topics; those without results count as 0"),
    _Option("l", "level_for_rel", "N", "level", long, "lowest level that counts as relevant (default 1)"),
    _Option("n", "nosummary", "", "no_summary", bool, "no summary"),
    _Option("D", "Debug_level", "N[.TOPIC]", "", str, "evaluate TOPIC only; the level changes nothing"),
    _Option("J", "Judged_docs_only", "", "judged_only", bool,
            "remove unjudged documents from the rankings first"),
    _Option("N", "Number_docs_in_coll", "N", "collection_size", long,
            "documents in the collection, for utility (default 0)"),
    _Option("M", "Max_retrieved_per_topic", "N", "depth", _depth,
            "look at the first N documents of each topic only"),
    _Option("R", "Rel_info_format", "FORMAT", "qrels_format", str,
            "qrels (default), qrels_jg, prefs or qrels_prefs"),
    _Option("T", "Results_format", "FORMAT", "run_format", str, "trec_results, the only one"),
    # The long name takes an argument, the letter does not.
    _Option("o", "Output_old_results_format", "FORMAT", "", str, "accepted and without effect"),
    _Option("Z", "Zscore", "FILE", "zscores", str,
            "distances from the means in FILE, in standard deviations"),
)  # fmt: skip
_BY_LETTER = {option.letter: option for option in _OPTIONS}
_COMPAT = _Option("compat", "compat", "9.0.8|10.0", "", str, "version to emulate (default 9.0.8)")
_VERSIONS: dict[str, Version] = {"9": "9.0.8", "9.0.8": "9.0.8", "10": "10.0", "10.0": "10.0"}

_USAGE = """\
Usage: trec_eval [-h] [-q] [-c] [-n] {-m measure}* [--compat 9.0.8|10.0] qrels_file run_file
   -q: a line per topic as well; -c: average over all judged topics; -n: no summary
   -m: a measure, measure.parameters or one of official, set, all_trec (default: official)
   -h: all options, and with -m what a measure is"""

_HELP = """\
crosscheck trec_eval evaluates a run against judgements and prints what trec_eval prints.

  crosscheck trec_eval [options] qrels_file run_file

Options may be at any position and long ones may be abbreviated.
{options}

Exit codes: 0 success; 1 bad usage or no such measure; 2 an input file or a measure's parameters cannot be
used; 4 a topic cannot be evaluated; 7 no topic has both results and judgements; 255 the file of -Z.

Files may be pipes and may be compressed with gzip, other than in the C program; in 10.0 a run called - is
standard input. Ranks follow from the scores; tied documents are ordered by document id, descending. The
rank column is ignored. Scores are compared as float32 in 9.0.8 and as double in 10.0.

Run: topic Q0 docno rank score tag; blank lines and further columns are ignored.
"""

_FORMATS = {
    "qrels": "topic iteration docno relevance: whole-number levels; the iteration is ignored",
    "qrels_jg": "topic group docno relevance: judgements of several groups, evaluated each and averaged",
    "prefs": "topic group subgroup docno level: of two documents of a subgroup the higher level is preferred",
    "qrels_prefs": "topic group docno level: of two documents of a group the higher level is preferred",
}

_TEXTS = {
    "runid": "the tag on the last line of the run",
    "relstring": "relevance levels of the first documents; - is not judged, . has a negative level",
}


def _help(request: MeasureRequest, qrels_format: str) -> str:
    """The text of ``-h``: all options, the format of the judgements, and the measures requested by ``-m``."""
    parts = [_HELP.format(options="\n".join(map(_helped, (_COMPAT, *_OPTIONS))))]
    if qrels_format in _FORMATS:
        parts.append(f"Judgements, {qrels_format}: {_FORMATS[qrels_format]}.\n")
    nicknames = "\n".join(f"  {name}: {', '.join(names)}" for name, names in GROUPS.items())
    parts.append(f"\nNicknames:\n{nicknames}\n\n")
    if request.marked:
        parts += [_described(about) for about in request.selected()]
    else:
        parts.append("With -m NAME this help explains a measure as well.\n")
    return "".join(parts)


def _helped(option: _Option) -> str:
    letter = "" if option is _COMPAT else f"-{option.letter}, "
    return f"  {f'{letter}--{option.name} {option.argument}':<40} {option.help}"


def _described(about: TrecEvalMeasure) -> str:
    family = about.family
    if family is None:
        return f"{about.name}: {_TEXTS[about.name]}\n\n"
    text = inspect.getdoc(family.compute) or family.summary
    return f"{about.name}: {family.summary}\n{textwrap.indent(text, '  ')}\n\n"


class Notice(Struct, frozen=True, eq=False):
    """Texts to print in place of values, for ``-v`` and ``-h``."""

    stdout: str = ""
    stderr: str = ""


def parse_options(arguments: Sequence[str]) -> TrecEvalOptions | Notice:
    """Parse the command line. Of several errors, the error that the C program reports is raised.

    Args:
        arguments: the arguments after the name of the command. Bytes that are not UTF-8 are as Python decodes
            them.

    Raises:
        TrecEvalError: with code 1 for bad usage or an illegal measure.
    """
    events = list(_getopt(arguments))
    request = MeasureRequest(_version(events))
    files: list[str] = []
    given: dict[str, str] = {}
    settings: dict[str, Any] = {}
    for letter, argument in events:
        match letter:
            case "":
                files.append(argument)
            case "?":
                raise TrecEvalError(1, f"trec_eval: {argument}", _USAGE)
            case "v":
                return Notice(stderr=f"trec_eval version {request.version} (crosscheck {__version__})\n")
            case "m":
                request.add(os.fsencode(argument))
            case "D" if "." in argument:
                settings["only_topic"] = os.fsencode(argument.partition(".")[2])
            case _:
                given[letter] = argument
    if "h" in given:
        return Notice(stdout=_help(request, given.get("R", "qrels")))
    if len(files) != 2:
        number = "no file was" if not files else f"{len(files)} file{' was' if len(files) == 1 else 's were'}"
        problem = f"two files are needed, the judgements and the run; {number} given"
        raise TrecEvalError(1, _USAGE, problem=problem)
    settings |= {o.field: o.value(given[o.letter]) for o in _OPTIONS if o.field and o.letter in given}
    return TrecEvalOptions(request=request, qrels=files[0], run=files[1], **settings)


def _version(events: Sequence[_Event]) -> Version:
    """The version in the last ``--compat`` at any position, because all further options depend on it."""
    version: Version = "9.0.8"
    for letter, argument in events:
        if letter == _COMPAT.letter:
            if argument not in _VERSIONS:
                raise TrecEvalError(1, problem=f"--compat must be 9.0.8 or 10.0, not {_safe(argument)}")
            version = _VERSIONS[argument]
    return version


# ---- getopt_long ---------------------------------------------------------------------------------------

#: A result of getopt: (letter, argument), ("", file name), or ("?", error message) as the last result.
_Event: TypeAlias = tuple[str, str]


def _getopt(arguments: Sequence[str]) -> Iterator[_Event]:
    """Options and file names in order; options may follow file names unless POSIXLY_CORRECT is set."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            yield "", word
            if "POSIXLY_CORRECT" in os.environ:
                break
            continue
        for event in _long(word[2:], rest) if word.startswith("--") else _letters(word[1:], rest):
            yield event
            if event[0] == "?":
                return
    yield from (("", word) for word in rest)


def _letters(letters: str, rest: list[str]) -> Iterator[_Event]:
    while letters:
        letter, letters = letters[0], letters[1:]
        option = _BY_LETTER.get(letter)
        if option is None:
            yield "?", f"invalid option -- '{_safe(letter)}'"
        elif not option.argument or letter == "o":
            # A flag is set by any text.
            yield letter, letter
        elif letters:
            yield letter, letters
            return
        elif rest:
            yield letter, rest.pop(0)
        else:
            yield "?", f"option requires an argument -- '{letter}'"


def _long(word: str, rest: list[str]) -> Iterator[_Event]:
    name, equals, argument = word.partition("=")
    # --compat has no abbreviation, because it would make abbreviations of trec_eval's options ambiguous.
    matching = [_COMPAT] if name == _COMPAT.name else [o for o in _OPTIONS if o.name.startswith(name)]
    matching = [option for option in matching if option.name == name] or matching
    if not matching:
        yield "?", f"unrecognized option '--{_safe(name)}'"
    elif len(matching) > 1:
        possible = "".join(f" '--{option.name}'" for option in matching)
        yield "?", f"option '--{_safe(word)}' is ambiguous; possibilities:{possible}"
    elif not matching[0].argument:
        refused = f"option '--{matching[0].name}' doesn't allow an argument"
        yield ("?", refused) if equals else (matching[0].letter, matching[0].letter)
    elif equals or rest:
        yield matching[0].letter, argument if equals else rest.pop(0)
    else:
        yield "?", f"option '--{matching[0].name}' requires an argument"


def _safe(text: str) -> str:
    return safe_text(os.fsencode(text))
