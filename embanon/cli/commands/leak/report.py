"""`embanon leak report`: which disclosures would cost most, where they lie, and who knows them."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Final

from embanon.cli.commands.leak.ledgers import check_share, ledger_files, ledger_options, open_ledger, policy_option
from embanon.cli.output import write_all
from embanon.errors import ConfigError, DataError
from embanon.io import STDIN, as_json, open_input as opened_file, say, write
from embanon.leak import SENSITIVE_ABOVE, read_policy
from embanon.workflow import check_outputs

EXAMPLE: Final = """\
The page has no script and asks for nothing. Entities are e1, e2 … in the order of the policy, also where their names
stand in names of files; their names, and phrases as they are written, are shown with --show-original alone, and what
is written then is as secret as the documents. Phrases are shown where the ledger keeps them, or where the document is
still there as it was scanned.

examples:
  embanon leak report --ledger ledger.db --policy policy.toml -o report.html
  embanon leak report --ledger ledger.db --policy policy.toml -o disclosures.csv
  embanon leak report --ledger ledger.db --policy policy.toml --since 2026-05-01 --groups groups.csv
"""
KINDS: Final = ("html", "text", "json", "csv")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    ledger_options(parser)
    policy_option(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="File to write. [default: standard output]")
    add("--as", dest="kind", choices=KINDS, help="Form of the report. [default: by FILE; html, or text in a terminal]")
    add("--since", metavar="DAY", help="First day, as 2026-05-04. [default: 30 days ago; of changes, the last scan]")
    add("--groups", metavar="FILE", help="CSV of user,group: peers to compare users with. [default: all]")
    add("--top", type=int, metavar="N", help="Documents, users and changes to list. [default: 50; in CSV all]")
    add("--sensitivity-above", type=float, metavar="P", default=SENSITIVE_ABOVE,
        help=f"Report documents from this probability of being sensitive. [default: {SENSITIVE_ABOVE}]")  # fmt: skip
    add("--verify", action="store_true", help="Verify the ledger first, and report the outcome.")
    add("--show-original", action="store_true", help="Show the names of entities and the words of phrases.")


def run(options: argparse.Namespace) -> int:
    """Build the report from the ledger, and write it."""
    if options.top is not None and options.top < 1:
        raise ConfigError("--top must be 1 or more")
    check_share("--sensitivity-above", options.sensitivity_above)
    check_outputs([*ledger_files(options), options.policy], options.output, others=[options.groups])
    kind = _output_kind(options)
    policy = read_policy(options.policy)
    # What follows needs a database.
    from embanon.leak import (
        MAX_SHOWN,
        VERIFY_COMMAND,
        LeakReportOptions,
        gather_findings,
        parse_day,
        reread_file,
        to_csv,
        to_dict,
        to_html,
        to_text,
        verify,
    )

    since = None if options.since is None else parse_day(options.since)
    look = LeakReportOptions(options.show_original, options.top or MAX_SHOWN, since, options.sensitivity_above)
    groups = _read_groups(options.groups) if options.groups else {}
    mode = 0o600  # who opens what, and what lies where, is nothing for everybody
    with open_ledger(options) as ledger:
        faults = len(verify(ledger, computed=True).faults) if options.verify else None
        if faults:
            say(f"{ledger.where}: is not as it was written, in {faults:,} cases; run: {VERIFY_COMMAND}")
        code = DataError.exit_code if faults else 0
        if kind == "csv":
            parts = to_csv(ledger, policy, look, reread_file, options.top)
            if options.output == STDIN:
                for part in parts:
                    write(part)
            else:
                write_all(options.output, list(parts), mode)
            return code
        findings = replace(gather_findings(ledger, policy, look, groups, reread_file), faults=faults)
    if kind == "html":
        write_all(options.output, list(to_html(findings)), mode)
    elif kind == "json":
        write_all(options.output, [as_json(to_dict(findings)) + "\n"], mode)
    else:
        write_all(options.output, list(to_text(findings)), mode)
    if options.output != STDIN:
        say(f"{options.output}: {findings.violation_count:,} cases of disclosure outside allowed folders, "
            f"{findings.alerts:,} alerts")  # fmt: skip
    return code


def _output_kind(options: argparse.Namespace) -> str:
    """Return the form of the report: as requested, by the file name, or suited to where it is shown."""
    ending = Path(options.output).suffix.lower().removeprefix(".")
    named = {"htm": "html", "txt": "text"}.get(ending, ending)
    if options.kind or named in KINDS:
        return str(options.kind or named)
    return "text" if options.output == STDIN and sys.stdout.isatty() else "html"


def _read_groups(path: str) -> dict[str, str]:
    from embanon.leak import read_groups

    with opened_file(path) as stream:
        return read_groups(stream, path)
