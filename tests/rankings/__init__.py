"""Tests of crosscheck/rankings/.

judged.py: measures/test_tied.py, evaluation/test_order.py
sorts.py: evaluation/test_order.py
"""
