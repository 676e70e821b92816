"""Tests of crosscheck/studies/.

agreement.py, compare.py, diff.py, impact.py, lint.py, pool.py, ties.py: test_outputs.py
base.py, options.py: test_adding.py
describe.py: evaluation/test_sentence.py
tools.py: test_outputs.py, test_why.py
"""
