"""What connectors of chats have in common: accounts, messages in their order, and the documents of their days."""
