"""Tests of crosscheck/*.py.

__main__.py: cli/test_interrupt.py
audit_records.py: auditing/test_session.py
ir_measures_hook.py: test_ir_measures_provider.py
model.py: test_names.py
native.py: engine/test_runs.py, test_running.py
registry.py: test_adding.py
results.py: harness/test_document.py, harness/test_record.py
shown.py: test_running.py
"""
