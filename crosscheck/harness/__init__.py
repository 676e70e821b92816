"""The harness: it calls backends on cases, then compares, diagnoses and records their values."""

from crosscheck.harness.document import ExitCode, exit_code
from crosscheck.harness.runner import run_with
from crosscheck.harness.settings import DEFAULT_REFERENCE, Settings, Timings

__all__ = ["DEFAULT_REFERENCE", "ExitCode", "Settings", "Timings", "exit_code", "run_with"]
