"""``python -m tests.programs.real.tools``: installed tools against what ``tools`` predicts.

The tools are called on the runs of the corpus; what they print must be the prediction. The saved outputs of
the C programs are compared to their last digit.
"""

import math
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from msgspec.structs import replace

import crosscheck
from crosscheck.backends import make
from crosscheck.backends.sklearn_backend import lists_of
from crosscheck.conventions import Conventions, conventions, profiles
from crosscheck.errors import InputError, UnknownMeasure, UsageError
from crosscheck.evaluation.rankings import Rankings
from crosscheck.evaluation.recomputer import Recomputer
from crosscheck.evaluation.summarise import summary_of
from crosscheck.formats.recorded import read_recorded
from crosscheck.formats.trec import read_qrels, read_run
from crosscheck.measures import family
from crosscheck.model import Measure, MeasureValues
from crosscheck.names import described, describing, parse_measure, parse_measures
from crosscheck.studies.tools import prediction
from tests.backends import test_profiles
from tests.backends.test_profiles import LIBRARIES
from tests.programs.frame import Case, main
from tests.support.cases import CORPUS

MEASURES = "P@5,P@10,R@10,R@100,AP,AP@10,RR,RR@10,nDCG,nDCG@10,nDCG@20,Rprec,bpref,DCG@10,ERR@10,Judged@10"
#: Backend -> the profile that stands for the tool, and another for runs on which that one fails.
_IR_MEASURES = ("cwl_eval", "gdeval", "judged", "msmarco", "trectools")
TOOLS = {name: [name] for name in ("pytrec_eval", "ir-measures", "hf-evaluate", "trectools", "sklearn")}
TOOLS |= {f"ir-measures:{name}": [f"ir-measures-{name}"] for name in _IR_MEASURES}
TOOLS["ranx"] = ["ranx", "ranx-make-comparable"]
#: Package, metric, profile and measure of learning-to-rank libraries, as the tests of profiles list them.
FOLLOWED = re.findall(
    r'^>>> follows\("(.*)", "(.*)", "(.*)", "(.*)"\)',
    (Path(test_profiles.__file__).parent / "outputs" / "profiles.txt").read_text("utf-8"),
    re.MULTILINE,
)
#: Saved output of a C program -> its profile.
SAVED = {"te908.c": "trec_eval-9.0.8-c", "te908": "trec_eval-9.0.8", "te10": "trec_eval-10"}


def close(ours: float | None, theirs: float | None, tolerance: float) -> bool:
    """Whether both are absent or NaN, or equal within a tolerance."""
    if ours is None or theirs is None:
        return ours is theirs
    return (math.isnan(ours) and math.isnan(theirs)) or abs(ours - theirs) <= tolerance


def printed(values: MeasureValues, measure: Measure) -> float | None:
    """The mean that a tool prints, or the mean of what it gives for each query."""
    each = np.array([values.values[topic] for topic in sorted(values.values)], np.float64)
    return values.mean if values.mean is not None else summary_of(each, family(measure.family).aggregate)


def wrong(rankings: Rankings, backend: str, measures: tuple[Measure, ...]) -> Iterator[tuple[str, bool]]:
    """For each measure of a tool a line, and whether the prediction is right."""
    tool = make(backend)
    if not tool.describe().available:
        yield f"{backend}: not installed", True
        return
    for measure in measures:
        view = Recomputer(rankings, measure, Conventions())
        try:
            able = [describing(profiles()[name], measure) for name in TOOLS[backend]]
        except UsageError:
            continue
        spec = next((one for one in able if not prediction(view, one).reason), able[0])
        ours, given, both = prediction(view, spec), None, (rankings.pairing.qrels, rankings.pairing.run)
        with suppress(InputError):
            means = crosscheck.evaluate(*both, [str(measure)], conventions=spec.profile, mean=True)
            given = means[str(measure)]
        if ours.reason:
            yield f"{backend} {measure} by {spec.profile}: {ours.reason}, {given}", given is None
            continue
        # What gdeval.pl itself prints as ndcg has another name in ir_measures.
        named = measure if tool.supports(measure) else replace(measure, params=(("dcg", "exp-log2"),))
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = tool.evaluate(*both, [named])[named]
        except Exception as error:
            yield f"{backend} {measure}: {type(error).__name__} {error}"[:110] + f"; {ours}", False
            continue
        theirs = printed(found, measure)
        near = 1e-9 if found.decimals is None else 0.5 * 10.0**-found.decimals
        right = close(ours.value, theirs, near) and close(given, theirs, near)
        yield f"{backend} {measure} by {spec.profile}: {ours.value} {given} {theirs}", right


def learned(rankings: Rankings) -> Iterator[tuple[str, bool]]:
    """The metrics of learning-to-rank libraries: the mean over the lists of a run, in single precision."""
    lists = [pair for _, pair in lists_of(rankings.pairing.qrels, rankings.pairing.run)]
    for package, metric, name, of in FOLLOWED:
        measure = parse_measure(of)
        if name not in profiles() or (spec := described(profiles()[name], measure)) is None:
            continue  # a setting of the tool beside its profile
        if find_spec(package) is None:
            yield f"{package}: not installed", True
            continue
        ours = prediction(Recomputer(rankings, measure, Conventions()), spec)
        graded = metric.lower().startswith("ndcg")  # all others are defined on relevant or not
        pairs = [(levels if graded else (levels > 0).astype(np.int64), scores) for levels, scores in lists]
        theirs = float(np.mean([LIBRARIES[package](metric, *pair) for pair in pairs]))
        yield f"{package} {metric} by {name}: {ours} {theirs}", close(ours.value, theirs, 1e-5)


def against_saved(rankings: Rankings, path: Path) -> Iterator[tuple[str, bool]]:
    """Every mean of a saved output of a C program, as text with its four decimals."""
    saved = read_recorded(str(path))
    spec = conventions(next(SAVED[version] for version in SAVED if f".{version}." in path.name))
    for name, mean in saved.means.items():
        with suppress(UnknownMeasure):
            measure = parse_measure(name)
            ours = prediction(Recomputer(rankings, measure, Conventions()), spec)
            decimals = 4 if saved.decimals[name] else 0
            right = bool(ours.reason) or ours.printed(decimals) == f"{mean:.{decimals}f}"
            yield f"{path.name} {name}: {ours.printed(decimals)} {mean}", right


def _tried(folder: Path, run: Path) -> tuple[str, str]:
    rankings = Rankings(read_run(str(run)), read_qrels(str(folder / "qrels")))
    lines = [line for tool in TOOLS for line in wrong(rankings, tool, parse_measures([MEASURES]))]
    lines += learned(rankings)
    for saved in sorted(folder.glob(f"out.*{run.name.split('.')[1]}*")):
        lines += against_saved(rankings, saved)
    return f"{len(lines)} numbers", "; ".join(line for line, right in lines if not right)


def _cases(given: object) -> Iterator[Case]:
    for folder in sorted(path for path in CORPUS.iterdir() if path.is_dir()):
        for run in sorted(folder.glob("run.*")):
            yield Case(folder.name, f"{folder.name} {run.name}", partial(_tried, folder, run))


if __name__ == "__main__":
    sys.exit(main("tests.programs.real.tools", __doc__, _cases))
