"""`embanon restore`: put the originals back by the table of solutions."""

from __future__ import annotations

import argparse
from collections import defaultdict
from typing import Final

from embanon.commands import each, inputs, say
from embanon.commands.outputs import check_outputs, is_lines, secret, write_all
from embanon.errors import ConfigError
from embanon.read import STDIN, read
from embanon.rewrite import Solution, restore
from embanon.solutions import load
from embanon.view import as_json

EXAMPLE: Final = """\
A text that nobody has edited comes back exactly. Of one that was edited or translated, replacements are looked for;
what is not found is counted, and ends with 1.

examples:
  embanon restore anonymized.txt --solutions table.jsonl -o letter.txt
  embanon restore out.jsonl --solutions table.sealed --key-file key.txt -o back.jsonl
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--solutions", metavar="FILE", required=True, help="the table that `embanon anonymize` wrote")
    add("--key-file", metavar="FILE", help="what the table was encrypted with")
    add("--passphrase", action="store_true", help="ask for the passphrase")


def run(options: argparse.Namespace) -> int:
    """Restore each document."""
    check_outputs(options.files, options.output, others=(options.solutions, options.key_file))
    table = defaultdict[str, list[Solution]](list)
    for one in load(options.solutions, secret(options, twice=False)):
        table[one.document].append(one)
    parts = list[str]()

    def put_back(path: str) -> int:
        code, lines, done = 0, is_lines(path, options.format), list[str]()
        for document in read(path, options.encoding, options.format):
            some = table.get(document.id, [])
            if not lines and not some and len(table) == 1:  # a plain text may have another name now
                [some] = table.values()
            if not some and table:
                raise ConfigError(f"{document.id}: the table has nothing of it; name the table of this text")
            found = restore(document.id, document.text, some)
            if found.missing:
                say(f"warning: {document.id}: {len(found.missing)} of {len(some)} replacements were not found")
                code = 1
            done.append(as_json({"id": document.id, "text": found.text}) + "\n" if lines else found.text)
        parts.extend(done)
        return code

    code = each(options.files, put_back)
    if parts or not code:
        write_all(options.output, parts)
    return code
