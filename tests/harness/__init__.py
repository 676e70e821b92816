"""Tests of crosscheck/harness/.

asking.py: test_runner.py, backends/test_guarded.py
settings.py: cli/test_outputs.py
systems.py: studies/test_outputs.py
"""
