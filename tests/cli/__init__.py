"""Tests of crosscheck/cli/: calls as a user makes them.

commands.py: test_calls.py
files.py: test_report.py, test_diff.py
options.py: test_calls.py, test_project.py
"""
