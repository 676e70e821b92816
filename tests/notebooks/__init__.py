"""The functions of the notebooks, with the numbers that these print."""
