"""Forgetting: the messages, documents and facts that a selection removes from the store and the queue."""
