"""`embanon leak`: what documents disclose of what a company protects, and who could let it out.

An action is a file here with `EXAMPLE`, `arguments(parser)` and `run(options)`, or one of the `ACTIONS` of a file that
has several; a file is imported when it is asked for.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from typing import Any, Final, NamedTuple

ACTIONS: Final = {
    "init": "write a policy with comments, to begin with",
    "check-policy": "find what is amiss with a policy: aliases that hit everything",
    "check": "refuse documents that disclose what is protected",
    "recipe": "let git, mail and CI ask `check`",
    "entities": "give entities of a policy to other commands",
    "learn": "learn from labeled documents what makes others sensitive, whatever they are about",
    "scan": "say what documents disclose, and write it down in a ledger",
    "report": "report what would cost most, where it lies, and who knows it",
    "access": "import logs of who opened what",
    "users": "say what each user knows by now, and who learns too much or too fast",
    "head": "export the last link of a ledger's chain, to be kept elsewhere",
    "verify": "see that no entry of a ledger has changed",
    "rebuild": "compute anew what is computed from the entries of a ledger",
    "erase": "erase users, or what is older than it may be kept",
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
    """An action of a file that has several."""

    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]
    example: str


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add what can be done; the options of an action are added when it is asked for."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, action=_Actions)
    for name, summary in ACTIONS.items():
        actions.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + ".",
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
    """Do what was asked."""
    return int(options.act(options))
