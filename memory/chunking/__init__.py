"""Chunking: cuts messages and texts into the pieces that are searched and embedded."""
