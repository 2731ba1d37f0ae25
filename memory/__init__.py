"""What is kept, understood and found: chunking, embedding, retrieval, the store and its indexes."""
