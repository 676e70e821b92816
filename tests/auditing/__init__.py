"""Tests of crosscheck/auditing/.

fingerprint.py: test_session.py
metric.py: test_session.py, test_kinds_of_change.py
reproducers.py: test_counterexamples.py, test_finding.py
words.py: test_calls.py
"""
