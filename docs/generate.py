"""Write the reference of commands and settings from the parsers and the dataclasses, while MkDocs builds the pages."""

from __future__ import annotations

import argparse
import importlib
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from inspect import getsource
from typing import TYPE_CHECKING, Any

from embanon.cli.main import COMMANDS, _parser
from embanon.config import settings
from embanon.config.settings import Config

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages; MkDocs calls it."""
    from mkdocs.structure.files import File

    pages = {"reference/commands.md": commands_page(), "reference/settings.md": settings_page()}
    for path, content in pages.items():
        files.append(File.generated(config, path, content=content))
    return files


# Commands

DEFAULT_GROUPS = ("positional arguments", "options")
"""Titles of groups that argparse makes itself."""


def commands_page() -> str:
    """Return a section for each command, made from its parser."""
    parts = ["# Commands\n\nWritten from the parsers. `embanon COMMAND --help` shows the same.\n"]
    for name in COMMANDS:
        parts.extend(_describe(_find_parser(name), 2))
    return "\n".join(parts)


def _find_parser(name: str) -> argparse.ArgumentParser:
    [subparsers] = _subparsers(_parser([name]))
    return subparsers.choices[name]


def _subparsers(parser: argparse.ArgumentParser) -> list[Any]:
    return [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]


def _describe(parser: argparse.ArgumentParser, level: int) -> Iterator[str]:
    yield f"{'#' * level} {parser.prog}\n\n{_escape(parser.description or '')}\n"
    for group in parser._action_groups:
        rows = [action for action in group._group_actions if not _is_plain(action)]
        if rows:
            if group.title not in DEFAULT_GROUPS:
                yield f"**{str(group.title).capitalize()}**\n"
            yield "| option | meaning |\n|---|---|"
            yield "\n".join(f"| {_name(action)} | {_help(action, parser)} |" for action in rows) + "\n"
    if parser.epilog:
        yield f"```text\n{parser.epilog.strip()}\n```\n"
    for subparsers in _subparsers(parser):
        for child in dict.fromkeys(subparsers.choices.values()):
            yield from _describe(_filled(child), min(level + 1, 4))


def _filled(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """Return a parser of a subcommand with its options, which `embanon leak` adds when it is asked for."""
    _, *words = parser.prog.split()
    if not all(map(_is_plain, parser._actions)):
        return parser
    try:
        module = importlib.import_module(f"embanon.cli.commands.{'.'.join(words).replace('-', '_')}")
    except ModuleNotFoundError:
        return parser
    module.arguments(parser)
    parser.epilog = module.EXAMPLE
    return parser


def _is_plain(action: argparse.Action) -> bool:
    return action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | argparse._SubParsersAction)


def _name(action: argparse.Action) -> str:
    value = action.metavar if isinstance(action.metavar, str) else ""
    if not value and action.choices:
        value = "\\|".join(map(str, action.choices))
    if not action.option_strings:
        return f"`{value or action.dest}`"
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    return f"{names} `{value}`" if value and action.nargs != 0 else names


def _help(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    return _escape(parser._get_formatter()._expand_help(action)) if action.help else ""


def _escape(text: str) -> str:
    """Write a text so that none of its signs means anything in Markdown; code stays code."""
    parts = " ".join(text.split()).split("`")
    parts[::2] = (re.sub(r"([<>*_\[\]])", r"\\\1", part) for part in parts[::2])
    return "`".join(parts).replace("|", "\\|")


# Settings


def settings_page() -> str:
    """Return a table for each section of the settings, made from their dataclasses."""
    parts = ["# Settings\n\nWritten from `embanon/config/settings.py`, where every default stands once.\n"]
    top = [field for field in fields(Config) if not _rows_of(field.type) and not is_dataclass(field.default)]
    parts.append(_table(Config, top))
    for field in fields(Config):
        kind = _rows_of(field.type) or (type(field.default) if is_dataclass(field.default) else None)
        if kind is None:
            continue
        head = f"[[{field.name}]]" if _rows_of(field.type) else f"[{field.name}]"
        parts.append(f"## `{head}`\n\n{_escape(kind.__doc__ or '')}\n\n{_table(kind, fields(kind))}")
        for inner in fields(kind):
            if is_dataclass(inner.default):
                inner_kind = type(inner.default)
                title = f"## `[{field.name}.{inner.name}]`\n\n{_escape(inner_kind.__doc__ or '')}\n"
                parts.append(f"{title}\n{_table(inner_kind, fields(inner_kind))}")
    return "\n".join(parts)


def _rows_of(kind: Any) -> Any:
    """Return the dataclass of a key that has rows, such as `[[patterns]]`."""
    match = re.fullmatch(r"tuple\[(\w+Rule), \.\.\.\]", str(kind))
    return getattr(settings, match[1]) if match else None


def _table(kind: Any, rows: Sequence[Any]) -> str:
    comments = _comments(kind)
    lines = ["| key | default | meaning |", "|---|---|---|"]
    for field in rows:
        if not is_dataclass(field.default):
            default = "required" if field.default is MISSING else f"`{_toml(field.default)}`"
            lines.append(f"| `{field.name}` | {default} | {_escape(comments.get(field.name, ''))} |")
    return "\n".join(lines) + "\n"


def _comments(kind: Any) -> dict[str, str]:
    """Return the comment behind each field of a dataclass."""
    lines, comments = getsource(kind).splitlines(), dict[str, str]()
    for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
        field = re.match(r"\s+(\w+):", lines[token.start[0] - 1]) if token.start[0] <= len(lines) else None
        if token.type == tokenize.COMMENT and field:
            comments[field[1]] = token.string.lstrip("# ")
    return comments


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)
