"""Tests of crosscheck/processes/.

supervised.py, supervisor.py: test_hostile.py, test_early.py
"""
