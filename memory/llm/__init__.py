"""Everything that talks to a language model: one way out, which hides secrets, keeps to a budget and remembers."""
