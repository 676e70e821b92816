"""Tests of crosscheck/measures/: of all measures against other software, and of what is a matter of its own.

arithmetic.py, average_precision.py, ndcg.py, precision.py: test_trec_eval_vectors.py, test_c_code.py
gains.py, users.py: test_against_ir_measures.py
base.py: test_reads.py
"""
