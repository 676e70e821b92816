"""Tests of crosscheck/cli/: calls as a user makes them.

commands.py, evaluate.py: test_outputs.py
files.py: test_outputs.py, test_run.py
options.py: test_outputs.py, test_project.py
"""
