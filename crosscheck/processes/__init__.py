"""Processes of our own: every one is watched over, and ends with all that it started."""
