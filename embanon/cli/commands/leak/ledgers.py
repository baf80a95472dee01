"""Options that actions share, and the ledger that these name."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final, TextIO

from embanon.errors import ConfigError, InputError
from embanon.io import STDIN, say
from embanon.leak import SENSITIVE_ABOVE, Policy, copies_file

if TYPE_CHECKING:
    from embanon.leak import Ledger

KEY_SUFFIX: Final = ".key"
HINTS_SUFFIX: Final = ".hints"
JOURNAL_SUFFIXES: Final = ("-wal", "-shm", "-journal")
"""What SQLite has beside its file."""


def ledger_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the ledger and its key."""
    add = parser.add_argument
    add("--ledger", metavar="FILE", required=True, help="SQLite file, or postgresql://user@host/name.")
    add("--key-file", metavar="FILE", help="Key of the ledger. Keep a copy elsewhere: whoever has it can change "
        "the ledger unseen, and without it nobody can read it. [default: FILE.key beside a file]")  # fmt: skip


def hints_file(options: argparse.Namespace) -> str:
    """Return the path of the file of hints, which lies beside the key."""
    return str(options.key_file or options.ledger).removesuffix(KEY_SUFFIX) + HINTS_SUFFIX


def known_hints(options: argparse.Namespace) -> Path | None:
    """Return the file of hints that the options name, or that lies beside the ledger that they name; warn of none."""
    if options.hints or not options.ledger:
        return Path(options.hints) if options.hints else None
    if options.key_file is None and "://" in options.ledger:
        raise ConfigError("hints of a ledger on a server lie beside its key; name a file for it: --key-file FILE")
    beside = Path(hints_file(options))
    if beside.exists():
        return beside
    if "://" not in options.ledger and not Path(options.ledger).exists():
        raise ConfigError(f"{options.ledger}: no such file; run: embanon leak scan")
    say(f"note: {beside}: no such file, so that nothing counts that only hints; embanon leak scan learns hints")
    return None


def known_copies(options: argparse.Namespace) -> Path | None:
    """Return the file of near copies beside these hints, or where they would lie."""
    if not (options.hints or options.ledger):
        return None
    beside = copies_file(Path(options.hints or hints_file(options)))
    return beside if beside.exists() else None


def ledger_files(options: argparse.Namespace) -> tuple[str, ...]:
    """Return the files of the ledger, which must not be overwritten."""
    journals = (options.ledger + ending for ending in JOURNAL_SUFFIXES)
    hints = hints_file(options)
    copies = str(copies_file(Path(hints)))
    return options.ledger, *journals, str(options.key_file or options.ledger + KEY_SUFFIX), hints, copies


def policy_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the policy."""
    parser.add_argument("--policy", metavar="FILE", required=True, help="Policy to apply (embanon leak init).")


def sensitivity_options(parser: argparse.ArgumentParser, above: str) -> None:
    """Add the options for the sensitivity of whole documents and its limit."""
    add = parser.add_argument
    add("--sensitivity", metavar="FILE", help="What makes documents sensitive (embanon leak learn).")
    add("--sensitivity-above", type=float, metavar="P", help=f"{above} [default: {SENSITIVE_ABOVE}]")


def sensitive_above(options: argparse.Namespace) -> float:
    """Return the probability from which a document counts as sensitive."""
    if options.sensitivity_above is None:
        return SENSITIVE_ABOVE
    if not options.sensitivity:
        raise ConfigError("--sensitivity-above needs what was learnt: --sensitivity FILE (embanon leak learn)")
    check_share("--sensitivity-above", options.sensitivity_above)
    return float(options.sensitivity_above)


def check_share(option: str, share: float | None) -> None:
    """Refuse a number that is not a share."""
    if share is not None and not 0 < share <= 1:
        raise ConfigError(f"{option} must be above 0, and at most 1")


def open_stdin(instead: str) -> TextIO:
    """Return standard input, which Python lacks if it was started with `<&-`."""
    if sys.stdin is None:
        raise InputError(f"-: standard input is closed; name {instead}")
    return sys.stdin


def read_user(user: str) -> str:
    """Return the name of a user, as named or from standard input."""
    return open_stdin("a user").readline().strip() if user == STDIN else user


def name_formatter(policy: Policy, original: bool) -> Callable[[str], str]:
    """Return a function that names entities: by their place in the policy, unless originals are requested."""
    opaque = {item.name: f"e{number}" for number, item in enumerate(policy.entities, 1)}
    return (lambda name: name) if original else (lambda name: opaque.get(name, "another"))


def open_ledger(options: argparse.Namespace, create: bool = False) -> Ledger:
    """Open the ledger that the options name, creating it if needed."""
    from embanon.leak import Ledger, read_ledger_key

    if options.key_file is None and "://" in options.ledger:
        raise ConfigError("a ledger on a server needs its key; name a file for it: --key-file FILE")
    path = Path(options.key_file or options.ledger + KEY_SUFFIX)
    if not create and not path.exists():
        there = "://" in options.ledger or Path(options.ledger).exists()
        what = "name the key of the ledger: --key-file FILE" if there else "run: embanon leak scan"
        raise ConfigError(f"{path if there else options.ledger}: no such file; {what}")
    if create and options.key_file is None and Path(options.ledger).is_file() and not path.exists():
        raise ConfigError(f"{path}: no such file; name the key of the ledger: --key-file FILE")
    return Ledger.open(options.ledger, read_ledger_key(path, create), create)


def vacuum_ledger(ledger: Ledger) -> None:
    """Clear erased data from free pages, and warn if that has to wait."""
    from embanon.leak import vacuum

    if not vacuum(ledger):
        say(f"{ledger.where}: others are reading; what they read lies in files beside it until they are done")
