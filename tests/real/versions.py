"""trec_eval 10.0 held against 9.0.8 on every run of the corpus, in each form in which numbers are kept.

    python -m tests.real.versions [FORM ...]

The numbers are those of ``crosscheck trec_eval --compat``. Only ``score-precision`` and ``recall-points`` may
come out as causes. In JSON the numbers of 10.0 count as exact. Where the reference is exact too, a candidate
with four digits is rounded, and ``rounding`` is a third cause. Where 10.0 stops at a judged topic without
results, it says nothing, or nothing of the topics after it.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from crosscheck import evaluate
from tests.real.runs import PARTS

FORMS = ("-q", "summary", "JSON", "JSON, exact reference")
EXPECTED = {"score-precision", "recall-points"}


def printed(version: str, qrels: Path, run: Path, *options: str) -> tuple[str, bool]:
    """What a version prints, and whether it stops before the end."""
    command = ("trec_eval", "--compat", version, *options, "-m", "all_trec", str(qrels), str(run))
    done = crosscheck(*command)
    return done.stdout, done.returncode != 0


def crosscheck(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "crosscheck", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def as_json(text: str) -> str:
    """The printed numbers as a program keeps them: topic -> measure -> number."""
    values: dict[str, dict[str, float]] = {}
    for measure, topic, value in map(str.split, text.splitlines()):
        if measure not in ("runid", "relstring"):
            values.setdefault(topic, {})[measure] = float(value)
    return json.dumps(values)


def causes(folder: Path, qrels: Path, run: Path, form: str) -> tuple[Counter[str], str]:
    """How often each cause comes out, and what is to be said of the comparison.

    Values that are missing because 10.0 stopped are left unexplained, and not counted.
    """
    theirs, stopped = printed("10.0", qrels, run, *([] if form == "summary" else ["-q"]))
    if not theirs.strip():
        return Counter(), "10.0 prints nothing"
    candidate, reference, report = folder / "theirs", folder / "ours", folder / "report.json"
    candidate.write_text(as_json(theirs) if form.startswith("JSON") else theirs)
    if form.endswith("reference"):
        names = list(next(iter(json.loads(as_json(theirs)).values())))
        own = evaluate(str(qrels), str(run), names, conventions="trec_eval-9.0.8")
        reference.write_text(json.dumps(own))
    else:
        reference.write_text(printed("9.0.8", qrels, run, "-q")[0])
    inputs = ("--qrels", str(qrels), "--run", str(run))
    done = crosscheck("diff", str(reference), str(candidate), *inputs, "--report", f"json={report}")
    if done.returncode > 1:
        return Counter(), done.stderr.strip()
    found = json.loads(report.read_text())["comparisons"]
    differing = [one["diagnosis"] for one in found if one["outcome"] == "mismatch"]
    counted = Counter(cause for diagnosis in differing for cause in diagnosis["causes"])
    if stopped:
        del counted["unexplained"]
    says = ", 10.0 stops at a topic without results" * stopped
    return counted, f"{len(found) - len(differing)} of {len(found)} the same{says}"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.real.versions", description=__doc__)
    parser.add_argument("forms", nargs="*", choices=[*FORMS, []], help="all by default")
    parser.add_argument("--only", metavar="TEXT", default="", help="runs whose path contains this")
    given = parser.parse_args(arguments)
    corpus, other = Path(__file__).parents[3] / "shared" / "corpus", 0
    for name, files in PARTS.items():
        for run in (corpus / name / file for file, _ in files):
            for form in given.forms or FORMS:
                if given.only not in str(run) or not run.is_file():
                    continue
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                with tempfile.TemporaryDirectory() as folder:
                    found, says = causes(Path(folder), run.parent / "qrels", run, form)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                allowed = EXPECTED | {"rounding"} if form.endswith("reference") else EXPECTED
                other += not found.keys() <= allowed
                seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                told = ", ".join(f"{cause} {number}" for cause, number in found.most_common()) or "no cause"
                print(name, run.name, form, told, says, f"{seconds:.0f} s", sep=" | ", flush=True)
    return int(other > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
