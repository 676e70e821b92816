"""Counterexamples as case folders, for comparison by ``crosscheck run``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from crosscheck.audit_records import Audit, Counterexample
from crosscheck.auditing.reproducers import fits_lines, qrels_text, run_text
from crosscheck.errors import UsageError, quoted
from crosscheck.formats.whole_files import write_whole

__all__ = ["save_cases"]

_RECORDED = "recorded.audited.json"


def save_cases(audit: Audit, folder: str) -> list[str]:
    """Write one case folder per counterexample, with the metric's values recorded and the mismatch declared.

    A case holds ``qrels``, ``run.txt`` (both as JSON if an id holds a blank), the recorded values,
    ``case.toml`` and ``example.py``. If the metric has no value, nothing can be recorded, and the case holds
    qrels and run only.

    Returns:
        The paths written, sorted.

    Raises:
        UsageError: a folder of that name exists already, or cannot be written.
    """
    written: list[str] = []
    for found in audit.counterexamples:
        path = Path(folder, found.cause)
        try:
            path.mkdir(parents=True)
            for name, text in _files(audit, found).items():
                write_whole(str(path / name), text)
                written.append(str(path / name))
        except FileExistsError:
            raise UsageError(
                f"{quoted(str(path))} exists already", hint="name a folder that holds no such case"
            ) from None
        except OSError as error:
            shutil.rmtree(path, ignore_errors=True)  # leave no partial case
            raise UsageError(f"{quoted(str(path))} cannot be written: {error.strerror}") from None
    return sorted(written)


def _files(audit: Audit, found: Counterexample) -> dict[str, str]:
    files = {"example.py": found.python}
    if fits_lines([*found.qrels.values(), *found.run.values()]):
        files |= {"qrels": qrels_text(found), "run.txt": run_text(found)}
    else:
        files |= {"qrels.json": json.dumps(found.qrels) + "\n", "run.json": json.dumps(found.run) + "\n"}
    config = [
        f"description = {_text(f'{audit.target}: {found.explanation}')}",
        f"measures = [{_text(found.measure)}]",
    ]
    if found.candidate_value is not None:
        files[_RECORDED] = _recorded(found)
        config += [
            "",
            "[[expect]]",
            f"candidate = {_text(f'recorded:{_RECORDED}')}",
            f"measure = {_text(found.measure)}",
            f"causes = [{_text(found.cause)}]",
            f"reason = {_text(f'found by an audit of {audit.target}')}",
        ]
    files["case.toml"] = "\n".join(config) + "\n"
    return files


def _recorded(found: Counterexample) -> str:
    query = "all" if found.query is None else found.query
    return json.dumps({query: {found.measure: found.candidate_value}}, indent=2) + "\n"


def _text(text: str) -> str:
    # A JSON string is a TOML basic string.
    return json.dumps(text)
