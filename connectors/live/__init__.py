"""Sources that are pulled repeatedly, such as accounts: their contract, and one folder for each protocol."""
