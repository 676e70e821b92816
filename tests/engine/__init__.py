"""Tests of crosscheck/engine/.

conversion.py: formats/test_dicts.py, measures/test_preferences.py
"""
