"""The default backend: SQLite is the truth, tantivy and usearch are derived from it."""
