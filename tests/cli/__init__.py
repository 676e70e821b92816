"""Tests of crosscheck/cli/: calls as a user makes them.

commands.py, evaluate.py, files.py, options.py, run.py: test_outputs.py
"""
