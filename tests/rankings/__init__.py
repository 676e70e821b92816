"""Tests of crosscheck/rankings/.

changed_inputs.py: studies/test_why.py
judged.py: measures/test_tied.py, evaluation/test_order.py
sorts.py: evaluation/test_order.py
"""
