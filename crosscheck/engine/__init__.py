"""Evaluation of inputs that are large or many: runs streamed from their files, and spread over workers."""
