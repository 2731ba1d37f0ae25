"""Sources that are read again and again: what they are, what was read of them, how they are read, whether they are well."""
