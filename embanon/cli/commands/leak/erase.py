"""`embanon leak erase`: users who ask for it, and what is older than it may be kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Final

from embanon.cli.commands.leak.ledgers import ledger_options, open_ledger, vacuum_ledger
from embanon.errors import ConfigError, InputError
from embanon.io import STDIN, process_each, write

EXAMPLE: Final = """\
What is erased cannot be put back. A tombstone stays in its place, so that the chain of the ledger holds. Documents that
were opened by him alone, and that no scan has seen, are erased as well. What is left is written anew, so that nothing
stays in free pages; of backups, and of logs that PostgreSQL keeps, nothing is erased.

examples:
  embanon leak erase - --ledger ledger.db < leavers.txt
  embanon leak erase --before 2025-01-01 --ledger ledger.db
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("users", nargs="*", metavar="USER", help="as the access log names them; - reads a name a line from stdin")
    ledger_options(parser)
    add("--before", metavar="DAY", help="all that was opened before this day, as 2025-01-01, and who opened no more")


def run(options: argparse.Namespace) -> int:
    """Erase, and say how many entries that were."""
    from embanon.leak import erase_before, erase_user, parse_day

    if not options.users and not options.before:
        raise ConfigError("nothing to erase; name users, or a day: --before DAY")
    day = parse_day(options.before) if options.before else None
    with open_ledger(options) as ledger:

        def erase(user: str) -> int:
            write(f"entries erased of a user: {erase_user(ledger, user):,}\n")
            return 0

        code = process_each(_users(options.users), erase)
        if day is not None:
            write(f"entries erased from before {options.before}: {erase_before(ledger, day):,}\n")
        vacuum_ledger(ledger)
    return code


def _users(names: list[str]) -> Iterator[str]:
    for name in names:
        if name != STDIN:
            yield name
        elif sys.stdin is None:
            raise InputError("-: standard input is closed; name users")
        else:
            yield from filter(None, (line.strip() for line in sys.stdin))
