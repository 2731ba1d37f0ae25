"""The tables of people: names and links per source, persons, and the user's decisions."""

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
"""``identities``: every name in the people or messages of a source's documents, with the number of its messages, of
documents that list it among their people, and of documents whose user it is; a name is deleted with the last of these.
``identity_links``: links from the documents' metadata. ``own_names``: the user's names from the settings, folded or as
a link, by source (empty for all). ``people_decisions`` is the truth, with the keys of its identities joined, 16 bytes
each; ``persons`` is derived from it (see `people.decisions.persons`) and holds the identities that are merged with
others or belong to the user.
"""
