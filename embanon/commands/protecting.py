"""The options of commands that score texts: whom to protect, by which model, how strictly; by what."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import cache

from embanon.commands.outputs import key_in
from embanon.config import PRESETS, Config
from embanon.keyed import random_secret
from embanon.methods import Methods
from embanon.model.model import Model


def protecting(parser: argparse.ArgumentParser) -> None:
    """Add what every command has that scores texts."""
    add = parser.add_argument
    add("--model", metavar="MODEL", help="of `embanon train`, on texts of the same kind (else the language at large)")
    add("--entities", metavar="FILE", help="whom to protect: a name or an object a line")
    add("--protect", action="append", default=[], metavar="NAME",
        help="whom to protect, or everyone (a command line reaches process lists; --entities does not)")  # fmt: skip
    add("--protect-field", action="append", default=[], metavar="KEY", help="of JSON Lines: names whom to protect")
    add("--preset", choices=tuple(PRESETS), help="how strict: limit .645, .28, or .28 and every rare word")
    add("--limit", type=float, metavar="RISK", help="the lowest risk that is masked, instead of the preset's")
    add("--background", metavar="FILE", help="public text about candidates: JSON Lines with name (or title) and text")


def raising(parser: argparse.ArgumentParser) -> None:
    """Add what decides further which risks count."""
    add = parser.add_argument
    add("--attribution-limit", type=float, metavar="SHARE",
        help="from which a phrase is taken to speak of an entity (0.2)")  # fmt: skip
    add("--anonymity", type=int, default=0, metavar="K",
        help="with --background: raise risks until attackers rank the entity behind K")  # fmt: skip


def choosing(config: Config, model: Model | None) -> Callable[[str], Methods]:
    """Give what resolves the methods for a language, with one secret for all of a run."""
    named = config.anonymize.key_file
    secret = key_in(named) if named else random_secret()
    neighbors = model.neighbors if model is not None else None
    chosen = cache(lambda language: Methods.of(config, language, secret, neighbors))
    chosen("")  # what is wrong is wrong for all
    return chosen
