"""The derived indexes: words by tantivy, vectors by their codes, and how they follow the store."""
