"""`embanon leak head`: the last link of a ledger's chain, to be kept elsewhere."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.cli.commands.leak.ledgers import ledger_files, ledger_options, open_ledger
from embanon.cli.output import write_all
from embanon.io import STDIN, as_json
from embanon.workflow import check_outputs

EXAMPLE: Final = """\
Who keeps it where the ledger's keepers cannot write sees whether the ledger was cut off or rolled back since.

example:
  embanon leak head --ledger ledger.db -o head-2026-05.json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    ledger_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default=STDIN, help="where to write it (standard output)")


def run(options: argparse.Namespace) -> int:
    """Export it."""
    check_outputs(ledger_files(options), options.output)
    with open_ledger(options) as ledger:
        write_all(options.output, [as_json(ledger.head().to_row()) + "\n"])
    return 0
