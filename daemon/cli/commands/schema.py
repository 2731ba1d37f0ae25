"""`memd schema`: JSON Schema of everything that memd reads and writes."""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_verb

_EXAMPLES = """\
  memd schema                          every schema, by name
  memd schema ConversationDocument     one of them
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(
        verbs, "schema", "print the JSON Schema of documents, queries and answers", _EXAMPLES, (0, 2, 6, 7)
    )
    parser.add_argument("name", nargs="?", metavar="NAME", help="one type; without it, all by name")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the schemas, indented: they are read by people as often as by programs."""
    import json

    from .... import schemas
    from ....schemas.errors import NotFoundError

    schemas_by_name = schemas.document_schemas()
    for model in (
        schemas.Query,
        schemas.QueryResult,
        schemas.Hit,
        schemas.Chunk,
        schemas.Fact,
        schemas.Conversation,
        schemas.ProgressUpdate,
        schemas.StoreReport,
        schemas.Rejected,
        schemas.Notice,
    ):
        schemas_by_name[model.__name__] = model.model_json_schema()
    if arguments.name is None:
        print(json.dumps(schemas_by_name, indent=2))
        return 0
    names = {name.casefold(): name for name in schemas_by_name}
    wanted = str(arguments.name).casefold()
    name = names.get(wanted) or names.get(f"{wanted}document")
    if name is None:
        raise NotFoundError("there is no schema of that name", hint=f"there are: {', '.join(sorted(schemas_by_name))}")
    print(json.dumps(schemas_by_name[name], indent=2))
    return 0
