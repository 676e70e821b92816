"""Programs that speak the harness protocol, well and badly: ``python harnesses.py BEHAVIOUR``."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Message = dict[str, Any]


def values(message: Message) -> Message:
    """The number of judged documents of every query that has results."""
    counts = {q: len(docs) for q, docs in message["qrels"].items() if q in message["run"]}
    return {"seq": message["seq"], "values": dict.fromkeys(message["measures"], counts)}


def files(message: Message) -> Message:
    """An error that says what was handed over: the first lines of two files, or the length of inline data."""
    names = ("qrels_path", "run_path")
    if "qrels_path" in message:
        said: Message = {name: Path(message[name]).read_text("utf-8").splitlines()[:3] for name in names}
        said["paths"] = [message[name] for name in names]
    else:
        said = {"inline": sum(map(len, message["run"].values()))}
    return {"seq": message["seq"], "error": {"message": json.dumps(said)}}


def one(value: object) -> Callable[[Message], Message]:
    """Every query has this value."""

    def answer(message: Message) -> Message:
        return {
            "seq": message["seq"],
            "values": {name: dict.fromkeys(message["qrels"], value) for name in message["measures"]},
        }

    return answer


def silent(message: Message) -> Message:
    time.sleep(60)
    return values(message)


def dies(message: Message) -> Message:
    sys.stderr.write("out of luck\n")
    sys.stderr.flush()
    os._exit(3)


def noisy(message: Message) -> Message:
    sys.stderr.write("a warning \x1b[31m\n")
    sys.stderr.flush()
    return values(message)


def cut_off(message: Message) -> Message:
    sys.stdout.write('{"seq": 1')
    sys.stdout.flush()
    os._exit(0)


def garbage(message: Message) -> Message:
    """A long line without an end, after which nothing comes."""
    sys.stdout.write("x" * (1 << 20))
    sys.stdout.flush()
    time.sleep(600)
    return {}


ANSWERS: dict[str, Callable[[Message], object]] = {
    "good": values,
    "null": one(None),
    "text": one("0.5"),
    "true": one(True),
    "huge": one(10**400),
    "special": one("NaN"),
    "bare-nan": one(float("nan")),
    "wrong-seq": lambda m: values(m) | {"seq": m["seq"] + 4},
    "no-seq": lambda m: {"values": {}},
    "not-json": lambda m: "nonsense {",
    "no-object": lambda m: [1, 2],
    "no-values": lambda m: {"seq": m["seq"]},
    "other-measure": lambda m: {"seq": m["seq"], "values": {"XY": {}}},
    "other-query": lambda m: {"seq": m["seq"], "values": {n: {"zz": 1.0} for n in m["measures"]}},
    "unsupported": lambda m: {"seq": m["seq"], "unsupported": m["measures"]},
    "error": lambda m: {"seq": m["seq"], "error": {"message": "no such index"}},
    "silent": silent,
    "dies": dies,
    "noisy": noisy,
    "cut-off": cut_off,
    "garbage": garbage,
    "means": lambda m: values(m) | {"means": dict.fromkeys(m["measures"], 0.25)},
    "files-only": files,
    "files-too": files,
    "files-not": files,
    "echo": lambda m: {"seq": m["seq"], "error": {"message": json.dumps(m)}},
}
GREETINGS: dict[str, object] = {
    "other-protocol": {"name": "x", "version": "1", "protocol": 2},
    "no-name": {"version": "1"},
    "bad-measures": {"name": "x", "version": "1", "measures": "P@5"},
    "bad-inputs": {"name": "x", "inputs": ["stdin"]},
    "files-only": {"name": "x", "inputs": ["paths"]},
    "files-too": {"name": "x", "inputs": ["inline", "paths"]},
    "some-measures": {"name": "x", "version": "1", "measures": ["P", "nDCG@10", "nonsense@"]},
}


def main() -> None:
    behaviour = sys.argv[1]
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if message["cmd"] == "start":
            reply: object = GREETINGS.get(behaviour, {"name": "test", "version": "1.2", "measures": []})
        else:
            reply = ANSWERS.get(behaviour, values)(message)
        print(reply if isinstance(reply, str) else json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
