"""Evaluating a measure on a run under any conventions: read, order, judge, formula, summarise."""
