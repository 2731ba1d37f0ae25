"""Backups of a data directory: repository, creation, restoration."""
