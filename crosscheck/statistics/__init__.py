"""Statistics: tests between systems, agreement of assessors, pools, rank correlation.

All functions are pure. A result that cannot be computed is None, never NaN, with a sentence that gives the
reason. Warnings of libraries are suppressed.
"""
