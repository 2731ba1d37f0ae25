"""The common parts of chat connectors: accounts, messages in their order, and the documents of their days."""
