"""Metrics that misbehave, ended in every way: nothing hangs, and no process or file remains.

``python -m tests.hostile`` runs all of it, in two to five minutes; ``tests/processes/test_hostile.py``
runs a part.
"""
