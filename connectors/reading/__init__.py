"""The reading of a path: the registry of formats, detection, the parts of a source, and an import's report on its
files.
"""
