"""Keeps the search indexes up to date with SQLite; also rebuilds, purges and checks them, and fills those of another engine."""
