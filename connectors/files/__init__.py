"""What connectors of single files have in common: pages, documents, notes, source code."""
