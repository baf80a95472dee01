"""`embanon leak recipe`: scripts that let git, mail and CI ask `embanon leak check`."""

from __future__ import annotations

import argparse
from importlib.resources import files
from pathlib import Path
from typing import Final

from embanon.errors import ConfigError, OutputError
from embanon.io import STDIN, format_table, write

EXAMPLE: Final = """\
Each is a script for sh that says in its first lines how it is used. A file that is there is not written over.

examples:
  embanon leak recipe
  embanon leak recipe git-pre-commit -o .git/hooks/pre-commit
  embanon leak recipe mail-filter
"""
RECIPES: Final = {
    "git-pre-commit": "a hook of git, which refuses commits",
    "mail-filter": "a filter for procmail or Postfix, which refuses mail",
    "ci-step": "a step of continuous integration, which fails on what a branch changes",
}
"""Name, in `embanon/examples/recipes` -> what it is."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("name", nargs="?", choices=tuple(RECIPES), metavar="NAME", help=", ".join(RECIPES))
    parser.add_argument("-o", "--output", metavar="FILE", default=STDIN, help="where to write, as a program (stdout)")


def run(options: argparse.Namespace) -> int:
    """Write a recipe, or what there is."""
    if options.name is None:
        if options.output != STDIN:
            raise ConfigError(f"which recipe? name one of {', '.join(RECIPES)}")
        write(format_table(("recipe", "what it is"), RECIPES.items()))
        return 0
    text = (files("embanon") / "examples" / "recipes" / options.name).read_text(encoding="utf-8")
    if options.output == STDIN:
        write(text)
        return 0
    path = Path(options.output)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        path.chmod(0o755)
    except FileExistsError as exc:
        raise ConfigError(f"{path}: is there already; put both together by hand, or name another file") from exc
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); name another file") from exc
    return 0
