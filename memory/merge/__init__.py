"""Merges incoming documents into stored ones: keys, alignment, renames, revisions, tombstones. Pure functions."""
