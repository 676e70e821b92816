"""Stands in for the C program: its options, its layout, four decimals; computed by pytrec_eval.

Used as a script. Environment: ``FAKE_VERSION`` is what ``-v`` reports; ``FAKE_MODE`` is ``ten`` (refuses a
run that lacks a judged query, as version 10 does), ``crash``, ``hang``, ``mute`` or ``words``.
"""

from __future__ import annotations

import getopt
import os
import sys
import time
from typing import Any

Table = dict[str, dict[str, Any]]


def main(arguments: list[str]) -> int:
    if arguments == ["-v"]:
        sys.stderr.write(f"trec_eval version {os.environ.get('FAKE_VERSION', '9.0.7')}\n")
        return 0
    options, files = getopt.getopt(arguments, "ql:m:")
    assert ("-q", "") in options
    level, measures = int(dict(options)["-l"]), [value for name, value in options if name == "-m"]
    mode = os.environ.get("FAKE_MODE", "")
    if mode == "crash":
        os.abort()
    if mode == "hang":
        time.sleep(600)
    qrels = read(files[0], 4, 3, int)
    run = read(files[1], 6, 4, float)
    if mode == "ten" and (missing := sorted(set(qrels) - set(run))):
        sys.stderr.write(f"trec_eval: result qid '{missing[0]}' not found in qrels\x07")
        return 4
    print_values(qrels, run, measures, level, mode)
    return 0


def read(path: str, columns: int, column: int, number: type) -> Table:
    table: Table = {}
    with open(path, encoding="latin-1") as lines:
        for line in lines:
            fields = line.split()
            assert len(fields) == columns, line
            assert fields[2] not in table.setdefault(fields[0], {}), line
            table[fields[0]][fields[2]] = number(fields[column])
    return table


def print_values(qrels: Table, run: Table, measures: list[str], level: int, mode: str) -> None:
    import pytrec_eval

    results = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=level).evaluate(run)
    for topic in sorted(results):
        for name, value in results[topic].items():
            if name != "num_q" and not name.startswith("gm_"):
                show(name, topic, "nothing" if mode == "words" else value)
    names = next(iter(results.values()))
    for name in names if mode != "mute" else ():
        values = [results[topic][name] for topic in sorted(results)]
        show(name, "all", pytrec_eval.compute_aggregated_measure(name, values))


def show(name: str, topic: str, value: float | str) -> None:
    text = value if isinstance(value, str) else f"{value:.0f}" if name.startswith("num_") else f"{value:6.4f}"
    sys.stdout.buffer.write(f"{name:<22s}\t{topic}\t{text}\n".encode("latin-1"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
