"""The search for the sets of conventions that predict the observed values, and for other hypotheses
that predict them."""
