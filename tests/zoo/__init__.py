"""Metrics that are right, and metrics with one bug each: what audits must tell apart.

``python -m tests.zoo`` audits them all and says which verdicts are wrong.
"""
