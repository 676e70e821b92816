"""The join of a run with its qrels, and judged rankings, the arrays from which measures are computed."""
