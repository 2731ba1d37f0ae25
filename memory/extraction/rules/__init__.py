"""Statements without a model: a table of first-person patterns and the checks around it."""
