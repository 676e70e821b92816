"""Comparing two backends' values of one measure, query by query."""
