"""The committed report of the fixtures is what crosscheck says of them today."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
REMEDY = "run `python -m crosscheck fixtures/` and commit reports/"


def comparable(document: dict[str, Any]) -> dict[str, Any]:
    """Without what depends on the machine: versions of Python, packages and tools."""
    for comparison in document["comparisons"]:
        del comparison["reference_engine"], comparison["candidate_engine"]
    return {
        **document,
        "environment": None,
        "backends": [{**b, "version": None, "engine": None} for b in document["backends"]],
    }


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("evaluate", "trectools")),
    reason="the committed report was made with the hf extra: pip install evaluate trectools",
)
def test_the_committed_report_is_not_stale(tmp_path: Path) -> None:
    """A fresh run over fixtures/ exits 0 and gives the committed JSON, and the Markdown made from it."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "crosscheck", "fixtures/", "--quiet"),
            *("--report", f"json={tmp_path}/fresh.json", "--report", f"markdown={tmp_path}/fresh.md"),
        ],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    fresh = json.loads((tmp_path / "fresh.json").read_text("utf-8"))
    committed = json.loads((ROOT / "reports" / "crosscheck.json").read_text("utf-8"))
    assert comparable(fresh) == comparable(committed), REMEDY
    kept = (ROOT / "reports" / "crosscheck.md").read_text("utf-8").splitlines()
    assert len(kept) == len((tmp_path / "fresh.md").read_text("utf-8").splitlines()), REMEDY
