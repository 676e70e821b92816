"""The command trec_eval 9.0.8 as a whole, played on its own C functions (see tests.measures.embedded).

The C program's main function is all that the library lacks. It is played here, printing included, each call
in a forked child of its own, because the functions keep state, run into endless memory and crash.
"""

from __future__ import annotations

import base64
import ctypes
import importlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.measures import embedded as c

__all__ = ["Ended", "ask"]

_REF = ctypes.POINTER
_PRINT = ctypes.CFUNCTYPE(ctypes.c_int, _REF(c._Options), _REF(c._Measure), _REF(c._Evaluation))


class _Nickname(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("members", _REF(ctypes.c_char_p))]


class _AllZScores(ctypes.Structure):
    _fields_ = [("size", ctypes.c_long), ("topics", ctypes.c_void_p)]


@dataclass(frozen=True)
class Ended:
    """How a call ended: exit code (negative: the signal that killed it) and what it printed."""

    code: int
    stdout: bytes


def ask(calls: Iterable[tuple[Sequence[str], dict[str, bytes]]]) -> list[Ended]:
    """Call the command with options and files (``qrels``, ``run``, ``zscores``) by their content.

    Of the options only short ones without clusters are understood.
    """
    lines = [
        json.dumps([list(options), {k: base64.b64encode(v).decode() for k, v in files.items()}])
        for options, files in calls
    ]
    child = subprocess.run(
        [sys.executable, "-m", "tests.trec_eval.embedded_command"],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
        cwd=Path(__file__).parents[2],
    )
    answers = [json.loads(line) for line in child.stdout.splitlines()]
    return [Ended(code, base64.b64decode(printed)) for code, printed in answers]


class _ExitError(Exception):
    """C's exit(code)."""


def _main(library: ctypes.CDLL, options: list[str], files: dict[str, str]) -> None:
    """trec_eval's main function."""
    measures = {m.contents.name.decode(): m for m in _table(library, "te_trec_measures", _REF(c._Measure))}
    asked: dict[str, str] = {}
    arguments: list[tuple[str, str]] = []
    words = iter(options)
    for word in words:
        value = next(words) if word[1] in "lMRmDZ" else ""
        if word == "-m":
            name, point, parameters = value.partition(".")
            if (point and not parameters) or not _marked(library, measures, name):
                raise _ExitError(1)
            arguments += [(name, parameters)] if point else []
            asked |= dict.fromkeys(_marked(library, measures, name), "")
        else:
            asked[word] = value
    if not any(not name.startswith("-") for name in asked):
        asked |= dict.fromkeys(_marked(library, measures, "official"), "")
    records = (c._Argument * (len(arguments) + 1))()
    for record, (name, parameters) in zip(records, arguments, strict=False):
        record.name, record.parameters = name.encode(), parameters.encode()
    judgement_format = asked.get("-R", "qrels")
    settings = c._Options(
        query_flag="-q" in asked,
        summary_flag="-n" not in asked,
        relation_flag=1,
        complete="-c" in asked,
        judged_only="-J" in asked,
        level=int(asked.get("-l", 1)),
        depth=int(asked.get("-M", 2**31 - 1)),
        judgement_format=judgement_format.encode(),
        results_format=b"trec_results",
        zscores="-Z" in asked,
        arguments=ctypes.cast(records, _REF(c._Argument)),
    )
    judgements, results, zscores = c._AllJudgements(), c._AllResults(), _AllZScores()
    reader = getattr(library, f"te_get_{judgement_format}", None)
    if (
        reader is None
        or reader(ctypes.byref(settings), files["qrels"].encode(), ctypes.byref(judgements)) == -1
    ):
        raise _ExitError(2)
    if (
        library.te_get_trec_results(ctypes.byref(settings), files["run"].encode(), ctypes.byref(results))
        == -1
    ):
        raise _ExitError(2)
    if "-Z" in asked:
        path = files["zscores"].encode()
        if library.te_get_zscores(ctypes.byref(settings), path, ctypes.byref(zscores)) == -1:
            raise _ExitError(255)
    _evaluate(
        library,
        settings,
        judgements,
        results,
        zscores if "-Z" in asked else None,
        [measure for name, measure in measures.items() if name in asked],
        asked["-D"].partition(".")[2].encode() if "." in asked.get("-D", "") else None,
    )


