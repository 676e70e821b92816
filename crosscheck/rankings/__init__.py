"""A run joined with its qrels, and judged rankings: the arrays that an evaluation works on."""
