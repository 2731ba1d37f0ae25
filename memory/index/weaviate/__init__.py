"""Words and vectors in a Weaviate server or cluster, in the tenants of one memory; the store in SQLite stays the truth."""
