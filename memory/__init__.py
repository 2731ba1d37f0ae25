"""The memory: chunking, embedding, retrieval, the store and its indexes."""
