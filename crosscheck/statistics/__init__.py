"""Whether a difference matters: tests between systems, agreement of assessors, pools, rank correlation.

Pure functions of values, judgements and runs. What cannot be computed is None with a sentence that says
why, never NaN, and no warning of a library escapes.
"""
