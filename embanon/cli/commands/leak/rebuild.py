"""`embanon leak rebuild`: all that is computed from the entries of a ledger, computed anew."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.cli.commands.leak.ledgers import ledger_options, open_ledger
from embanon.io import write

EXAMPLE: Final = """\
Entries stay as they are. It is needed where `embanon leak verify --computed` says so.

example:
  embanon leak rebuild --ledger ledger.db
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    ledger_options(parser)


def run(options: argparse.Namespace) -> int:
    """Compute it."""
    from embanon.leak import rebuild

    with open_ledger(options) as ledger:
        rebuild(ledger)
        write(f"{ledger.where}: computed anew\n")
    return 0
