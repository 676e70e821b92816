"""Tests of crosscheck/inputs/.

battery.py: explain/test_all_pairs.py, auditing/test_synthetic.py
"""
