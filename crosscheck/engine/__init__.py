"""Evaluating large or many inputs: runs are streamed from their files and spread over workers."""
