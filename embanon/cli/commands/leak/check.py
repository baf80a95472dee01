"""`embanon leak check`: refuse documents that disclose what is protected."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from embanon.cli.commands.leak.ledgers import (
    check_share,
    policy_option,
    sensitive_above,
    sensitivity_options,
)
from embanon.cli.options import add_input_arguments, refuse_repeated_stdin, text_columns
from embanon.cli.output import process_each_file
from embanon.config import load
from embanon.io import STDIN, ReadOptions, as_json, read_sources, replace_unsafe, write
from embanon.leak import Gate, Verdict, masking_command, read_policy
from embanon.model import DEFAULT

EXAMPLE: Final = """\
Exit code 1 says that a document is at or above the limit, or that a part of it, as an attachment, cannot be read; it is
said why, and what to run instead. Exit code 5 says that nothing is against any document, but that of one, as in another
language, nothing can be said but names: [gate] of the policy sets whether it is to be refused, or to pass with a
warning. Entities are e1, e2 … in the order of the policy. No ledger is needed.
Ready recipes for git, mail and CI: embanon leak recipe.

examples:
  embanon leak check letter.txt --policy policy.toml
  embanon leak check - --format eml --leaving --policy policy.toml < message.eml
  embanon leak check documents/ --policy policy.toml --label 'STRICTLY CONFIDENTIAL' --json
  embanon leak check report.txt --policy policy.toml --sensitivity sensitivity.npz
"""
UNKNOWN_EXIT_CODE: Final = 5
"""Of documents of which nothing can be said."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    policy_option(parser)
    add = parser.add_argument
    add("--model", metavar="MODEL", default=DEFAULT, help="Model of `embanon train`. [default: the shipped model]")
    add("--hints", metavar="FILE", help="Hints that a scan learned: LEDGER.hints. [default: only names]")
    sensitivity_options(parser, "Refuse documents from this probability of being sensitive.")
    add("--limit", type=float, metavar="RISK", help="Lowest risk that is refused. [default: that of the policy]")
    add("--label", metavar="LABEL", help="Label of the documents, for which the policy may allow more.")
    add("--skip-unread", action="store_true", help="Pass documents with parts that cannot be read, such as "
        "attachments, or in a language that the hints do not know.")  # fmt: skip
    add("--leaving", action="store_true", help="The documents leave the company: no folder or label allows anything.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each document.")
    how.add_argument("--quiet", action="store_true", help="Print nothing; the exit code tells.")
    add("--show-original", action="store_true", help="Show the names of entities and the words of phrases.")


def run(options: argparse.Namespace) -> int:
    """Check each document, and print why it is refused."""
    check_share("--limit", options.limit)
    refuse_repeated_stdin(options.files)
    policy = read_policy(options.policy)
    config = load(options.config, {"language": options.language}).config
    gate = Gate.open(
        policy, Path(options.policy).parent, config, options.model, Path(options.hints) if options.hints else None,
        limit=options.limit, label=options.label, leaving=options.leaving,
        sensitivity=Path(options.sensitivity) if options.sensitivity else None, above=sensitive_above(options),
        pass_unknown=options.skip_unread,
    )  # fmt: skip
    undecided = list[str]()

    def judge(path: str) -> int:
        refused, unknown, unread = list[Verdict](), list[Verdict](), 0
        for source in read_sources(path, ReadOptions(options.encoding, text_columns(options)), options.format):
            left_out = () if options.skip_unread else tuple(source.omitted_parts)
            verdict = gate.judge(source.document, path, source.text_outside)
            unread += bool(left_out)
            if options.json:
                write(as_json(verdict.row(left_out, original=options.show_original)) + "\n")
            elif left_out and not options.quiet:
                write(f"{_one_line(verdict.id)}: cannot be read in full: {_one_line('; '.join(left_out))}\n")
            refused += [verdict] if verdict.is_refused else []
            unknown += [verdict] if verdict.is_unknown and not verdict.is_refused else []
        if not (options.json or options.quiet):
            write("".join(_describe_verdict(one, original=options.show_original) for one in (*refused, *unknown)))
            write(_advise(refused, path, options) if refused else "")
        undecided.extend(one.id for one in unknown if not one.passes)
        return int(bool(refused or unread))

    code = process_each_file(options.files, judge)
    if code or not undecided:
        return code
    return 1 if policy.gate.unknown == "refuse" else UNKNOWN_EXIT_CODE


def _describe_verdict(verdict: Verdict, *, original: bool) -> str:
    return "".join(f"{_one_line(verdict.id)}: {_one_line(reason)}\n" for reason in verdict.describe(original=original))


def _advise(refused: Sequence[Verdict], path: str, options: argparse.Namespace) -> str:
    """Return advice on a refused document: names of entities can be masked, a document sensitive as a whole cannot."""
    advice = ""
    if any(one.reasons for one in refused):
        command = masking_command(refused, path, options.policy, model=options.model, format=options.format)
        advice = f"  to anonymize it, {'save it, then run' if path == STDIN else 'run'}: {replace_unsafe(command)}\n"
    if any(reason.is_outside_text for one in refused for reason in one.reasons):
        advice += "  take out by hand what is named outside of the text: anonymizing may leave it\n"
    if any(one.is_sensitive for one in refused):
        advice += "  no masking helps where all of it is sensitive: let somebody look who may release it\n"
    return advice


def _one_line(text: str) -> str:
    return " ".join(replace_unsafe(text).splitlines())
