"""What the commands print: answers, progress, questions, summaries."""
