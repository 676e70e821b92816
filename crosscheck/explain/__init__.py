"""Explanations of differing values: the search for conventions that give them, and the strength of the
result."""
