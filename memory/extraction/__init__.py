"""From conversations to statements: windows, extractors, and the checks that every statement must pass."""
