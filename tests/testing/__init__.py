"""Tests of crosscheck/testing/.

collection.py: test_plugin.py
"""
