"""The command trec_eval 9.0.8 as a whole, played on its own C functions.

pytrec_eval-terrier carries them in full and passes on only some measures and options. Its extension module
exports all of them, and the records they work on are those of trec_eval's header; only the main function is
missing. It is played here, printing included: read both files, initialise measures, compute each topic,
average. This file is run as a child process, with each call in a forked child of its own, because C functions
on raw memory keep state, run into endless memory and crash. Calls come in as lines of JSON, and answers go
out as lines of JSON.
"""

import ctypes
import importlib
import importlib.metadata
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
from typing import Any

#: The version whose records are described here.
VERSION = "0.5.11"


def why_not() -> str | None:
    """Why this cannot be used here, or None."""
    if importlib.metadata.version("pytrec_eval-terrier") != VERSION:
        return f"pytrec_eval-terrier is not {VERSION}"
    return None if sys.platform == "linux" else "the layout of the records is known for Linux only"


@dataclass(frozen=True)
class Ended:
    """How a call ended: exit code (negative: the signal that killed it), what it printed, and the values by
    topic and printed name, the summary under ``all``."""

    code: int
    stdout: bytes
    values: dict[str, dict[str, float]]


def ask(calls: Iterable[tuple[Sequence[str], dict[str, bytes]]]) -> list[Ended]:
    """Call the command with options and files (``qrels``, ``run``, ``zscores``) by their content.

    Of the options only short ones without clusters are understood.
    """
    lines = [
        json.dumps([list(options), {name: content.decode("latin-1") for name, content in files.items()}])
        for options, files in calls
    ]
    child = subprocess.run(
        [sys.executable, __file__],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    answers = [json.loads(line) for line in child.stdout.splitlines()]
    return [Ended(code, printed.encode("latin-1"), values) for code, printed, values in answers]


_KINDS: dict[str, Any] = {"long": ctypes.c_long, "text": ctypes.c_char_p, "double": ctypes.c_double}
_KINDS |= {"any": ctypes.c_void_p}
_REF = ctypes.POINTER


def _record(name: str, fields: str) -> Any:
    """A record of the header, from lines ``kind field ...``; ``*kind`` is a pointer to one, ``(3)`` one to a
    function of three pointers."""
    typed = []
    for kind, *names in map(str.split, fields.strip().splitlines()):
        if kind[0] == "(":
            of: Any = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * int(kind[1:-1]))
        else:
            of = _REF(_KINDS[kind[1:]]) if kind[0] == "*" else _KINDS[kind]
        typed += [(field, of) for field in names]
    _KINDS[name] = type(name, (ctypes.Structure,), {"_fields_": typed})
    return _KINDS[name]


_Argument = _record("argument", "text name parameters")
_Options = _record(
    "options",
    """
    long query_flag summary_flag debug_level
    text debug_query
    long relation_flag complete judged_only collection level depth
    text judgement_format results_format
    long zscores
    *argument arguments
    """,
)
_Value = _record("value", "text name\ndouble value")
_Evaluation = _record("evaluation", "text topic\nlong topics\n*value values\nlong size reserved")
_Results = _record("results", "text topic tag format\nany table")
_Judgements = _record("judgements", "text topic format\nany table")
_Nickname = _record("nickname", "text name\n*text members")
_AllZScores = _record("all_zscores", "long size\nany topics")
_AllResults = _record("all_results", "long size reserved\n*results topics")
_AllJudgements = _record("all_judgements", "long size reserved\n*judgements topics")
#: Its functions take options, measure and evaluation, and before the last: judgements and results
#: (``compute``), the evaluation of the topic (``add``), all judgements (``average``).
_Measure = _record(
    "measure",
    """
    text name explanation
    (3) start
    (5) compute
    (4) add average
    any print_topic print_summary parameters
    long index
    """,
)
_ASKED_FOR = -2
_PRINT = ctypes.CFUNCTYPE(ctypes.c_int, _REF(_Options), _REF(_Measure), _REF(_Evaluation))


class _ExitError(Exception):
    """C's exit(code)."""


