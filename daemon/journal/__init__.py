"""The journal: documents that were acknowledged and are not in the store yet, and dead letters."""
