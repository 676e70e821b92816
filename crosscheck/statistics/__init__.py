"""Statistics of differences: tests between systems, agreement of assessors, pools, rank correlation.

Pure functions of values, judgements and runs. A result that cannot be computed is None with a sentence that
gives the reason, never NaN, and no library warning escapes.
"""
