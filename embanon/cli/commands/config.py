"""`embanon config`: the settings in force, and where each comes from."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.cli.options import CONFIG_HELP, LANGUAGE_HELP
from embanon.config import load
from embanon.io import as_json, format_table, write

EXAMPLE: Final = """\
A value comes from an option, else from the environment (EMBANON_LANGUAGE=de), else from the file
(--config, EMBANON_CONFIG, ./embanon.toml, or the user's configuration folder), else from the default.

example:
  embanon config --config embanon.toml
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--config", metavar="FILE", help=CONFIG_HELP)
    parser.add_argument("--language", metavar="CODE", help=LANGUAGE_HELP)
    parser.add_argument("--json", action="store_true", help="Write a JSON object for each setting: key, value, from.")


def run(options: argparse.Namespace) -> int:
    """Write the settings."""
    rows = list(load(options.config, {"language": options.language}).rows())
    if options.json:
        for key, value, origin in rows:
            row = {"key": key, "value": value, "from": origin}
            write(as_json(row) + "\n")
    else:
        shown = [(key, as_json(value), origin) for key, value, origin in rows]
        write(format_table(("key", "value", "from"), shown))
    return 0
