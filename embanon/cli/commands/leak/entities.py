"""`embanon leak entities`: entities of a policy as `--entities` of other commands takes them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from embanon.cli.commands.leak.ledgers import policy_option
from embanon.errors import ConfigError
from embanon.io import as_json, write
from embanon.leak import read_policy
from embanon.risk import TOPIC

EXAMPLE: Final = """\
Names go through a pipe, so that no list of processes shows them.

examples:
  embanon leak entities --policy policy.toml > protect.jsonl
  embanon leak entities e2 --policy policy.toml | embanon anonymize letter.txt --entities - -o letter.anonymized.txt
"""
TOPIC_NAME_TYPE: Final = "MISC"
"""What a topic is as long as its name alone counts."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("which", nargs="*", metavar="e1", help="those alone, by their place in the policy (all)")
    policy_option(parser)
    parser.add_argument("--names", action="store_true", help="names alone, without what needs a model: topics")


def run(options: argparse.Namespace) -> int:
    """Write a line for each."""
    policy = read_policy(options.policy)
    known = {f"e{number}": item for number, item in enumerate(policy.entities, 1)}
    for which in options.which:
        if which not in known:
            raise ConfigError(f"{options.policy}: has no entity {which}; write e1 to e{len(known)}")
    for which in dict.fromkeys(options.which or known):
        entity = known[which].entity(Path(options.policy).parent)
        type = TOPIC_NAME_TYPE if options.names and entity.type == TOPIC else entity.type
        row = {"name": entity.name, "aliases": list(entity.aliases), "type": type}
        if not options.names:
            row |= {"description": entity.description} if entity.description else {}
            row |= {"samples": list(entity.samples)} if entity.samples else {}
        write(as_json(row) + "\n")
    return 0
