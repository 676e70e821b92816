"""trec_eval's command line: GNU getopt_long's rules, trec_eval's options, and ``--compat``."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal, TypeAlias, cast

from msgspec import Struct

from crosscheck import __version__
from crosscheck.errors import InputError, UnknownMeasure, did_you_mean, quoted
from crosscheck.formats.numerals import INT64, atof, atol
from crosscheck.measures import Family
from crosscheck.model import Measure, ParamValue
from crosscheck.names import GROUPS, PRINT_ORDER, parse_measure, trec_eval_family, trec_eval_name


class TrecEvalError(Exception):
    """The command ends with one of trec_eval's exit codes. Always caught within the command.

    Attributes:
        code: 1 usage, 2 input file or measure parameters, 4 a topic that cannot be evaluated, 7 no topic in
            common, 255 the file of ``-Z``.
        said: the lines that the C program prints, for scripts that search for them.
        problem: the problem and the remedy, if trec_eval's own lines do not give them.
    """

    def __init__(self, code: int, *said: str, problem: str | InputError | None = None) -> None:
        super().__init__(code, *said)
        self.code, self.said, self.problem = code, said, problem

    def __str__(self) -> str:
        """The whole text for stderr."""
        ours = [] if self.problem is None else [f"crosscheck: {self.problem}"]
        return "\n".join([*self.said, *ours])


Version: TypeAlias = Literal["9.0.8", "10.0"]


class TrecEvalMeasure(Struct, frozen=True, eq=False):
    """One of trec_eval's measures, or a series of measures that differ in the cutoff only.

    Attributes:
        name: name that ``-m`` takes.
        family: the family that computes the measure; None for the two texts, ``runid`` and ``relstring``.
    """

    name: str
    family: Family | None

    @property
    def takes(self) -> Literal["", "cutoffs", "points", "values", "pairs"]:
        """The parameter after the point: nothing, rank cutoffs, recall points or multiples of R, numbers, or
        pairs ``level=gain``."""
        if self.family is None:
            return "values" if self.name == "relstring" else ""
        if self.name == self.family.trec_eval_cut:
            return "cutoffs" if self.family.at_parameter == "cutoff" else "points"
        if "gains" in self.family.parameters or self.family.trec_eval_param == "p":
            return "pairs"
        return "values" if self.family.trec_eval_param else ""

    @property
    def needs(self) -> Literal["qrels", "qrels_jg", "prefs"] | None:
        """The kind of judgements that the measure is computed from; None if it needs the run only."""
        if self.name in ("runid", "num_q"):
            return None
        match self.family:
            case Family(needs="groups"):
                return "qrels_jg"
            case Family(needs="preferences"):
                return "prefs"
        return "qrels"

    @property
    def counts(self) -> bool:
        """Whether it is printed as a whole number and summed up, not averaged."""
        return self.family is not None and self.family.is_sum

    @property
    def where(self) -> Literal["both", "topics", "summary"]:
        """Whether it is printed per topic, in the summary, or both."""
        if self.name == "relstring":
            return "topics"
        geometric = self.family is not None and self.family.aggregate == "geometric"
        return "summary" if geometric or self.needs is None else "both"


@cache
def trec_eval_measures(version: Version) -> dict[str, TrecEvalMeasure]:
    """The measures of a version by name, in the order in which they are computed and printed."""
    found = [TrecEvalMeasure(name, trec_eval_family(name)) for name in PRINT_ORDER]
    return {
        about.name: about
        for about in found
        if version == "10.0" or about.family is None or about.family.trec_eval_since == "9.0.8"
    }


class MeasureRequest:
    """The measures requested by ``-m`` options.

    Attributes:
        version: the version of trec_eval.
        parameters: name -> text after the point; only the first text of a measure counts.
    """

    def __init__(self, version: Version) -> None:
        self.version: Version = version
        self.parameters: dict[str, bytes] = {}
        self._marked: set[str] = set()

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
        known = trec_eval_measures(self.version)
        if name in GROUPS:
            self._marked.update(part for part in GROUPS[name] if part in known)
        elif name in known:
            self._marked.add(name)
        else:
            raise TrecEvalError(1, illegal, problem=_explained(name, self.version))
        if point:
            self.parameters.setdefault(name, parameters)

    def selected(self) -> Iterator[TrecEvalMeasure]:
        """The requested measures, ``official`` if there is no ``-m``, in trec_eval's order."""
        marked = self._marked or set(GROUPS["official"])
        return (about for about in trec_eval_measures(self.version).values() if about.name in marked)

    def named(self) -> list[str]:
        """The names of the measures that ``-m`` options request, empty if there is no ``-m``."""
        return [name for name in PRINT_ORDER if name in self._marked]


