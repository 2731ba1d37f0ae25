"""What is kept, understood and found: chunking, embedding, retrieval, and the backends that keep it."""
