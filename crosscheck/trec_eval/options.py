"""trec_eval's command line: GNU getopt_long's rules, trec_eval's options, and ``--compat``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TypeAlias, cast

from msgspec import Struct

from crosscheck.errors import quoted
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.parameters import long
from crosscheck.trec_eval.selection import Request, Version
from crosscheck.trec_eval.texts import help_text, usage, version_line

__all__ = ["Notice", "Options", "parse_options"]

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


class Options(Struct, frozen=True, kw_only=True, eq=False):
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
    request: Request
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


def parse_options(arguments: Sequence[str]) -> Options | Notice:
    """The options, read in order; the first error is the one that ends the C program.

    Args:
        arguments: the words after the command's name; bytes that are not UTF-8 as decoded by Python.

    Raises:
        TrecEvalError: with code 1 for bad usage or an illegal measure.
    """
    events = list(_getopt(arguments))
    request = Request(_version(events))
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
    return Options(
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