def _explained(name: str, version: Version) -> str:
    """A suggestion for a measure that does not exist."""
    shown = quoted(name)
    known = trec_eval_measures(version)
    if name in trec_eval_measures("10.0"):
        return f"{shown} came with trec_eval 10: add --compat 10.0"
    stem, _, cutoff = name.rpartition("_")
    if stem in known and known[stem].takes and cutoff:
        return f"{shown} is how the value is printed; write -m {stem}.{quoted(cutoff)[1:-1]}"
    try:
        spelt = trec_eval_name(parse_measure(name))
    except UnknownMeasure:
        spelt = None
    meant = f"; did you mean {spelt}?" if spelt else did_you_mean(name, [*known, *GROUPS], "; ")
    return f"trec_eval has no measure {shown}{meant}\n  the measures are: {', '.join([*known, *GROUPS])}"


RELSTRING_LENGTH = 10
_BLANKS = b" \t\n\v\f\r"
_WHOLE = re.compile(rb"[+-]?\d+")


class OutputColumn(Struct, frozen=True, eq=False):
    """A column of the output, which has one value per topic.

    Attributes:
        name: name of the column as printed.
        about: the measure of trec_eval that the column belongs to.
        measure: the measure to compute, None for texts.
        length: number of ranks shown by ``relstring``.
    """

    name: bytes
    about: TrecEvalMeasure
    measure: Measure | None = None
    length: int = RELSTRING_LENGTH


def long(text: str | bytes) -> int:
    """C's ``atol``: the longest whole number at the start, 0 if there is none, clamped to 64 bits."""
    value, _ = atol(_bytes(text).lstrip(_BLANKS))
    return min(max(value, INT64.start), INT64.stop - 1)


def double(text: str | bytes) -> float:
    """C's ``atof``: the longest number at the start, 0.0 if there is none."""
    return atof(_bytes(text).lstrip(_BLANKS))[0]


def _bytes(text: str | bytes) -> bytes:
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def columns(request: MeasureRequest, collection_size: int) -> list[OutputColumn]:
    """The columns of the requested measures, in the order of printing.

    Raises:
        TrecEvalError: with code 2, a measure does not accept its parameter list.
    """
    found: list[OutputColumn] = []
    for about in request.selected():
        given = request.parameters.get(about.name) if about.takes else None
        try:
            found += _columns_of(about, given, request.version, collection_size)
        except _ParameterError as error:
            raise TrecEvalError(
                2,
                error.said,
                f"trec_eval: Cannot initialize measure '{about.name}'",
                problem=f"-m {about.name}.{quoted(given or b'')[1:-1]}: {error.problem}",
            ) from None
    return found


class _ParameterError(Exception):
    """A parameter list that trec_eval refuses, with its words and an explanation."""

    def __init__(self, said: str, problem: str) -> None:
        super().__init__(said)
        self.said, self.problem = f"trec_eval: {said}", problem


def _columns_of(
    about: TrecEvalMeasure, given: bytes | None, version: Version, collection_size: int
) -> list[OutputColumn]:
    name, family = about.name.encode(), about.family
    if family is not None and about.takes == "cutoffs":
        cuts = _cutoffs(given) if given is not None else map(int, family.trec_eval_defaults)
        return [OutputColumn(b"%s_%d" % (name, k), about, Measure(family.name, k)) for k in cuts]
    if family is not None and about.takes == "points":
        points = _points(given) if given is not None else family.trec_eval_defaults
        measures = [Measure(family.name, params=((family.at_parameter, p),)) for p in points]
        # C's buffer holds the name, the underscore and eight more characters.
        names = [(b"%s_%3.2f" % (name, p))[: len(name) + 9] for p in points]
        return [OutputColumn(name, about, m) for name, m in zip(names, measures, strict=True)]
    name = name if given is None else b"%s_%s" % (name, given)
    if about.takes == "values":
        return [_of_values(name, about, _values(given), collection_size)]
    if family is not None and about.takes == "pairs":
        pairs = _pairs(given) if given is not None else []
        return [OutputColumn(name, about, Measure(family.name, params=_pair_params(about, pairs, version)))]
    return [OutputColumn(name, about, None if family is None else Measure(family.name))]


