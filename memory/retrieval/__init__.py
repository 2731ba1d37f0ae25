"""Retrieval of ranked, cited messages and facts for a question."""
