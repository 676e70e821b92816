"""Claims about crosscheck.statistics where scipy is not installed, or not yet imported."""

from __future__ import annotations

import subprocess
import sys


def test_without_scipy_the_install_command_is_named() -> None:
    """Where scipy cannot be imported, the tests raise UsageError and say what to install."""
    code = (
        "import sys; sys.modules['scipy'] = sys.modules['scipy.stats'] = None\n"
        "from crosscheck.statistics.paired import sign_test\n"
        "from crosscheck.errors import UsageError\n"
        "try: sign_test([0.1, 0.2])\n"
        "except UsageError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert "pip install scipy" in done.stdout


def test_scipy_is_not_imported_before_it_is_needed() -> None:
    """Importing the module leaves scipy alone."""
    code = "import sys, crosscheck.statistics.paired; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
