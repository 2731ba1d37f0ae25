"""memd's own JSON documents: whole files and JSON lines."""
