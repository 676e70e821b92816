"""Tests of crosscheck/explain/.

numbers.py: studies/test_why.py
space.py: test_search.py, test_all_pairs.py
"""
