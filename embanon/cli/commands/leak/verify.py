"""`embanon leak verify`: whether all entries of a ledger are as they were written."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Final

from embanon.cli.commands.leak.ledgers import ledger_options, open_ledger
from embanon.errors import DataError, InputError
from embanon.io import as_json, open_input as opened_file, replace_unprintable, write

if TYPE_CHECKING:
    from embanon.leak import ChainHead

EXAMPLE: Final = """\
Exit code 3 says that something was changed, moved, added or removed, line by line what. With a head that was kept
elsewhere also what is cut off shows.

examples:
  embanon leak verify --ledger ledger.db
  embanon leak verify --ledger ledger.db --head head-2026-05.json --computed
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    ledger_options(parser)
    add("--head", metavar="FILE", help="that was kept elsewhere (embanon leak head)")
    add("--computed", action="store_true", help="also what is computed from the entries; writers have to wait for that")
    add("--json", action="store_true", help="as JSON")


def run(options: argparse.Namespace) -> int:
    """Verify it, and say what is not as it was."""
    from embanon.leak import verify

    head = _read_head(options.head) if options.head else None
    with open_ledger(options) as ledger:
        found = verify(ledger, head, options.computed)
    if options.json:
        faults = [str(fault) for fault in found.faults]
        write(as_json({"batches": found.batches, "entries": found.entries, "faults": faults}) + "\n")
    elif found.sound:
        write(f"{ledger.where}: whole; batches: {found.batches:,}, entries: {found.entries:,}\n")
    else:
        write("".join(f"{replace_unprintable(str(fault))}\n" for fault in found.faults))
    return 0 if found.sound else DataError.exit_code


def _read_head(path: str) -> ChainHead:
    from embanon.leak import ChainHead

    try:
        with opened_file(path) as stream:
            row = json.loads(stream.read(1 << 16))
        return ChainHead(str(row["ledger"]), int(row["batch"]), str(row["chained"]))
    except (ValueError, KeyError, TypeError) as exc:
        raise InputError(f"{path}: is no head of a ledger; export one: embanon leak head") from exc
