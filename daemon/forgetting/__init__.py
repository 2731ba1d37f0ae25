"""Forgetting in all files of a data directory: the ordered steps, and what they need beside the store's own part."""
