"""Buffers lists of messages in the journal with others of their session, until a policy releases them into the store."""
