"""`embanon leak`: what documents disclose about protected entities, and who could leak it.

An action is a file here with `EXAMPLE`, `arguments(parser)` and `run(options)`, or one of the `ACTIONS` of a file that
has several; a file is imported when it is needed.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

ACTIONS: Final = {
    "init": "Write a policy with comments to start from.",
    "check-policy": "Find problems of a policy, such as aliases that match everything.",
    "check": "Refuse documents that disclose what is protected.",
    "recipe": "Make git, mail and CI run `check`.",
    "entities": "Write the entities of a policy as lines for other commands.",
    "learn": "Learn from labeled documents what makes others sensitive, whatever they are about.",
    "scan": "Record in a ledger what documents disclose.",
    "report": "Report which disclosures would cost most, where they lie, and who knows them.",
    "access": "Import logs of who opened what.",
    "may": "Say whether somebody may open a document, and what they would learn.",
    "users": "Show what each user knows, and who learns too much or too fast.",
    "exposure": "Show what authors of mails, chats and posts have disclosed of themselves.",
    "head": "Export the last link of a ledger's chain, to be kept elsewhere.",
    "verify": "Verify that no entry of a ledger has changed.",
    "rebuild": "Recompute what is derived from the entries of a ledger.",
    "erase": "Erase users, or entries that are too old to be kept.",
}
"""Name -> what it does; `embanon.cli.commands.leak.NAME` does it, unless it shares a file."""
SHARED_FILES: Final = {
    **dict.fromkeys(("init", "check-policy", "entities", "recipe"), "setup"),
    **dict.fromkeys(("head", "verify", "rebuild", "erase"), "upkeep"),
}
EXAMPLE: Final = """\
What is protected stands in a policy; what scans find, and who opened what, in a ledger.

examples:
  embanon leak init policy.toml
  embanon leak scan documents/ --policy policy.toml --ledger ledger.db
  embanon leak access access.csv --policy policy.toml --ledger ledger.db
  embanon leak users --policy policy.toml --ledger ledger.db
"""


class Action(NamedTuple):
    """An action that shares its file with others."""

    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    example: str


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions; the options of an action are added once it is requested."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, action=_Actions)
    for name, summary in ACTIONS.items():
        actions.add_parser(
            name, help=summary, description=summary,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip


class _Actions(argparse._SubParsersAction):  # type: ignore[type-arg]
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        action = self.choices.get(values[0])
        if action is not None:
            module = importlib.import_module(f"{__name__}.{SHARED_FILES.get(values[0], values[0])}")
            shared = getattr(module, "ACTIONS", {}).get(values[0])
            add_arguments, run, action.epilog = shared or (module.arguments, module.run, module.EXAMPLE)
            add_arguments(action)
            action.set_defaults(act=run, parser=action)
        super().__call__(parser, namespace, values, option_string)


def run(options: argparse.Namespace) -> int:
    """Run the requested action."""
    return int(options.act(options))
