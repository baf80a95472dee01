"""A parser whose help groups the options, and shows at most a dozen unless all are requested."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

from embanon.io import say, write

MAX_SHOWN_OPTIONS: Final = 12
SETTINGS: Final = "settings"
GROUPS: Final = {
    "input": "format gold gold-format encoding column text-column id-column entity-column language-column language "
    "originals anonymized truth candidates corpus missing system kind languages label label-field group-field "
    "for labels by-folder access users groups since read",
    "whom to protect": "protect entities protect-field policy sensitive open marking",
    "how strict": "model background preset limit others attribution-limit anonymity scorer encoder fail fail-above "
    "attack-below keep balance beta by-type sensitivity sensitivity-above hints learn",
    "what to write instead": "method store pseudonym-key polish carry publish",
    "output": "output as json csv view explain text color show-original summary-only by-document plot top update "
    "resume estimate quiet count",
    "secrets": "solutions key-file passphrase id-key ledger",
    SETTINGS: "",
}
"""Title of a group -> its options; what is listed nowhere is a setting."""
GROUP_OF: Final = {name: title for title, names in GROUPS.items() for name in names.split()}
EXCEPTIONS: Final = {"train entities": SETTINGS, "export format": "output"}
"""Options that mean something else in a command."""
RARE: Final = frozenset(
    "format gold-format encoding id-column config protect-field background others attribution-limit anonymity "
    "scorer encoder color pseudonym-key store passphrase carry jobs id-key label-field hints learn top "
    "sensitivity-above language-model polish "
    "information tags seed no-floors missing csv sentences dtype entities-from window threads license no-grow backend "
    "deterministic language-column text-column id-column entity-vectors quiet by-type beta balance plot corpus text "
    "summary-only group-field marking labels limit candidates show-original fail-above".split()
)
"""Options that only `--help all` shows, of a command that has more than a dozen."""


class Parser(argparse.ArgumentParser):
    """A parser that groups options, and reports mistakes in one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "formatter_class": _Formatter, "add_help": False})
        self.shows_all = False
        self._titled = {title: self.add_argument_group(title) for title in GROUPS}
        self.add_argument("-h", "--help", action=_Help, nargs="?", metavar="all", help=argparse.SUPPRESS)

    def _add_action(self, action: Any) -> Any:
        title = "input"
        if action.option_strings:
            name = option_name(action)
            title = EXCEPTIONS.get(f"{self.prog.split()[-1]} {name}") or GROUP_OF.get(name, SETTINGS)
        return self._titled[title]._add_action(action)

    def format_help(self) -> str:
        """Return the help without rare options."""
        listed = self.listed_options()
        hidden = [action for action in listed if _is_rare(action)]
        if self.shows_all or len(listed) <= MAX_SHOWN_OPTIONS:
            hidden = []
        helps, epilog, self.usage = [action.help for action in hidden], self.epilog, self.usage_line()
        for action in hidden:
            action.help = argparse.SUPPRESS
        if hidden:
            self.epilog = f"All {len(listed)} options: {self.prog} --help all\n\n{epilog or ''}"
        try:
            return super().format_help()
        finally:
            self.epilog, self.usage = epilog, None
            for action, help in zip(hidden, helps, strict=True):
                action.help = help

    def listed_options(self) -> list[argparse.Action]:
        """Return the options and arguments that the full help lists."""
        return [action for action in self._actions if action.help != argparse.SUPPRESS]

    def usage_line(self) -> str:
        """Return the command with its required options."""
        actions = self.listed_options()
        parts = [self.prog]
        if any(action.option_strings and not action.required for action in actions):
            parts.append("[options]")
        parts += [f"{action.option_strings[-1]} {action.metavar}" for action in actions if action.option_strings
                  and action.required]  # fmt: skip
        return " ".join([*parts, *(_usage(action) for action in actions if not action.option_strings)])

    def error(self, message: str) -> NoReturn:
        """Report a mistake in one line, and where the options are listed."""
        say(f"{message}; see: {self.prog} --help")
        raise SystemExit(2)

    def describe_unknown(self, words: Sequence[str]) -> str:
        """Return a message about an unknown option, with a suggestion."""
        word = words[0].partition("=")[0]
        near = difflib.get_close_matches(word, self._option_string_actions, n=1)
        return f"unrecognized arguments: {' '.join(words)}" + (f"; did you mean {near[0]!r}?" if near else "")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:
            write(message)  # argparse would be silent about a disk that is full
        else:
            super()._print_message(message, file)


def option_name(action: argparse.Action) -> str:
    """Return the long name of an option."""
    return action.option_strings[-1].lstrip("-")


def _is_rare(action: argparse.Action) -> bool:
    return bool(action.option_strings) and not action.required and option_name(action) in RARE


def _usage(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    forms = {"+": f"{name} [{name} ...]", "*": f"[{name} ...]", "?": f"[{name}]", argparse.PARSER: f"{name} ..."}
    return forms.get(str(action.nargs), name)


class _Help(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, value: Any, option_string: str | None = None) -> None:
        parser.shows_all = value == "all"
        parser.print_help()
        parser.exit()


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """A formatter whose help is the same under all versions of Python."""

    def add_argument(self, action: argparse.Action) -> None:
        """Add an action; columns begin behind the longest with its indent, which Python 3.11 forgets."""
        super().add_argument(action)
        for command in self._iter_indented_subactions(action):
            width = self._current_indent + len(self._format_action_invocation(command))
            self._action_max_length = max(self._action_max_length, width)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return ", ".join(action.option_strings) + " " + self._format_args(action, action.dest.upper())


def add_actions(parser: argparse.ArgumentParser) -> Callable[..., Callable[..., Any]]:
    """Return a function that adds an action (name, function, help) and returns the function that adds its options."""
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)

    def action(name: str, act: Callable[[argparse.Namespace], int], help: str) -> Callable[..., Any]:
        sub = actions.add_parser(name, help=help, description=help)
        sub.set_defaults(act=act, parser=sub)
        return sub.add_argument

    return action


def run_action(options: argparse.Namespace) -> int:
    """Run the requested action."""
    return int(options.act(options))
