"""Studies of systems, assessors and pools: the computations of the commands with the same names.

Each function takes files or in-memory inputs and returns a document of ``crosscheck/study_records/``.
"""

from crosscheck.studies.agreement import compare_qrels
from crosscheck.studies.changes import compare_results
from crosscheck.studies.compare import compare_runs
from crosscheck.studies.describe import describe
from crosscheck.studies.gate import gate
from crosscheck.studies.impact import compare_conclusions
from crosscheck.studies.pool import pool_runs
from crosscheck.studies.rundiff import rundiff
from crosscheck.studies.ties import tie_sensitivity
from crosscheck.studies.tools import tools
from crosscheck.studies.why import why

__all__ = [
    "compare_conclusions",
    "compare_qrels",
    "compare_results",
    "compare_runs",
    "describe",
    "gate",
    "pool_runs",
    "rundiff",
    "tie_sensitivity",
    "tools",
    "why",
]
