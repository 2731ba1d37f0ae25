"""The tables of people: their names by source, what sources tell of them, who is one person, and what the user decided."""

from __future__ import annotations

PEOPLE = """
CREATE TABLE identities (
    source TEXT NOT NULL, name TEXT NOT NULL, folded TEXT NOT NULL, key BLOB NOT NULL, messages INTEGER NOT NULL,
    documents INTEGER NOT NULL, own INTEGER NOT NULL, PRIMARY KEY (source, name)
) WITHOUT ROWID;
CREATE INDEX identities_by_name ON identities (folded);
CREATE INDEX identities_by_key ON identities (key);
CREATE INDEX identities_of_user ON identities (source) WHERE own > 0;
CREATE TABLE identity_links (
    source TEXT NOT NULL, name TEXT NOT NULL, link TEXT NOT NULL, documents INTEGER NOT NULL,
    PRIMARY KEY (source, name, link)
) WITHOUT ROWID;
CREATE INDEX identity_links_by_link ON identity_links (link);
CREATE TABLE own_names (source TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (source, name)) WITHOUT ROWID;
CREATE TABLE persons (key BLOB PRIMARY KEY, person TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX persons_by_person ON persons (person);
CREATE TABLE people_decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL, at INTEGER NOT NULL, keys BLOB NOT NULL, target INTEGER
);
"""
"""``identities``: every name that the people or the messages of a source's documents have, with its messages, the documents
whose people name it, and those whose user it is; a name goes with the last of these. ``identity_links``: what the documents'
metadata tells beside. ``own_names``: what the settings call the user, by source, an empty one for all; folded, or a link.
``people_decisions`` is the truth, the identities in it are keys of 16 bytes each; ``persons`` is made of it, see
`people.decisions.persons`, and holds the identities that are one of several, and the user's."""
