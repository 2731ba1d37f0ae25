"""`memd parse`: documents as JSON lines on standard output; notices, rejected records and what was read of which file on
standard error.
"""

from __future__ import annotations

import argparse

from ..arguments import Verbs, add_reading, add_verb

_EXAMPLES = """\
  memd parse ./whatsapp.zip > documents.jsonl
  memd parse ./exports --zone Europe/Berlin 2> problems.jsonl | memd ingest -
"""


def add(verbs: Verbs) -> None:
    """Its arguments."""
    parser = add_verb(
        verbs, "parse", "read exports and print their documents as JSON lines", _EXAMPLES, (0, 2, 3, 4, 6, 130)
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, folders, archives; - is standard input")
    add_reading(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print as it reads: an export of any size takes constant memory."""
    import sys

    import orjson

    from ....schemas import Notice, Rejected, document_to_line
    from ..output import print_line
    from ..render.read_files import files_of
    from ..settings import settings_of
    from .read_paths import SourceReader, options_of

    reading = SourceReader(arguments.paths, options_of(arguments, settings_of(arguments)))
    for record in reading.records():
        if isinstance(record, Notice | Rejected):
            name = "notice" if isinstance(record, Notice) else "rejected"
            print_line(orjson.dumps({"type": name, **record.to_wire()}) + b"\n", sys.stderr)
            sys.stderr.flush()
        else:
            print_line(document_to_line(record))
    for file in files_of(reading.log.to_wire()):
        print_line(orjson.dumps({"type": "file", **file}) + b"\n", sys.stderr)
    return reading.exit_code
