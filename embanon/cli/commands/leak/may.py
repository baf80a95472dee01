"""`embanon leak may`: say whether somebody may open a document, and what they would learn by it."""

from __future__ import annotations

import argparse
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final

from embanon.cli.commands.leak.ledgers import (
    known_copies,
    known_hints,
    ledger_options,
    open_ledger,
    policy_option,
    read_user,
)
from embanon.cli.options import add_reading_arguments, text_columns
from embanon.errors import ConfigError, InputError
from embanon.io import ReadOptions, as_json, process_each, read_sources, replace_unsafe, say, write
from embanon.leak import read_policy

if TYPE_CHECKING:
    from embanon.leak import Answer, Assessor, Clearance, Policy

EXAMPLE: Final = """\
Exit code 0 says yes to all documents, 1 no to any. A document goes by its name in the ledger, and is not read again;
any other FILE is read and scored. Who may know an entity is what `may` of the policy says; of an entity without it,
documents where it may be mentioned are open to all. It is no, too, where they would come to know so much that the
policy alerts. Nothing is written down.

examples:
  embanon leak may ada research/report.txt --policy policy.toml --ledger ledger.db
  embanon leak may ada drafts/*.txt --policy policy.toml --ledger ledger.db --json
  echo ada | embanon leak may - report.txt --on 2026-12-31 --policy policy.toml --ledger ledger.db
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("user", metavar="USER", help="User or group; - for standard input, hidden from process lists.")
    add("files", nargs="+", metavar="FILE", help="Name of a document in the ledger, or a file to read.")
    policy_option(parser)
    ledger_options(parser)
    add("--on", metavar="DAY", help="Day on which they would open it, as 2026-05-04. [default: today]")
    add("--model", metavar="MODEL", help="Model for files that are read. [default: the shipped model]")
    add("--hints", metavar="FILE", help="Hints that a scan learned. [default: beside the key, as ….hints]")
    add("--label", metavar="LABEL", help="Label of files that are read, for which the policy may allow more.")
    add_reading_arguments(parser)
    add("--show-original", action="store_true", help="Show the names of entities.")
    add("--json", action="store_true", help="Write a JSON object for each document.")


def run(options: argparse.Namespace) -> int:
    """Answer for each document."""
    from embanon.leak import Clearance, parse_day

    policy, day = read_policy(options.policy), parse_day(options.on) if options.on else None
    user = read_user(options.user)
    if not user.strip():
        raise ConfigError("USER is empty; name them as access logs do")
    with open_ledger(options) as ledger:
        clearance = Clearance(ledger, policy, lambda: _open_assessor(policy, options))
        seen = list[bool]()

        def answer_for(name: str) -> int:
            answer = clearance.ask(user, name, day) or clearance.ask(user, PurePath(name).as_posix(), day)
            answers = [answer] if answer else _read_answers(clearance, user, name, day, options)
            seen.extend(not one.is_new_user for one in answers)
            for answer in answers:
                _print(answer, options)
            return int(not all(one.yes for one in answers))

        code = process_each(options.files, answer_for)
    if seen and not any(seen):
        say("note: the ledger does not know this user, who has seen nothing by it; write them as access logs do")
    return code


def _read_answers(
    clearance: Clearance, user: str, name: str, day: int | None, options: argparse.Namespace
) -> list[Answer]:
    """Read a file, and answer for each document in it."""
    if not Path(name).is_file():
        raise InputError(f"{name}: is no file, and no document that a scan has seen; write it as the ledger does")
    reading = ReadOptions(options.encoding, text_columns(options))
    labels = (options.label,) if options.label else ()
    return [
        clearance.ask_text(
            user, source.document, name, labels=labels, outside=source.text_outside, omitted=source.omitted_parts,
            day=day,
        )
        for source in read_sources(name, reading, options.format)
    ]  # fmt: skip


def _open_assessor(policy: Policy, options: argparse.Namespace) -> Assessor:
    from embanon.config import load
    from embanon.leak import Assessor
    from embanon.model import DEFAULT

    config = load(options.config, {"language": options.language}).config
    folder, copies = Path(options.policy).parent, known_copies(options)
    model = options.model or DEFAULT
    return Assessor.open(policy, folder, config, model, known_hints(options), None, policy.least, copies)


def _print(answer: Answer, options: argparse.Namespace) -> None:
    if options.json:
        write(as_json(answer.row(original=options.show_original)) + "\n")
    else:
        lines = (
            " ".join(replace_unsafe(line).splitlines()) for line in answer.describe(original=options.show_original)
        )
        write("\n  ".join(lines) + "\n")
