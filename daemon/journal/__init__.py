"""The journal: acknowledged documents that are not in the store yet, and dead letters."""