def _cutoffs(text: bytes) -> list[int]:
    cutoffs = sorted(long(part) for part in text.split(b","))
    if cutoffs[0] <= 0:
        problem = f"a cutoff is a whole number from 1 on, not {cutoffs[0]}"
        raise _ParameterError("Negative cutoff detected", problem)
    _refuse_repeated(cutoffs)
    return cutoffs


def _points(text: bytes) -> list[float]:
    points = sorted(double(part) for part in text.split(b","))
    _refuse_repeated(points)
    return points


def _refuse_repeated(ordered: Sequence[float]) -> None:
    for one, next_one in pairwise(ordered):
        if one == next_one:
            raise _ParameterError("duplicate cutoffs detected", f"{one:g} occurs twice")


def _values(text: bytes | None) -> tuple[float, ...] | None:
    return None if text is None else tuple(double(part) for part in text.split(b","))


def _of_values(
    name: bytes, about: TrecEvalMeasure, values: tuple[float, ...] | None, collection_size: int
) -> OutputColumn:
    if about.name == "relstring":
        length = RELSTRING_LENGTH if values is None else _whole_part(values[0])
        return OutputColumn(name, about, length=max(0, length))
    assert about.family is not None
    params: dict[str, ParamValue] = {}
    if about.name == "utility":
        if values is not None and len(values) != 4:
            return OutputColumn(name, about)
        params["N"] = float(collection_size)
    if values is not None:
        parameter = about.family.trec_eval_param
        assert parameter is not None
        params[parameter] = values[0] if about.name == "set_F" else values
    return OutputColumn(name, about, Measure(about.family.name, params=tuple(sorted(params.items()))))


def _whole_part(value: float) -> int:
    """C's conversion to an integer; NaN and values beyond 64 bits become the lowest integer, as on x86."""
    return int(value) if abs(value) < 2.0**63 else INT64.start


def _pairs(text: bytes) -> list[tuple[bytes, float]]:
    parts = text.split(b",")
    if any(part.count(b"=") != 1 for part in parts):
        problem = "pairs level=gain are needed, separated by commas, such as 1=3,2=7"
        raise _ParameterError(f"malformed pair parameters in {quoted(text)}", problem)
    return [(level, double(value)) for level, _, value in (part.partition(b"=") for part in parts)]


def _pair_params(
    about: TrecEvalMeasure, pairs: Sequence[tuple[bytes, float]], version: Version
) -> tuple[tuple[str, ParamValue], ...]:
    params: dict[str, ParamValue] = {}
    if about.name != "rbp_resid":
        # 10.0 ignores names that are not whole numbers; 9.0.8 reads their integer prefix, so "a" is 0.
        gains = tuple((long(n), value) for n, value in pairs if version != "10.0" or _WHOLE.fullmatch(n))
        params |= {"gains": gains} if gains else {}
    if about.name.startswith("rbp"):
        params |= {"p": dict(pairs)[b"p"]} if b"p" in dict(pairs) else {}
    return tuple(sorted(params.items()))


_USAGE = """\
Usage: trec_eval [-h] [-q] [-c] [-n] {-m measure}* [--compat 9.0.8|10.0] qrels_file run_file
   -q: a line per topic as well; -c: average over all judged topics; -n: no summary
   -m: a measure, measure.parameters or one of official, set, all_trec (default: official)
   -h: all options, and with -m what a measure is"""

_HELP = """\
crosscheck trec_eval evaluates a run against judgements and prints what trec_eval prints.

  crosscheck trec_eval [options] qrels_file run_file

Options may be at any position and long ones may be abbreviated.
  --compat 9.0.8|10.0                version to emulate (default 9.0.8)
  -q, --query_eval_wanted            lines per topic before the summary
  -n, --nosummary                    no summary
  -m, --measure NAME[.PARAMETERS]    a measure or a nickname; may be repeated
  -c, --complete_rel_info_wanted     average over all judged topics; those without results count as 0
  -l, --level_for_rel N              lowest relevance level that counts as relevant (default 1)
  -M, --Max_retrieved_per_topic N    look at the first N documents of each topic only
  -J, --Judged_docs_only             remove unjudged documents from the rankings first
  -N, --Number_docs_in_coll N        documents in the collection, for utility (default 0)
  -R, --Rel_info_format FORMAT       qrels (default), qrels_jg, prefs or qrels_prefs
  -T, --Results_format FORMAT        trec_results, the only one
  -Z, --Zscore FILE                  distances from the means in FILE, in standard deviations
  -D, --Debug_level N[.TOPIC]        evaluate TOPIC only; the level changes nothing
  -o                                 accepted and without effect
  -v, --version; -h, --help

Exit codes: 0 success; 1 bad usage or no such measure; 2 an input file or a measure's parameters cannot be
used; 4 a topic cannot be evaluated; 7 no topic has both results and judgements; 255 the file of -Z.

Files may be pipes and may be compressed with gzip, other than in the C program; in 10.0 a run called - is
standard input. Ranks follow from the scores; tied documents are ordered by document id, descending. The
rank column is ignored. Scores are compared as float32 in 9.0.8 and as double in 10.0.
"""

