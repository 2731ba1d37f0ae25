"""The derived indexes: words by tantivy, vectors by 8-bit codes, and the tasks that update them from the store."""
