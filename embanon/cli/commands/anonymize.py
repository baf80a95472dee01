"""`embanon anonymize`: replace the phrases that give protected entities away."""

from __future__ import annotations

import argparse
from functools import partial
from typing import Final

from embanon.cli.options import (
    add_input_arguments,
    add_key_arguments,
    add_replacement_arguments,
    add_scoring_arguments,
    check_table_key,
    file_settings,
    open_anonymizer,
    read_table_key,
)
from embanon.cli.output import is_watched, write_results
from embanon.entities import rules_from_options
from embanon.errors import ConfigError
from embanon.io import STDIN
from embanon.replace import read_key
from embanon.workflow import anonymize_planned, plan_anonymizing

EXAMPLE: Final = """\
Of JSON Lines the output is JSON Lines with the edits; of anything else it is the same with other words: what marks a
text up stays. Of a table only the id, the columns of text and those of --carry are written, of an e-mail who writes to
whom about what, and the parts of text. Scripts, styles and attachments are not read; exit code 1 says that one is left
out, or has a part of a protected name. Files of a folder keep their names but for what these give away.
Keep the table of solutions as secret as the text: it undoes everything.

examples:
  embanon anonymize letter.txt --entities protect.jsonl -o anonymized.txt --solutions table.jsonl
  embanon anonymize letters.jsonl --model our.model -o out.jsonl --preset strict
  embanon anonymize cases.csv --column report --protect-field patient --carry ward -o out.csv
  embanon anonymize letters/ --entities protect.jsonl -o anonymized/ --solutions table.sealed --key-file key.txt
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add_scoring_arguments(parser)
    add_replacement_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="File or folder to write. [default: standard output]")
    add("--solutions", metavar="FILE", help="Table to write that undoes the edits; only you may read it.")
    add_key_arguments(parser)
    add("--carry", action="append", default=[], metavar="FIELD",
        help="Field of JSON Lines, or table column, to write as it is. Repeatable.")  # fmt: skip
    add("--publish", action="store_true", help="Leave out the edits, and replace ids and file names.")
    add("--jobs", type=int, default=1, metavar="N", help="Processes to use; 0 is one a processor. [default: 1]")
    add("--id-key", metavar="FILE", help="With --publish: key file that makes the same ids. [default: by chance]")


def run(options: argparse.Namespace) -> int:
    """Anonymize each document, and write a file once all its documents are done."""
    check_table_key(options, "encrypt")
    if options.id_key and not options.publish:
        raise ConfigError("--id-key makes the ids of --publish; give both")
    if options.jobs < 0:
        raise ConfigError("--jobs must be a number from 0")
    keys = options.key_file, options.id_key, options.pseudonym_key
    others = options.entities, options.background, options.config, *keys
    plan = plan_anonymizing(options.files, options.output, options.solutions, others, options.format)
    rules = rules_from_options(options.entities, options.protect, options.protect_field)
    anonymizer = open_anonymizer(options)
    settings = file_settings(
        options, carry=tuple(options.carry), publish=options.publish, rank=options.anonymity, jobs=options.jobs,
        table_key=read_table_key(options, twice=True), id_key=read_key(options.id_key) if options.id_key else None,
        count_risks=is_watched(),
    )  # fmt: skip
    return write_results(partial(anonymize_planned, plan, anonymizer, rules, settings), options.output)
