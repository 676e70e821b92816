"""Claims about Hugging Face evaluate's trec_eval metric, run for real."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crosscheck.backends import make
from crosscheck.backends.guarded import Guarded
from crosscheck.backends.hf_evaluate import as_columns
from crosscheck.model import MeasureValues
from crosscheck.names import parse_measure
from tests.backends.inputs import qrels_of, run_of_rows, told
from tests.support.cases import ROOT
from tests.support.kept import Absent, examples

SCRIPT = ROOT / "crosscheck" / "backends" / "hf_metric" / "trec_eval.py"
#: Variables that say where the cache is.
PLACES = {"HOME": "home", "XDG_CACHE_HOME": "home/.cache", "HF_HOME": "home/.cache/huggingface"}
PLACES["HF_MODULES_CACHE"] = "home/.cache/huggingface/modules"


@contextmanager
def scripts(variable: str, others: str | None = None) -> Iterator[None]:
    """Copies of the bundled script in the working directory, each with another P@5, so that one sees which
    ran: two in the cache that a variable names, of which one is older, one elsewhere, and two that fail. The
    calling process has used ``evaluate`` with another folder of scripts. The other variables have the value
    ``others``; without it, they do not exist."""
    if not make("hf-evaluate:bundled").describe().available:
        raise Absent
    cached = f"{PLACES['HF_MODULES_CACHE']}/evaluate_modules/metrics/evaluate-metric--trec_eval"
    for path, value in {
        f"{cached}/0123456789abcdef/trec_eval.py": "7.0",
        f"{cached}/fedcba9876543210/trec_eval.py": "8.0",
        "mine/mine.py": "9.0",
        "failing/failing.py": "1 / 0",
    }.items():
        Path(path).parent.mkdir(parents=True)
        end = "        return result\n"
        Path(path).write_text(SCRIPT.read_text().replace(end, f"{end[:-1]} | {{'P@5': {value}}}\n"))
    Path("broken.py").write_text("import evaluate\nraise RuntimeError('not today')\n")
    os.utime(f"{cached}/0123456789abcdef/trec_eval.py", (1, 1))
    Path("used/evaluate_modules/metrics").mkdir(parents=True)
    for package in ("evaluate_modules", "evaluate_modules/metrics"):
        Path("used", package, "__init__.py").touch()
    with pytest.MonkeyPatch.context() as patch:
        for name, place in PLACES.items():
            patch.delenv(name, raising=False)
            if (given := os.path.abspath(place) if name == variable else others) is not None:
                patch.setenv(name, given)
        patch.syspath_prepend(os.path.abspath("used"))
        patch.setenv("HF_ENDPOINT", "http://localhost:9")
        patch.setenv("HF_EVALUATE_OFFLINE", "1")
        yield


def origins(variable: str, *arguments: str) -> str:
    """Where the scripts of these ids are from, where the other variables are empty."""
    with scripts(variable, ""):
        engines = [str(make(f"hf-evaluate{argument}").describe().engine) for argument in arguments]
    return ", ".join(map(_origin, engines))


def _origin(engine: str) -> str:
    return re.sub(r".* metric (.*?), trectools.*", r"\1", engine)


def values(
    judgements: Any, rows: Any, names: str, argument: str = ":bundled", others: str | None = None
) -> str:
    """The values of a script, and where it is from."""
    with scripts("HOME", others), Guarded(make(f"hf-evaluate{argument}")) as backend:
        measures = [parse_measure(name) for name in names.split()]
        assert all(map(backend.supports, measures))
        outcomes = backend.evaluate(qrels_of(judgements), run_of_rows(rows), measures)
    origins = {_origin(found.engine) for found in outcomes.values() if isinstance(found, MeasureValues)}
    return "\n".join([told(outcomes), *origins])


def optimized(level: str) -> str:
    """What a script gives where Python leaves out assertions (1), or docstrings too (2)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONOPTIMIZE", level)
        return values({"1": {"a": 1}}, [("1", "a", 1.0)], "P@5", ":mine")


def columns(judgements: Any, rows: Any, ranks: Any = None) -> str:
    """Qrels and run as the metric gets them."""
    found = as_columns(qrels_of(judgements), run_of_rows(rows, ranks=ranks))
    return "\n".join([str(found.qrels), str(found.run), *(f"note: {note}" for note in found.notes)])


def ids(topic: str) -> str:
    """Which numbers 1 and another topic get, in byte order."""
    found = as_columns(qrels_of({"1": {"a": 1}, topic: {"a": 1}}), run_of_rows([("1", "a", 1.0)]))
    return f"{found.qrels['query']}, {found.notes[0]}"


#: Rows in the order of the input with ids that are whole numbers, notes, and which script is run.
test_examples = examples(globals(), str)
