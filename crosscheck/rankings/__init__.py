"""From a run and its qrels to judged rankings: joining, ordering (ties, precision), judging."""
