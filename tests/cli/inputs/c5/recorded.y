map all 0.5
