"""The store: memory.db, the SQLite database that is the source of truth; the search indexes are derived from it."""
