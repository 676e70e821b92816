"""Properties of metrics."""
