"""Embedding: turns texts into vectors."""
