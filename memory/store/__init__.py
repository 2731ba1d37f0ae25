"""The store: SQLite is the truth; `backend` puts it together with its derived indexes in one directory."""