_FORMATS = {
    "qrels": "topic iteration docno relevance: whole-number levels; the iteration is ignored",
    "qrels_jg": "topic group docno relevance: judgements of several groups, evaluated each and averaged",
    "prefs": "topic group subgroup docno level: of two documents of a subgroup the higher level is preferred",
    "qrels_prefs": "topic group docno level: of two documents of a group the higher level is preferred",
}


def usage() -> str:
    """The usage message, a few lines for stderr."""
    return _USAGE


def version_line(version: Version) -> str:
    """The emulated version and the version of crosscheck."""
    return f"trec_eval version {version} (crosscheck {__version__})\n"


def help_text(request: MeasureRequest, qrels_format: str) -> str:
    """All options, the format of the judgements, and the measures requested by ``-m``."""
    parts = [_HELP, "Run: topic Q0 docno rank score tag; blank lines and further columns are ignored."]
    if qrels_format in _FORMATS:
        parts.append(f"Judgements, {qrels_format}: {_FORMATS[qrels_format]}.")
    nicknames = "\n".join(f"  {name}: {', '.join(names)}" for name, names in GROUPS.items())
    parts.append(f"\nNicknames:\n{nicknames}\n")
    asked = set(request.named())
    if asked:
        parts += [_described(about) for about in request.selected()]
    else:
        parts.append("With -m NAME this help explains a measure as well.")
    return "\n".join(parts) + "\n"


def _described(about: TrecEvalMeasure) -> str:
    family = about.family
    if family is None:
        return f"{about.name}: {_TEXTS[about.name]}\n"
    text = inspect.getdoc(family.compute) or family.summary
    return f"{about.name}: {family.summary}\n" + "".join(f"  {line}\n" for line in text.splitlines())


_TEXTS = {
    "runid": "the tag on the last line of the run",
    "relstring": "relevance levels of the first documents; - is not judged, . has a negative level",
}


_SHORT = "hvqm:cl:nD:JN:M:R:T:oZ:"
#: Long name -> letter. ``--Output_old_results_format`` takes an argument, ``-o`` does not.
_LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m:",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l:",
    "nosummary": "n",
    "Debug_level": "D:",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N:",
    "Max_retrieved_per_topic": "M:",
    "Rel_info_format": "R:",
    "Results_format": "T:",
    "Output_old_results_format": "o:",
    "Zscore": "Z:",
}
_COMPAT = "compat"
_VERSIONS = {"9": "9.0.8", "9.0.8": "9.0.8", "10": "10.0", "10.0": "10.0"}

#: A result of getopt: (letter, argument), ("", file name), or ("?", message), after which nothing follows.
_Event: TypeAlias = tuple[str, str]


class TrecEvalOptions(Struct, frozen=True, kw_only=True, eq=False):
    """The options of a command line.

    Attributes:
        version: the emulated version (``--compat``).
        qrels, run: file names.
        per_topic: print a line per topic (``-q``).
        summary: print the summary (without ``-n``).
        complete: average over all topics of the qrels (``-c``).
        judged_only: remove unjudged documents (``-J``).
        level: lowest relevant level (``-l``).
        collection_size: ``-N``, used by ``utility`` only.
        depth: documents kept per topic (``-M``), or None for all.
        qrels_format, run_format: ``-R``, ``-T``.
        zscores: file of means and standard deviations (``-Z``), or None.
        only_topic: the one topic to evaluate (``-D level.topic``), or None.
        request: measures and their parameters (``-m``).
    """

    version: Version
    qrels: str
    run: str
    request: MeasureRequest
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    collection_size: int = 0
    depth: int | None = None
    qrels_format: str = "qrels"
    run_format: str = "trec_results"
    zscores: str | None = None
    only_topic: bytes | None = None


class Notice(Struct, frozen=True, eq=False):
    """Texts to print instead of evaluating anything: ``-v`` and ``-h``."""

    stdout: str = ""
    stderr: str = ""


