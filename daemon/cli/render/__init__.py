"""The output of the commands: answers, progress, questions, summaries."""
