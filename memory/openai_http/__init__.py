"""HTTP to OpenAI-compatible endpoints, for chat and for embeddings: one connection, one judgement of failures, one retry policy."""
