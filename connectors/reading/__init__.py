"""Reading what lies at a path: the registry of formats, detection, the parts of a source, and what an import tells of its files."""
