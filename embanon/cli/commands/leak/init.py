"""`embanon leak init`: a policy to begin with."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.io import write
from embanon.leak import FILE_NAME, write_template

EXAMPLE: Final = """\
example:
  embanon leak init policy.toml
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("policy", nargs="?", metavar="FILE", default=FILE_NAME, help=f"to write ({FILE_NAME})")


def run(options: argparse.Namespace) -> int:
    """Write it, unless it is there."""
    file = write_template(options.policy)
    write(f"{file}: say in it what is protected, then run: embanon leak check-policy {file}\n")
    return 0
