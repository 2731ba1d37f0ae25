"""Forgetting: which messages, documents and facts a selection removes, in the store and in the queue."""
