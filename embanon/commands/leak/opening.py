"""What actions share that open a ledger: where it is, its key, and the policy."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.errors import ConfigError
from embanon.leak.policy import FILE_NAME

LEDGER: Final = "ledger.db"


def of_ledger(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("--ledger", metavar="FILE|URL", default=LEDGER, help=f"a file, or postgresql://… ({LEDGER})")
    add("--key-file", metavar="FILE", help="the key of the ledger (beside a file: LEDGER.key)")
    of_policy(parser)


def of_policy(parser: argparse.ArgumentParser) -> None:
    """Add what is protected."""
    parser.add_argument("--policy", metavar="FILE", default=FILE_NAME, help=f"what is protected ({FILE_NAME})")


def key_file(options: argparse.Namespace) -> str:
    """Give the file of the key: as named, or beside the ledger."""
    if options.key_file:
        return str(options.key_file)
    if "://" in options.ledger:
        raise ConfigError("a ledger in a database has no file beside it for its key; name one: --key-file FILE")
    return f"{options.ledger}.key"
