"""Opening sources: files, folders and archives within limits, as members that are streamed."""