def _main(library: ctypes.CDLL, options: list[str], files: dict[str, str]) -> dict[str, dict[str, float]]:
    """trec_eval's main function, which returns its values."""
    measures = {m.contents.name.decode(): m for m in _table(library, "te_trec_measures", _REF(_Measure))}
    asked: dict[str, str] = {}
    arguments: list[tuple[str, str]] = []
    words = iter(options)
    for word in words:
        value = next(words) if word[1] in "lMNRmDZ" else ""
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
    records = (_Argument * (len(arguments) + 1))()
    for record, (name, parameters) in zip(records, arguments, strict=False):
        record.name, record.parameters = name.encode(), parameters.encode()
    judgement_format = asked.get("-R", "qrels")
    settings = _Options(
        query_flag="-q" in asked,
        summary_flag="-n" not in asked,
        relation_flag=1,
        complete="-c" in asked,
        judged_only="-J" in asked,
        collection=int(asked.get("-N", 0)),
        level=int(asked.get("-l", 1)),
        depth=int(asked.get("-M", 2**31 - 1)),
        judgement_format=judgement_format.encode(),
        results_format=b"trec_results",
        zscores="-Z" in asked,
        arguments=ctypes.cast(records, _REF(_Argument)),
    )
    judgements, results, zscores = _AllJudgements(), _AllResults(), _AllZScores()
    readers = {judgement_format: ("qrels", judgements, 2), "trec_results": ("run", results, 2)}
    readers |= {"zscores": ("zscores", zscores, 255)} if "-Z" in asked else {}
    for form, (file, table, code) in readers.items():
        reader = getattr(library, f"te_get_{form}", None)
        if not reader or reader(ctypes.byref(settings), files[file].encode(), ctypes.byref(table)) == -1:
            raise _ExitError(code)
    used = [measure for name, measure in measures.items() if name in asked]
    only = asked["-D"].partition(".")[2].encode() if "." in asked.get("-D", "") else None
    return _evaluate(library, settings, judgements, results, zscores if "-Z" in asked else None, used, only)


def _marked(library: ctypes.CDLL, measures: dict[str, object], name: str) -> list[str]:
    """The measures of a name; empty if it does not exist."""
    for nickname in _table(library, "te_trec_measure_nicknames", _Nickname):
        if nickname.name == name.encode():
            members: list[str] = []
            while member := nickname.members[len(members)]:
                members.append(member.decode())
            return members
    return [name] if name in measures else []


def _evaluate(library, settings, judgements, results, zscores, measures, only):
    by, found = ctypes.byref, {}
    summary = _Evaluation(topic=b"all")
    for measure in measures:
        measure.contents.index = _ASKED_FOR
        if measure.contents.start(by(settings), measure, by(summary)) == -1:
            raise _ExitError(2)
    values = (_Value * max(1, summary.size))()
    here = _Evaluation(values=ctypes.cast(values, _REF(_Value)), size=summary.size, reserved=summary.size)
    number = {judgements.topics[i].topic: i for i in range(judgements.size)}
    for i in range(results.size):
        topic = results.topics[i].topic
        if topic not in number or (only is not None and topic != only):
            continue
        for j in range(summary.size):
            values[j] = _Value(summary.values[j].name, 0.0)
        here.topic = topic
        for measure in measures:
            judged, retrieved = judgements.topics[number[topic]], results.topics[i]
            if measure.contents.compute(by(settings), by(judged), by(retrieved), measure, by(here)) == -1:
                raise _ExitError(4)
        found[topic.decode("latin-1")] = {v.name.decode("latin-1"): v.value for v in values[: summary.size]}
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
    found["all"] = {v.name.decode("latin-1"): v.value for v in summary.values[: summary.size]}
    for measure in measures:
        _PRINT(measure.contents.print_summary)(by(settings), measure, by(summary))
    return found


def _table(library: ctypes.CDLL, name: str, of: type[Any]) -> ctypes.Array[Any]:
    size = {"te_trec_measures": "te_num_trec_measures"}.get(name, "te_num_trec_measure_nicknames")
    return (of * ctypes.c_int.in_dll(library, size).value).in_dll(library, name)


def _call(library: ctypes.CDLL, options: list[str], contents: dict[str, str]) -> tuple[object, ...]:
    """How it ended: exit code, what it printed, and values."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in contents.items():
            Path(folder, name).write_bytes(content.encode("latin-1"))
        pid = os.fork()
        if not pid:
            out = os.open(f"{folder}/stdout", os.O_CREAT | os.O_WRONLY)
            os.dup2(out, 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
            code = 99
            try:
                found = _main(library, options, {name: f"{folder}/{name}" for name in contents})
                Path(folder, "values").write_text(json.dumps(found), "utf-8")
                code = 0
            except _ExitError as ended:
                code = ended.args[0]
            finally:
                ctypes.CDLL(None).fflush(None)
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        saved = Path(folder, "values")
        values = json.loads(saved.read_text("utf-8")) if saved.exists() else {}
        printed = Path(folder, "stdout").read_bytes().decode("latin-1")
        return os.waitstatus_to_exitcode(status), printed, values


if __name__ == "__main__":
    spec = importlib.util.find_spec("pytrec_eval_ext")
    assert spec is not None
    assert spec.origin is not None
    importlib.import_module("pytrec_eval_ext")
    loaded = ctypes.CDLL(spec.origin)
    for line in sys.stdin:
        print(json.dumps(_call(loaded, *json.loads(line))), flush=True)
