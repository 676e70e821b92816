"""trec_eval 9.0.8's own C functions, which pytrec_eval-terrier carries in full, called one by one.

pytrec_eval passes on only some measures and options. Its extension module exports the functions for all of
them, and the records they work on are those of trec_eval's header; so trec_eval's main loop can be played
from here: read both files, initialise measures, compute each topic, average. C code on raw memory can take
the process with it, so this file is run as a child process: requests come in as lines of JSON, values go out
as lines of JSON.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: The version whose records are described here.
VERSION = "0.5.11"


def why_not() -> str | None:
    """Why this cannot be used here, or None."""
    if importlib.metadata.version("pytrec_eval-terrier") != VERSION:
        return f"pytrec_eval-terrier is not {VERSION}"
    return None if sys.platform == "linux" else "the layout of the records is known for Linux only"


def ask(requests: Iterable[dict[str, Any]]) -> list[dict[str, dict[str, float]]]:
    """Values by topic and printed name for each request, the summary under ``all``.

    A request holds ``qrels`` and ``run`` (text), ``measures`` (``name`` or ``name.parameters``) and, if they
    are not the defaults, ``format`` and the flags ``l``, ``M``, ``J``, ``N``.
    """
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    child = subprocess.run(
        [sys.executable, __file__], input=lines, capture_output=True, text=True, check=False, timeout=300
    )
    assert child.returncode == 0, f"the C functions ended with {child.returncode}: {child.stderr[-500:]}"
    return [json.loads(line) for line in child.stdout.splitlines()]


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
#: Bytes of the record behind ``parameters``.
_PARAMETERS = 24
_ASKED_FOR = -2


class _TrecEval:
    def __init__(self) -> None:
        spec = importlib.util.find_spec("pytrec_eval_ext")
        assert spec is not None
        assert spec.origin is not None
        # Imported as well, because the library refers to names of the interpreter.
        importlib.import_module("pytrec_eval_ext")
        self._library = ctypes.CDLL(spec.origin)
        size = ctypes.c_int.in_dll(self._library, "te_num_trec_measures").value
        table = (_REF(_Measure) * size).in_dll(self._library, "te_trec_measures")
        self._measures = {measure.contents.name.decode(): measure for measure in table}
        self._defaults = {
            name: ctypes.string_at(measure.contents.parameters, _PARAMETERS)
            for name, measure in self._measures.items()
            if measure.contents.parameters
        }

    def evaluate(self, request: dict[str, Any]) -> dict[str, dict[str, float]]:
        asked = [measure.partition(".")[::2] for measure in request["measures"]]
        given = [(name, parameters) for name, parameters in asked if parameters]
        arguments = (_Argument * (len(given) + 1))()
        for argument, (name, parameters) in zip(arguments, given, strict=False):
            argument.name, argument.parameters = name.encode(), parameters.encode()
        judgement_format = request.get("format", "qrels")
        options = _Options(
            relation_flag=1,
            summary_flag=1,
            judged_only=request.get("J", 0),
            collection=request.get("N", 0),
            level=request.get("l", 1),
            depth=request.get("M", 2**31 - 1),
            judgement_format=judgement_format.encode(),
            results_format=b"trec_results",
            arguments=ctypes.cast(arguments, _REF(_Argument)) if given else None,
        )
        judgements, results = _AllJudgements(), _AllResults()
        with tempfile.TemporaryDirectory() as folder:
            qrels, run = Path(folder, "qrels"), Path(folder, "run")
            qrels.write_text(request["qrels"], "utf-8")
            run.write_text(request["run"], "utf-8")
            read = getattr(self._library, f"te_get_{judgement_format}")
            assert read(ctypes.byref(options), str(qrels).encode(), ctypes.byref(judgements)) == 1
            read = self._library.te_get_trec_results
            assert read(ctypes.byref(options), str(run).encode(), ctypes.byref(results)) == 1
        try:
            return self._evaluated(options, judgements, results, {name for name, _ in asked})
        finally:
            for form in ("form_res_rels", "form_res_rels_jg", f"get_{judgement_format}", "get_trec_results"):
                getattr(self._library, f"te_{form}_cleanup")()

    def _evaluated(
        self, options: Any, judgements: Any, results: Any, asked: set[str]
    ) -> dict[str, dict[str, float]]:
        measures = [measure for name, measure in self._measures.items() if name in asked]
        summary = _Evaluation(topic=b"all")
        for measure in measures:
            if default := self._defaults.get(measure.contents.name.decode()):
                ctypes.memmove(measure.contents.parameters, default, _PARAMETERS)
            measure.contents.index = _ASKED_FOR
            assert measure.contents.start(ctypes.byref(options), measure, ctypes.byref(summary)) != -1
        values = (_Value * summary.size)()
        here = _Evaluation(
            values=ctypes.cast(values, _REF(_Value)), size=summary.size, reserved=summary.size, topics=1
        )
        number = {judgements.topics[i].topic: i for i in range(judgements.size)}
        found: dict[str, dict[str, float]] = {}
        for i in range(results.size):
            topic = results.topics[i].topic
            if topic not in number:
                continue
            for j in range(summary.size):
                values[j] = _Value(summary.values[j].name, 0.0)
            here.topic = topic
            for measure in measures:
                judged, retrieved = judgements.topics[number[topic]], results.topics[i]
                code = measure.contents.compute(
                    ctypes.byref(options),
                    ctypes.byref(judged),
                    ctypes.byref(retrieved),
                    measure,
                    ctypes.byref(here),
                )
                assert code != -1, measure.contents.name
                measure.contents.add(
                    ctypes.byref(options), measure, ctypes.byref(here), ctypes.byref(summary)
                )
            summary.topics += 1
            found[topic.decode()] = {value.name.decode(): value.value for value in values}
        for measure in measures:
            measure.contents.average(
                ctypes.byref(options), measure, ctypes.byref(judgements), ctypes.byref(summary)
            )
        found["all"] = {summary.values[j].name.decode(): summary.values[j].value for j in range(summary.size)}
        return found


if __name__ == "__main__":
    program = _TrecEval()
    for line in sys.stdin:
        print(json.dumps(program.evaluate(json.loads(line))), flush=True)
