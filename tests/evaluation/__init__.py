"""Tests of crosscheck/evaluation/.

formula.py: measures/test_tied.py
"""
