"""Tests of crosscheck/axes/: of all axes as one table, and by the minimal case of each value.

denominators.py, forms.py, gains.py, ids.py, judging.py: test_base.py, explain/test_labels.py
summaries.py: test_base.py, evaluation/test_summarise.py
ties.py: test_base.py, evaluation/test_order.py
"""
