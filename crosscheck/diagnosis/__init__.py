"""Diagnosis of why two backends differ: recomputation under other conventions until the numbers agree."""
