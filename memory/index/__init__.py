"""The derived indexes: words by tantivy, vectors by usearch, and how they follow the store."""
