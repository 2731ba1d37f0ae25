"""The long-running process: configuration, journal, pipeline, progress, API, command line, lifecycle."""
