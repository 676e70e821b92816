"""Evaluation of large or many inputs: runs streamed from their files and spread over workers."""
