"""Damaged input files: no traceback, no exit code but trec_eval's, no hang."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.programs import fuzz
from tests.programs.frame import main
from tests.programs.fuzz import Example, check, example


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_random_damage_ends_in_one_of_trec_eval_s_ways(seed: int, tmp_path: Path) -> None:
    """Output or a clear error, in both versions and all formats of judgements."""
    check(example(random.Random(seed)), tmp_path)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    qrels=st.binary(max_size=60)
    | st.lists(st.sampled_from([b"1 0 a 1\n", b"#\n", b"\n", b" ", b"1", b"\0"])).map(b"".join),
    run=st.binary(max_size=60)
    | st.lists(st.sampled_from([b"1 Q0 a 1 1 t\n", b"#x\n", b"\n", b" "])).map(b"".join),
    version=st.sampled_from(["9.0.8", "10.0"]),
)
def test_any_bytes_end_in_one_of_trec_eval_s_ways(
    qrels: bytes, run: bytes, version: str, tmp_path: Path
) -> None:
    """Random bytes as run or judgements end in an exit code of trec_eval."""
    check(Example(qrels, run, ("--compat", version, "-q", "-c", "-m", "all_trec")), tmp_path)


def test_the_examples_reach_every_exit_code(tmp_path: Path) -> None:
    """A fuzzer that only ever fails early would prove nothing."""
    rng = random.Random(0)
    codes = Counter(check(example(rng), tmp_path) for _ in range(400))
    assert set(codes) == {0, 1, 2, 4, 7}
    assert codes[0] > 80


def test_the_program_says_what_broke_a_rule(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts the exit codes of each seed; the first example that ends otherwise is printed whole."""
    monkeypatch.setattr("tests.programs.fuzz._OF_A_SEED", 20)
    monkeypatch.setattr("sys.argv", ["fuzz", "--each", "1", "--seed", "3"])
    module = ("tests.programs.fuzz", "", fuzz._cases)
    assert main(*module, each=1) == 0
    assert "exit codes 0, " in capsys.readouterr().out
    monkeypatch.setattr(fuzz, "ALLOWED", {0})
    assert main(*module, each=1) == 1
    assert re.search(r"WRONG .*exit code \d: Example\(qrels=b", capsys.readouterr().out)
