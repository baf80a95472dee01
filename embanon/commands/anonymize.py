"""`embanon anonymize`: replace what gives away whom is to be protected."""

from __future__ import annotations

import argparse
import secrets
import sys
from dataclasses import replace
from typing import Any, Final

from embanon.anonymizer import Anonymized
from embanon.commands import each, inputs, say
from embanon.commands.outputs import check_outputs, is_lines, secret, write_all
from embanon.commands.protecting import anonymizer, protecting, raising, replacing, told
from embanon.errors import ConfigError
from embanon.protected import given
from embanon.read import STDIN, read
from embanon.report import line, summary, totals
from embanon.rewrite import Solution
from embanon.solutions import save
from embanon.view import as_json

EXAMPLE: Final = """\
Of JSON Lines the output is JSON Lines with the edits; of a plain text it is the text. Nothing but id and text is
copied.
Keep the table of solutions as secret as the text: it undoes everything.

examples:
  embanon anonymize letter.txt --entities protect.jsonl -o anonymized.txt --solutions table.jsonl
  embanon anonymize letters.jsonl --model our.model -o out.jsonl --preset strict
  embanon anonymize letter.txt --entities protect.jsonl -o out.txt --solutions table.sealed --key-file key.txt
"""
SAID: Final = 20
"""Documents that are summed up one by one in a terminal."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    protecting(parser)
    raising(parser)
    replacing(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="where to write (standard output)")
    add("--solutions", metavar="FILE", help="the table that undoes the edits; only you may read it")
    add("--key-file", metavar="FILE", help="encrypt the table with what this file holds")
    add("--passphrase", action="store_true", help="ask for a passphrase, and encrypt the table with it")
    add("--publish", action="store_true", help="leave out the edits, and replace ids")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write all when every one of a file is done."""
    if (options.key_file or options.passphrase) and not options.solutions:
        raise ConfigError("there is no table to encrypt; name it: --solutions FILE")
    check_outputs(options.files, options.output, options.solutions, others=(
        options.entities, options.key_file, options.pseudonym_key,
    ))  # fmt: skip
    asked = given(options.entities, options.protect, options.protect_field)
    doing = anonymizer(options)
    passphrase = secret(options, twice=True)
    finished, solutions, parts, numbers = list[str](), list[Solution](), list[str](), list[dict[str, Any]]()
    live = sys.stderr is not None and sys.stderr.isatty()

    def anonymize(path: str) -> int:
        lines, done, code = is_lines(path, options.format), list[tuple[str, list[Solution]]](), 0
        here = list[dict[str, Any]]()
        documents = read(path, options.encoding, options.format)
        for one in doing.anonymize_all(documents, asked, rank=options.anonymity):
            code = max(code, told(one.judged, path, options.anonymity), int(one.kept))
            done.append(_written(one, lines, options.publish))
            if live:
                here.append(summary(one))
        finished.append(path)
        numbers.extend(here)
        parts.extend(text for text, _ in done)
        solutions.extend(one for _, some in done for one in some)
        return code

    code = each(options.files, anonymize)
    if not finished:
        return code
    if options.solutions:  # first what undoes it
        save(options.solutions, solutions, passphrase)
    write_all(options.output, parts)
    for one in numbers[:SAID]:
        say(f"{one['id']}: {line(one)}")
    if len(numbers) > 1:
        say(f"documents: {len(numbers):,}; {line(totals(numbers))}")
    return code


def _written(one: Anonymized, lines: bool, publish: bool) -> tuple[str, list[Solution]]:
    """Give what is written of a document, and its solutions."""
    if not publish:
        return (as_json(one.to_dict()) + "\n" if lines else one.text), list(one.solutions)
    id = secrets.token_hex(8)
    row = one.to_dict() | {"id": id}
    del row["edits"]
    return (as_json(row) + "\n" if lines else one.text), [replace(some, document=id) for some in one.solutions]
