"""`embanon restore`: put the originals back from the table of solutions."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

from embanon.cli.options import add_input_arguments, add_key_arguments, file_settings, read_table_key
from embanon.cli.output import write_results
from embanon.io import STDIN
from embanon.workflow import plan_restoring, restore_planned

EXAMPLE: Final = """\
A text that nobody has edited comes back exactly, with all that marks it up; a table has the columns that were written,
and an e-mail is the message without what was left out. Of one that was edited, replacements are looked for; what is not
found is counted, and ends with 1. The table of another text is refused. Files get their names back.

examples:
  embanon restore anonymized.txt --solutions table.jsonl -o letter.txt
  embanon restore out.jsonl --solutions table.sealed --key-file key.txt -o back.jsonl
  embanon restore anonymized/ --solutions table.sealed --key-file key.txt -o letters/
  embanon restore translated.txt --solutions table.jsonl --force -o back.txt
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="File or folder to write. [default: standard output]")
    add("--solutions", metavar="FILE", required=True, help="Table that `embanon anonymize` wrote.")
    add("--force", action="store_true", help="Restore also by a table that has changed, or is of another text.")
    add_key_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Restore each document."""
    others = options.key_file, options.config
    plan = plan_restoring(options.files, options.solutions, options.output, others)
    settings = file_settings(options, table_key=read_table_key(options, twice=False), force=options.force)
    return write_results(partial(restore_planned, plan, settings), options.output)
