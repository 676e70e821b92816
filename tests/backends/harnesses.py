"""A program that speaks the harness protocol, well or badly: ``python harnesses.py GREETING REPLY ...``.

The greeting is its reply to ``start``; empty for a usual one. The reply to a request is the text, with the
number of the request for ``"seq": 1``, or what the function of this name returns; after ``!`` stands code
that is run before the usual ``answer``.
"""

from __future__ import annotations

import json
import os
import sys
import time
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


def echo(message: Message) -> Message:
    return {"seq": message["seq"], "error": {"message": json.dumps(message)}}


def main() -> None:
    greeting, reply = sys.argv[1:3]
    for line in sys.stdin:
        message = json.loads(line)
        if message["cmd"] == "stop":
            return
        if message["cmd"] == "start":
            print(greeting or '{"name": "test", "version": "1.2", "measures": []}', flush=True)
        elif reply.startswith("!"):
            answer = values(message)
            exec(reply[1:], {"answer": answer, "os": os, "time": time})
            print(json.dumps(answer), flush=True)
        elif reply in globals():
            print(json.dumps(globals()[reply](message)), flush=True)
        else:
            print(reply.replace('"seq": 1', f'"seq": {message["seq"]}'), flush=True)


if __name__ == "__main__":
    main()
