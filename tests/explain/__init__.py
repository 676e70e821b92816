"""Tests of crosscheck/explain/.

numbers.py: studies/test_why.py
"""