def parse_options(arguments: Sequence[str]) -> TrecEvalOptions | Notice:
    """The options, read in order; the first error is the one that ends the C program.

    Args:
        arguments: the words after the command's name; bytes that are not UTF-8 as decoded by Python.

    Raises:
        TrecEvalError: with code 1 for bad usage or an illegal measure.
    """
    events = list(_getopt(arguments))
    request = MeasureRequest(_version(events))
    files: list[str] = []
    found: dict[str, str] = {}
    only_topic: bytes | None = None
    for letter, argument in events:
        match letter:
            case "":
                files.append(argument)
            case "?":
                raise TrecEvalError(1, f"trec_eval: {argument}", usage())
            case "v":
                return Notice(stderr=version_line(request.version))
            case "m":
                request.add(os.fsencode(argument))
            case "D":
                _, dot, topic = argument.partition(".")
                only_topic = os.fsencode(topic) if dot else only_topic
            case _:
                found[letter] = argument
    if "h" in found:
        return Notice(stdout=help_text(request, found.get("R", "qrels")))
    if len(files) != 2:
        raise TrecEvalError(1, usage(), problem=_files_needed(files))
    return TrecEvalOptions(
        version=request.version,
        qrels=files[0],
        run=files[1],
        request=request,
        per_topic="q" in found,
        summary="n" not in found,
        complete="c" in found,
        judged_only="J" in found,
        level=long(found.get("l", "1")),
        collection_size=long(found.get("N", "0")),
        depth=_depth(found.get("M")),
        qrels_format=found.get("R", "qrels"),
        run_format=found.get("T", "trec_results"),
        zscores=found.get("Z"),
        only_topic=only_topic,
    )


def _depth(text: str | None) -> int | None:
    if text is None:
        return None
    depth = long(text)
    if depth < 0:
        raise TrecEvalError(1, problem=f"-M {depth}: the number of documents to keep cannot be negative")
    return depth


def _version(events: Sequence[_Event]) -> Version:
    """The last ``--compat`` at any position, because the other options depend on it."""
    version = "9.0.8"
    for letter, argument in events:
        if letter == _COMPAT:
            if argument not in _VERSIONS:
                problem = f"--compat {_safe(argument)}: the versions are 9.0.8 and 10.0"
                raise TrecEvalError(1, problem=problem)
            version = _VERSIONS[argument]
    return cast(Version, version)


def _files_needed(files: Sequence[str]) -> str:
    given = "no file was" if not files else f"{len(files)} file{' was' if len(files) == 1 else 's were'}"
    return f"two files are needed, the judgements and the run, and {given} given"


# ---- getopt_long ---------------------------------------------------------------------------------------


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
    for word in rest:
        yield "", word


def _letters(letters: str, rest: list[str]) -> Iterator[_Event]:
    while letters:
        letter, letters = letters[0], letters[1:]
        at = _SHORT.find(letter)
        if at < 0 or letter == ":":
            yield "?", f"invalid option -- '{_safe(letter)}'"
        elif _SHORT[at + 1 : at + 2] != ":":
            yield letter, ""
        elif letters:
            yield letter, letters
            return
        elif rest:
            yield letter, rest.pop(0)
        else:
            yield "?", f"option requires an argument -- '{letter}'"


def _long(word: str, rest: list[str]) -> Iterator[_Event]:
    name, equals, argument = word.partition("=")
    # Only its full name, because it would make abbreviations of trec_eval's options ambiguous.
    found = [_COMPAT] if name == _COMPAT else [n for n in _LONG if n.startswith(name)]
    if name in found:
        found = [name]
    if not found:
        yield "?", f"unrecognized option '--{_safe(name)}'"
    elif len(found) > 1:
        possible = "".join(f" '--{n}'" for n in found)
        yield "?", f"option '--{_safe(word)}' is ambiguous; possibilities:{possible}"
    else:
        yield _with_argument(found[0], bool(equals), argument, rest)


def _with_argument(name: str, given: bool, argument: str, rest: list[str]) -> _Event:
    letter = _LONG.get(name, f"{_COMPAT}:")
    if letter.endswith(":"):
        if not given and not rest:
            return "?", f"option '--{name}' requires an argument"
        return letter[:-1], argument if given else rest.pop(0)
    if given:
        return "?", f"option '--{name}' doesn't allow an argument"
    return letter, ""


def _safe(text: str) -> str:
    return quoted(os.fsencode(text))[1:-1]
