"""Tests of crosscheck/studies/.

base.py, options.py: test_adding.py
describe.py: evaluation/test_sentence.py
lint.py: test_tools.py
"""
