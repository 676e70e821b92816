"""Tests of crosscheck/inputs/.

queries.py: test_realistic.py
"""
