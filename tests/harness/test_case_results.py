"""Results of cases that are kept from one call to the next."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from crosscheck.backends import base
from crosscheck.formats.cases import find_cases
from crosscheck.harness import Settings, case_results, run_with, runner
from crosscheck.harness.case_run import case_runs
from tests.backends import fakes
from tests.harness.data import QRELS, RUN, write_case
from tests.support.kept import examples

CASES = Path("cases")


class Lost(fakes.FailsAt):
    """Ends its process when it is asked for P@3."""

    repeatable = True


def computed(*calls: Mapping[str, Any]) -> list[str]:
    """The cases that each call computes, with these settings, and after these files are written; other
    ``software`` may be installed, and ``kept`` results damaged. Documents are those of calls without kept
    results, evidence too, of which only the first of each kind in all cases is shown."""
    for name in "abc":
        write_case(CASES / name, {**QRELS, "1": {"a": 2, "b": 1}}, RUN)
    usual = {"measures": ("AP", "nDCG@10", "RR"), "reference": "native", "cache": Path("kept")}
    software, lines = case_results._software(), []
    for call in calls:
        changes = {"backends": ("native:gain=exponential",), **usual, **call}
        for path, text in changes.pop("files", {}).items():
            (CASES / path).write_text(text)
        for damaged in Path("kept").iterdir() if "kept" in call else ():
            damaged.write_bytes(call["kept"])
        changes.pop("kept", None)
        installed = changes.pop("software", software)
        with (
            patch.object(runner, "case_runs", side_effect=case_runs) as counted,
            patch.object(case_results, "_software", lambda installed=installed: installed),
        ):
            document = run_with(find_cases([str(CASES)]), Settings(**changes))
            names = [made.args[0].name for made in counted.call_args_list]
        if names != [*"abc"]:
            assert document == run_with(find_cases([str(CASES)]), Settings(**{**changes, "cache": None}))
        shown = " ".join(one.case for one in document.evidence)
        lines.append(f"{' '.join(names) or 'none'}; evidence of {shown}")
    return lines


#: Nothing says whether code of the user and programs are what they were.
test_what_is_computed_again = examples(globals(), None, base)
