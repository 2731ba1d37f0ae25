"""The search engines behind words, vectors and facts: the interfaces, and an implementation each for files and a server."""
