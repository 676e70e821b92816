"""Why two backends differ: counterfactual recomputation under other conventions until the numbers agree."""
