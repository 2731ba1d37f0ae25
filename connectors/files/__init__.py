"""The common parts of connectors of single files: pages, documents, notes, source code."""
