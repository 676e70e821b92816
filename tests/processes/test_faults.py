"""A part of the commands with faults; ``python -m tests.programs.faults`` runs all of them."""

import re
import subprocess
import sys

import pytest

from tests.cli.command import ROOT, environment

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("command", ["evaluate", "workers", "accept", "child", "pool", "trec_eval"])
def test_faults(command):
    """Results are whole or absent, a message names the file, the exit code says so, and nothing is left."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.programs.faults", "--sample", "1", command],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(rf"{command}, open +\| +1 \| +0 ", done.stdout), done.stdout
