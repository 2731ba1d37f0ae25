"""Lists of messages wait here for others of their session, in the journal, until a policy releases them into the store."""
