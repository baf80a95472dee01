"""`embanon leak check`: refuse documents that disclose what is protected."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from embanon.cli.commands.leak.ledgers import (
    check_share,
    known_copies,
    known_hints,
    policy_option,
    sensitive_above,
    sensitivity_options,
)
from embanon.cli.options import add_input_arguments, refuse_repeated_stdin, text_columns
from embanon.cli.output import process_each_file
from embanon.config import load
from embanon.io import (
    FORMATS,
    STDIN,
    TEXT,
    ReadOptions,
    as_json,
    format_of,
    read_sources,
    replace_unsafe,
    write,
)
from embanon.leak import Gate, NameHider, Verdict, masking_command, read_policy
from embanon.model import DEFAULT

EXAMPLE: Final = """\
Exit code 1 says that a document is at or above the limit, or that a part of it, as an attachment, cannot be read; it is
said why, and what to run instead. Exit code 5 says that nothing is against any document, but that of one, as in another
language, nothing can be said but names: [gate] of the policy sets whether it is to be refused, or to pass with a
warning. Entities are e1, e2 … in the order of the policy. No ledger is needed; with one, what its scans have learned
counts too. Attachments of mail are documents of their own, MAIL#ATTACHMENT, with what stands for names in that.
Ready recipes for git, mail and CI: embanon leak recipe.

examples:
  embanon leak check letter.txt --policy policy.toml --ledger ledger.db
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
    add("--ledger", metavar="FILE", help="Ledger whose hints count, too. [default: only names]")
    add("--key-file", metavar="FILE", help="Key of the ledger, beside which its hints lie. [default: FILE.key]")
    add("--hints", metavar="FILE", help="Hints that a scan learned. [default: those of the ledger]")
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
        policy, Path(options.policy).parent, config, options.model, known_hints(options),
        limit=options.limit, label=options.label, leaving=options.leaving,
        sensitivity=Path(options.sensitivity) if options.sensitivity else None, above=sensitive_above(options),
        pass_unknown=options.skip_unread, copies=known_copies(options),
    )  # fmt: skip
    undecided = list[str]()

    hide = NameHider.from_policy(policy)
    reading = ReadOptions(options.encoding, text_columns(options), whole=True)

    def judge(path: str) -> int:
        refused, unknown, unread, is_table = list[SourceVerdict](), list[Verdict](), 0, False
        for source in read_sources(path, reading, options.format):
            left_out = () if options.skip_unread else tuple(source.omitted_parts)
            verdict = gate.judge(source.document, path, source.text_outside)
            if source.attachment and not options.show_original:
                verdict = replace(verdict, id=path + hide(verdict.id.removeprefix(path)))
            unread += bool(left_out)
            if options.json:
                write(as_json(verdict.row(left_out, original=options.show_original)) + "\n")
            elif left_out and not options.quiet:
                write(f"{_one_line(verdict.id)}: cannot be read in full: {_one_line('; '.join(left_out))}\n")
            refused += [SourceVerdict(verdict, bool(source.attachment))] if verdict.is_refused else []
            unknown += [verdict] if verdict.is_unknown and not verdict.is_refused else []
            is_table = is_table or bool(source.record_id)
        if not (options.json or options.quiet):
            verdicts = (*(one.verdict for one in refused), *unknown)
            write("".join(_describe_verdict(one, original=options.show_original) for one in verdicts))
            write(_advise(refused, path, options, is_table=is_table) if refused else "")
        undecided.extend(one.id for one in unknown if not one.passes)
        return int(bool(refused or unread))

    code = process_each_file(options.files, judge)
    if code or not undecided:
        return code
    return 1 if policy.gate.unknown == "refuse" else UNKNOWN_EXIT_CODE


class SourceVerdict(NamedTuple):
    """A verdict on a file, or on an attachment."""

    verdict: Verdict
    is_attached: bool


def _describe_verdict(verdict: Verdict, *, original: bool) -> str:
    return "".join(f"{_one_line(verdict.id)}: {_one_line(reason)}\n" for reason in verdict.describe(original=original))


def _advise(judged: Sequence[SourceVerdict], path: str, options: argparse.Namespace, *, is_table: bool) -> str:
    """Return advice on a refused document: names of entities can be masked, a document sensitive as a whole cannot."""
    advice, refused = "", [one.verdict for one in judged]
    if files := [one.verdict for one in judged if one.verdict.reasons and not one.is_attached]:
        format = options.format
        if not is_table and FORMATS[format or format_of(path) or TEXT].has_rows:
            format = TEXT  # which it was read as
        command = masking_command(files, path, options.policy, model=options.model, format=format)
        advice = f"  to anonymize it, {'save it, then run' if path == STDIN else 'run'}: {replace_unsafe(command)}\n"
    if any(one.is_attached for one in judged):
        advice += "  take attachments out, or save them as files: check and anonymize each by itself\n"
    if any(reason.is_outside_text for one in refused for reason in one.reasons):
        advice += "  take out by hand what is named outside of the text: anonymizing may leave it\n"
    if any(one.is_sensitive for one in refused):
        advice += "  no masking helps where all of it is sensitive: let somebody look who may release it\n"
    return advice


def _one_line(text: str) -> str:
    return " ".join(replace_unsafe(text).splitlines())
