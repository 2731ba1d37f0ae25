"""Readers of data sets: each turns the files of one form into scopes of documents and questions."""
