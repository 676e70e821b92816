"""Declared mismatches: held strictly against what happens, and written by ``accept_mismatches``."""

from difflib import unified_diff
from pathlib import Path
from typing import Any

from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, exit_code, run_with
from crosscheck.harness.accept import accept_mismatches
from crosscheck.harness.runner import unused
from crosscheck.results import Document
from tests.harness.data import told, write_case
from tests.support.kept import examples

#: Linear and exponential gain differ on nDCG, and nowhere else; query 3 is the same for all.
QRELS = {"1": {"a": 1, "b": 3}, "2": {"c": 2, "d": 1}, "3": {"e": 1}}
RUN = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "c", 2.0), ("2", "d", 1.0), ("3", "e", 1.0)]
OTHER = [("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 2.0), ("2", "c", 1.0)]
TOOL = "native:gain=exponential"
REASON = "the tool gains 2^level - 1"


def declared(measure: str = "nDCG@10", causes: str = '["gain"]', more: str = "", tool: str = TOOL) -> str:
    return (
        f'[[expect]]\ncandidate = "{tool}"\nmeasure = "{measure}"\ncauses = {causes}\n'
        f'reason = "{REASON}"\n{more}'
    )


def run(
    folder: Path, *measures: str, queries: tuple[str, ...] = (), tools: tuple[str, ...] = (TOOL,)
) -> Document:
    """The tools against ``native`` on the cases of a folder."""
    asked = measures or ("nDCG@10", "P@5")
    settings = Settings(measures=asked, backends=tools, reference="native", queries=queries)
    return run_with(find_cases([str(folder)]), settings)


def declares(config: str, measure: str = "nDCG@10", **more: Any) -> str:
    """What is told of a case with this declaration."""
    write_case(Path("c"), QRELS, RUN, config)
    return told(run(Path(), measure, **more))


def accept(folder: Path, *measures: str, reason: str = "known", **more: Any) -> tuple[Document, int]:
    cases = find_cases([str(folder)])
    unexplained = more.pop("unexplained", False)
    return accept_mismatches(run(folder, *measures, **more), cases, reason, unexplained=unexplained)


def accepted(config: str, *measures: str, **more: Any) -> str:
    """What accepting changes in case.toml; the next run says what the document said, and accepts nothing."""
    path = write_case(Path("c"), QRELS, RUN, config, **more.pop("runs", {})) / "case.toml"
    document, written = accept(Path(), *measures)
    text = path.read_text("utf-8")
    assert document == run(Path(), *measures)
    assert (accept(Path(), *measures)[1], path.read_text("utf-8")) == (0, text)
    changes = unified_diff(config.splitlines(), text.splitlines(), n=1, lineterm="")
    held, code = document.summary, int(exit_code(document))
    return "\n".join(
        [f"{written} written, {held.mismatch} differ, {held.stale} stale, exit code {code}"]
        + [line for line in changes if not line.startswith(("---", "+++"))]
    )


def breaks() -> str:
    """What accepting does with a metric that raises, also where the command accepts what is unexplained."""
    folder = write_case(Path("c"), QRELS, RUN)
    Path("tool.py").write_text("def fails(qrels, run):\n    raise KeyError('x')\n")
    document, written = accept(Path(), "AP", tools=("python:tool.py:fails",), unexplained=True)
    there = "there" if (folder / "case.toml").exists() else "not there"
    return f"{written} written, {document.summary.error} errors, case.toml {there}, {exit_code(document)!r}"


def unmet(tool: str, measure: str, name: str) -> int:
    """How many of the expectations of a case no comparison can meet."""
    known = declared(measure, more=f'run = "{name}"\n', tool=tool)
    config = f'{known}[[published]]\nAP = 0.5\nrun = "run.a"\n'
    write_case(Path("c"), QRELS, RUN, config, a=RUN, b=OTHER)
    (case,) = find_cases(["."])
    settings = Settings(measures=("AP",), backends=(TOOL,), reference="native")
    found = unused(case, settings)
    assert found in ([], [*case.expectations])
    return len(found)


#: Declarations are held against what happens, and written by accepting.
test_examples = examples(globals(), str)
