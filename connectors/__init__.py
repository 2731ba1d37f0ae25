"""Sources: bytes in, documents out. One file or folder per source; parsers are pure; opening is done in few files."""
