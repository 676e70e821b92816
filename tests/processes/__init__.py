"""Tests of crosscheck/processes/.

supervised.py, supervisor.py: test_hostile.py
"""
