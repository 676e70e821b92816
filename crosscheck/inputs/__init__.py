"""Inputs made for a metric: queries that separate conventions, realistic ones, pairs that laws compare."""
