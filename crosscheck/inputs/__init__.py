"""Inputs made for a metric: queries that separate conventions, realistic queries, and inputs of laws."""
