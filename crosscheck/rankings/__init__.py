"""The join of a run with its qrels, and judged rankings: the arrays that an evaluation works on."""
