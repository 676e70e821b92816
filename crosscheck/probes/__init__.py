"""Synthetic queries: small ones with one special feature each, realistic ones, and the smallest ones."""
