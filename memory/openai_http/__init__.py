"""HTTP to OpenAI-compatible endpoints, for chat and embeddings: one connection, one classification of failures, one
retry policy.
"""
