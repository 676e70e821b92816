"""Inputs made for a metric: queries that distinguish conventions, realistic queries, and inputs that test
properties."""
