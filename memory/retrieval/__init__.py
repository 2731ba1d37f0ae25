"""From a question to ranked, cited messages."""
