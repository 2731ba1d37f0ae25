"""Completion scripts for shells and a manual page, made from the command's parser."""
