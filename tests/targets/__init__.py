"""Small evaluation systems written plainly from their descriptions: oracles for tests and fixtures."""
