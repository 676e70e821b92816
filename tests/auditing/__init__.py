"""Tests of crosscheck/auditing/.

checking.py: test_session.py
fingerprint.py: test_session.py
metric.py: test_session.py, test_kinds_of_change.py
reproducers.py: test_counterexamples.py, test_finding.py
signatures.py: test_calls.py
where.py: test_session.py
words.py: test_calls.py
"""
