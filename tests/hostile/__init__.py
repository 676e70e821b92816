"""Metrics that misbehave, ended in every way: nothing hangs, nothing is left behind.

``python -m tests.hostile`` runs all of it, in some five minutes; ``tests/processes/test_hostile.py`` a part.
"""
