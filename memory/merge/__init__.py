"""Merging what comes in into what is stored: keys, alignment, renames, revisions, tombstones. Pure."""
