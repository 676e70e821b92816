"""The two input files, read by the rules of a trec_eval version, with the error messages of that version."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

import numpy as np

from crosscheck.conventions import Conventions
from crosscheck.engine.streaming import Reading, streamed
from crosscheck.errors import InputError, quoted
from crosscheck.evaluation.rankings import Rankings
from crosscheck.formats.grouping import identifiers
from crosscheck.formats.preferences import preferences_from_text
from crosscheck.formats.reference_reader import Rules
from crosscheck.formats.source import open_input, text_of
from crosscheck.formats.trec import RepeatedError, qrels_from_text, run_from_text
from crosscheck.model import Qrels, Run
from crosscheck.rankings.pairing import JudgedPool
from crosscheck.trec_eval.failure import TrecEvalError
from crosscheck.trec_eval.selection import Version

__all__ = ["read_judgements", "read_results", "stream_results", "without_comments"]

_RUN = "a run: lines of topic Q0 docno rank score tag"
_JUDGEMENTS = "judgements"


def stream_results(
    path: str, version: Version, pool: JudgedPool, conventions: Conventions
) -> Rankings | None:
    """The judged documents of a run, read in one pass; None if the run must be read as a whole.

    Raises:
        TrecEvalError: with code 2, the run cannot be read.
    """
    if _is_stdin(path, version):
        return None
    try:
        return streamed(Reading(path, _rules(version), json=False), pool, conventions)
    except InputError as error:
        raise _results_error(path, version, error) from None


def read_results(path: str, version: Version) -> Run:
    """The run. It may have no topics; duplicates and NaN scores are kept.

    In 10.0 a name that begins with ``-`` is standard input.

    Raises:
        TrecEvalError: with code 2, the run cannot be read.
    """
    try:
        if _is_stdin(path, version):
            text = sys.stdin.buffer.read()
            if not text:
                raise InputError("there is nothing in it", path="standard input", expected=_RUN)
            return run_from_text(_stream(text), "standard input", _rules(version)) or _without_topics(path)
        with open_input(path, _RUN) as stream:
            return run_from_text(stream, path, _rules(version)) or _without_topics(path)
    except InputError as error:
        raise _results_error(path, version, error) from None


def _is_stdin(path: str, version: Version) -> bool:
    return version == "10.0" and path.startswith("-")


def _rules(version: Version) -> Rules:
    return Rules(strict=False, comments=version == "10.0")


def _results_error(path: str, version: Version, error: InputError) -> TrecEvalError:
    said = f"Cannot read results file {quoted(path, 4096)}"
    if error.line is not None:
        said = f"Malformed line {_counted(path, error.line, version)}"
    return _file_error(f"trec_eval.get_results: {said}", path, error)


def _without_topics(path: str) -> Run:
    """The empty run of a file of blank lines."""
    none = np.zeros(0, np.int64)
    return Run(
        topics=(),
        offsets=np.zeros(1, np.int64),
        docnos=identifiers([]),
        scores=np.zeros(0),
        ranks=None,
        lines=none,
        tag=b"",
        source=path,
    )


def read_judgements(path: str, version: Version, name: str) -> Qrels:
    """The judgements without the comments that the version skips; duplicates in the format qrels are kept.

    Args:
        name: name of the format, ``qrels``, ``qrels_jg``, ``prefs`` or ``qrels_prefs``.

    Raises:
        TrecEvalError: with code 2, the file cannot be read, or a group judges a document twice.
    """
    skipped: Sequence[int] = ()
    try:
        with open_input(path, _JUDGEMENTS) as stream:
            if version == "9.0.8":
                return _judgements(stream, path, name)
            text, skipped = without_comments(text_of(stream, path, _JUDGEMENTS))
            return _judgements(_stream(text), path, name)
    except RepeatedError as error:
        said = f"trec_eval.get_qrels: duplicate docs {quoted(error.docno)[1:-1]}"
        raise _file_error(said, path, _renumbered(error, skipped)) from None
    except InputError as error:
        said = f"Cannot read {'prefs' if 'prefs' in name else 'qrels'} file {quoted(path, 4096)}"
        if error.line is not None:
            said = f"Malformed line {error.line}"
        raise _file_error(f"trec_eval.get_{name}: {said}", path, _renumbered(error, skipped)) from None


def _judgements(stream: io.BufferedReader, path: str, name: str) -> Qrels:
    if "prefs" in name:
        text = text_of(stream, path, _JUDGEMENTS)
        return preferences_from_text(text, path, subgroups=name == "prefs")
    qrels = qrels_from_text(stream, path, Rules(strict=False, subtopics=name == "qrels_jg"))
    if qrels is None:
        raise InputError("the file holds nothing but comments", path=path, expected=_JUDGEMENTS)
    return qrels


def without_comments(text: bytes) -> tuple[bytes, list[int]]:
    """Judgements without the comment lines that trec_eval 10 skips, and the numbers of those lines.

    trec_eval 10 skips one line that begins with ``#`` before each record, so the second of two comment lines
    in a row is read as a record. A comment at the end of the file crashes trec_eval; here it is skipped as
    well.
    """
    if not text.startswith(b"#") and b"\n#" not in text:
        return text, []
    kept: list[bytes] = []
    skipped: list[int] = []
    behind_comment = False
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n"), 1):
        behind_comment = line.startswith(b"#") and not behind_comment
        if behind_comment:
            skipped.append(number)
        else:
            kept.append(line)
    return b"".join(line + b"\n" for line in kept), skipped


def _stream(text: bytes) -> io.BufferedReader:
    return io.BufferedReader(io.BytesIO(text))


def _file_error(said: str, path: str, error: InputError) -> TrecEvalError:
    return TrecEvalError(2, said, f"trec_eval: Quit in file {quoted(path, 4096)}", problem=error)


def _counted(path: str, line: int, version: Version) -> int:
    """Line number as counted by trec_eval, which skips blank lines and comments in a run."""
    try:
        with open_input(path, _RUN) as stream:
            first_words = [stream.readline().split(maxsplit=1)[:1] for _ in range(line - 1)]
    except InputError:
        return line  # standard input
    comment = b"#" if version == "10.0" else b" "
    return 1 + sum(bool(word) and not word[0].startswith(comment) for word in first_words)


def _renumbered(error: InputError, skipped: Sequence[int]) -> InputError:
    """The error with the line number in the file itself."""
    line = error.line
    if line is None or not skipped:
        return error
    for number in skipped:
        line += number <= line
    return type(error)(
        error.message,
        path=error.path,
        line=line,
        found=error.found,
        expected=error.expected,
        hint=error.hint,
    )
