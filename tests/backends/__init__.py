"""Tests of crosscheck/backends/: a contract for all adapters, and what each has beside it.

base.py, native.py, texts.py: test_adapters.py
ir_measures_backend.py, pytrec_eval_backend.py, sklearn_backend.py, trectools_backend.py: test_adapters.py
child.py, outcomes.py: test_guarded.py
hf_metric/trec_eval.py: test_hf_evaluate.py
recorded.py: test_adapters.py, harness/test_saved_numbers.py
"""
