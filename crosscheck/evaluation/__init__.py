"""Evaluation of a measure on a run under any conventions, in five stages: read, order, judge, formula,
summarise."""
