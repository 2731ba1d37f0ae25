"""Extraction of statements from conversations: windows, extractors, and the checks that every statement must pass."""
