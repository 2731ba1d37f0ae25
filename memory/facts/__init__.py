"""Computes facts with a history from statements: repetition, supersession, retraction."""
