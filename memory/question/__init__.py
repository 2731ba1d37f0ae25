"""Reads a question before anything is searched: the people, times, orders and kinds of documents that it names."""
