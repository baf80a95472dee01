"""`embanon leak head`, `verify`, `rebuild` and `erase`: keep a ledger intact, and no longer than allowed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from embanon.cli.commands.leak import Action
from embanon.cli.commands.leak.ledgers import ledger_files, ledger_options, open_ledger, open_stdin, vacuum_ledger
from embanon.cli.output import write_all
from embanon.errors import ConfigError, DataError, InputError
from embanon.io import STDIN, as_json, open_input, process_each, replace_unprintable, write
from embanon.workflow import check_outputs

if TYPE_CHECKING:
    from embanon.leak import ChainHead


def head_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `head`."""
    ledger_options(parser)
    parser.add_argument("-o", "--output", metavar="FILE", default=STDIN, help="Output file. [default: standard output]")


def head(options: argparse.Namespace) -> int:
    """Export the last link of the chain."""
    check_outputs(ledger_files(options), options.output)
    with open_ledger(options) as ledger:
        write_all(options.output, [as_json(ledger.head().to_row()) + "\n"])
    return 0


def verify_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `verify`."""
    add = parser.add_argument
    ledger_options(parser)
    add("--head", metavar="FILE", help="Head that was kept elsewhere (embanon leak head).")
    add("--computed", action="store_true", help="Also verify what is computed from the entries; writers have to wait.")
    add("--json", action="store_true", help="Write JSON.")


def verify(options: argparse.Namespace) -> int:
    """Verify a ledger, and print what has changed."""
    from embanon.leak import verify

    exported = _read_head(options.head) if options.head else None
    with open_ledger(options) as ledger:
        result = verify(ledger, exported, options.computed)
    if options.json:
        faults = [str(fault) for fault in result.faults]
        write(as_json({"batches": result.batches, "entries": result.entries, "faults": faults}) + "\n")
    elif result.sound:
        write(f"{ledger.where}: whole; batches: {result.batches:,}, entries: {result.entries:,}\n")
    else:
        write("".join(f"{replace_unprintable(str(fault))}\n" for fault in result.faults))
    return 0 if result.sound else DataError.exit_code


def _read_head(path: str) -> ChainHead:
    from embanon.leak import ChainHead

    try:
        with open_input(path) as stream:
            row = json.loads(stream.read(1 << 16))
        return ChainHead(str(row["ledger"]), int(row["batch"]), str(row["chained"]))
    except (ValueError, KeyError, TypeError) as exc:
        raise InputError(f"{path}: is no head of a ledger; export one: embanon leak head") from exc


def rebuild(options: argparse.Namespace) -> int:
    """Recompute everything that is derived from the entries."""
    from embanon.leak import rebuild

    with open_ledger(options) as ledger:
        rebuild(ledger)
        write(f"{ledger.where}: computed anew\n")
    return 0


def erase_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `erase`."""
    add = parser.add_argument
    add("users", nargs="*", metavar="USER", help="Users as the log names them; - for lines of standard input.")
    ledger_options(parser)
    add("--before", metavar="DAY", help="Erase what was opened before this day (2025-01-01), and users without more.")


def erase(options: argparse.Namespace) -> int:
    """Erase entries, and print how many."""
    from embanon.leak import erase_before, erase_user, parse_day

    if not options.users and not options.before:
        raise ConfigError("nothing to erase; name users, or a day: --before DAY")
    day = parse_day(options.before) if options.before else None
    with open_ledger(options) as ledger:

        def erase_named(user: str) -> int:
            write(f"entries erased of a user: {erase_user(ledger, user):,}\n")
            return 0

        code = process_each(_users(options.users), erase_named)
        if day is not None:
            write(f"entries erased from before {options.before}: {erase_before(ledger, day):,}\n")
        vacuum_ledger(ledger)
    return code


def _users(names: list[str]) -> Iterator[str]:
    for name in names:
        if name == STDIN:
            yield from filter(None, (line.strip() for line in open_stdin("users")))
        else:
            yield name


ACTIONS: Final = {
    "head": Action(head_arguments, head, """\
Keep it where the ledger's keepers cannot write: it shows whether the ledger was cut off or rolled back since.

example:
  embanon leak head --ledger ledger.db -o head-2026-05.json
"""),
    "verify": Action(verify_arguments, verify, """\
Exit code 3 says that something was changed, moved, added or removed; each change is listed. With a head that was kept
elsewhere, a cut-off end shows as well.

examples:
  embanon leak verify --ledger ledger.db
  embanon leak verify --ledger ledger.db --head head-2026-05.json --computed
"""),
    "rebuild": Action(ledger_options, rebuild, """\
Entries stay as they are. It is needed where `embanon leak verify --computed` says so.

example:
  embanon leak rebuild --ledger ledger.db
"""),
    "erase": Action(erase_arguments, erase, """\
What is erased cannot be put back. A tombstone stays in its place, so that the chain of the ledger holds. Documents that
nobody else opened, and that no scan has seen, are erased as well. What is left is written anew, so that nothing
stays in free pages; of backups, and of logs that PostgreSQL keeps, nothing is erased.

examples:
  embanon leak erase - --ledger ledger.db < leavers.txt
  embanon leak erase --before 2025-01-01 --ledger ledger.db
"""),
}  # fmt: skip
