"""Keeps the derived indexes up to date from the store, fills other ones and compares them with it."""