def _marked(library: ctypes.CDLL, measures: dict[str, object], name: str) -> list[str]:
    """The measures of a name; empty if it does not exist."""
    for nickname in _table(library, "te_trec_measure_nicknames", _Nickname):
        if nickname.name == name.encode():
            members: list[str] = []
            while member := nickname.members[len(members)]:
                members.append(member.decode())
            return members
    return [name] if name in measures else []


def _evaluate(library, settings, judgements, results, zscores, measures, only):  # type: ignore[no-untyped-def]
    by = ctypes.byref
    summary = c._Evaluation(topic=b"all")
    for measure in measures:
        measure.contents.index = c._ASKED_FOR
        if measure.contents.start(by(settings), measure, by(summary)) == -1:
            raise _ExitError(2)
    values = (c._Value * max(1, summary.size))()
    here = c._Evaluation(values=ctypes.cast(values, _REF(c._Value)), size=summary.size, reserved=summary.size)
    number = {judgements.topics[i].topic: i for i in range(judgements.size)}
    for i in range(results.size):
        topic = results.topics[i].topic
        if topic not in number or (only is not None and topic != only):
            continue
        for j in range(summary.size):
            values[j] = c._Value(summary.values[j].name, 0.0)
        here.topic = topic
        for measure in measures:
            judged, retrieved = judgements.topics[number[topic]], results.topics[i]
            if measure.contents.compute(by(settings), by(judged), by(retrieved), measure, by(here)) == -1:
                raise _ExitError(4)
        if zscores is not None:
            library.te_convert_to_zscore(by(zscores), by(here))
        for measure in measures:
            measure.contents.add(by(settings), measure, by(here), by(summary))
            if settings.query_flag:
                _PRINT(measure.contents.print_topic)(by(settings), measure, by(here))
        summary.topics += 1
    if not summary.topics:
        raise _ExitError(7)
    for measure in measures:
        measure.contents.average(by(settings), measure, by(judgements), by(summary))
        _PRINT(measure.contents.print_summary)(by(settings), measure, by(summary))


def _table(library: ctypes.CDLL, name: str, of: type) -> ctypes.Array:  # type: ignore[type-arg]
    size = {"te_trec_measures": "te_num_trec_measures"}.get(name, "te_num_trec_measure_nicknames")
    return (of * ctypes.c_int.in_dll(library, size).value).in_dll(library, name)


def _call(library: ctypes.CDLL, options: list[str], contents: dict[str, str]) -> Ended:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            Path(folder, name).write_bytes(base64.b64decode(content))
        pid = os.fork()
        if not pid:
            out = os.open(f"{folder}/stdout", os.O_CREAT | os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
            code = 99
            try:
                _main(library, options, {name: f"{folder}/{name}" for name in contents})
                code = 0
            except _ExitError as ended:
                code = ended.args[0]
            finally:
                ctypes.CDLL(None).fflush(None)
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        return Ended(os.waitstatus_to_exitcode(status), Path(folder, "stdout").read_bytes())


if __name__ == "__main__":
    spec = importlib.util.find_spec("pytrec_eval_ext")
    assert spec is not None
    assert spec.origin is not None
    importlib.import_module("pytrec_eval_ext")
    loaded = ctypes.CDLL(spec.origin)
    for line in sys.stdin:
        ended = _call(loaded, *json.loads(line))
        print(json.dumps([ended.code, base64.b64encode(ended.stdout).decode()]), flush=True)
