"""Mail: mailboxes and single messages become conversations, and a library that takes mail apart."""
