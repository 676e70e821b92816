"""The search for the sets of conventions that predict what was observed, and what else would."""
