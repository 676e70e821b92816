"""Claims about values that a tool gives for the parts of a large run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosscheck import backends as registry
from crosscheck.backends.base import Options
from crosscheck.backends.guarded import guarded
from crosscheck.formats.cases import find_cases
from crosscheck.harness import case_run
from crosscheck.harness.settings import Timings
from crosscheck.names import parse_measure
from tests.harness.data import SHAPES, write_random

#: Measures of every provider of ir_measures that can do with parts, and those of ranx that can.
IN_PARTS = {
    "ir-measures": ("AP", "nDCG@10", "RR@10", "Judged@10", "Compat(p=0.8)", "NumRelRet", "Bpref"),
    "ranx": ("AP", "nDCG@10", "P@5", "RR"),
}


@pytest.mark.parametrize("backend", IN_PARTS)
def test_values_and_means_in_parts_are_those_of_the_whole(tmp_path, backend):
    """To the last bit, with ties, where run and qrels have the same queries and where they do not."""
    measures = [parse_measure(name) for name in IN_PARTS[backend]]
    folder = write_random(tmp_path / "case", 5, replace(SHAPES["deep"], depth=(20, 60), missing=0))
    lines = {side: (folder / side).read_text().splitlines(keepends=True) for side in ("run", "qrels")}
    with guarded(registry.make(backend, Options())) as asked, pytest.MonkeyPatch.context() as patch:
        patch.setattr(case_run, "_LARGE", 0)
        patch.setattr(case_run, "_BLOCK", 700)
        for short in (None, "run", "qrels"):
            for side, all_lines in lines.items():
                kept = [line for line in all_lines if side != short or int(line.split()[0]) % 7]
                (folder / side).write_text("".join(kept))
            (run,) = case_run.case_runs(find_cases([str(folder)])[0], (), Timings())
            assert run.large
            assert run.same_queries == (short is None)
            parts = list(run.parts())
            assert len(parts) > 5
            found = asked.evaluate_parts(parts, measures, same_queries=run.same_queries)
            assert found == asked.evaluate(run.qrels, run.run, measures)
