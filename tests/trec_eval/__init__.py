"""Tests of crosscheck/trec_eval/.

judgements.py: test_command.py, test_vectors.py
undefined.py: measures/test_edges.py
"""
