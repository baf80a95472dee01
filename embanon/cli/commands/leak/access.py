"""`embanon leak access`: logs of who opened what, imported into a ledger."""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from embanon.cli.commands.leak.ledgers import ledger_options, open_ledger, open_stdin, policy_option, vacuum_ledger
from embanon.errors import InputError
from embanon.io import STDIN, as_json, open_gzip, open_input as opened_file, process_each, report_omitted, say, write
from embanon.leak import Policy, read_policy

if TYPE_CHECKING:
    from datetime import tzinfo

    from embanon.leak import ImportResult, Ledger

EXAMPLE: Final = """\
A log has lines of time,user,document[,action], or JSON objects with these keys; documents have the names that they have
in the ledger. The order of imports, and repeating them, changes nothing. Lines that cannot be read are reported by
number (exit code 3); the others are kept. What is older than `[ledger] days` of the policy is erased then.

examples:
  embanon leak access access.csv --policy policy.toml --ledger ledger.db
  zcat access-2026-05.jsonl.gz | embanon leak access - --policy policy.toml --ledger ledger.db --time-zone Europe/Berlin
"""
MAX_REASONS: Final = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("logs", nargs="+", metavar="LOG", help="Log in CSV or JSON Lines, also as .gz; - for standard input.")
    policy_option(parser)
    ledger_options(parser)
    add("--time-zone", metavar="NAME", default="UTC", help="Zone of days, and of times without one. [default: UTC]")
    add("--json", action="store_true", help="Write JSON.")


def run(options: argparse.Namespace) -> int:
    """Import each log, and report the outcome."""
    from embanon.leak import DAY_MILLISECONDS, erase_before, parse_time_zone

    policy, zone, left_out = read_policy(options.policy), parse_time_zone(options.time_zone), list[str]()
    with open_ledger(options) as ledger:
        code = process_each(options.logs, lambda log: _import_log(log, ledger, policy, zone, options), left_out)
        if policy.ledger.days and (
            gone := erase_before(ledger, ledger.clock() // DAY_MILLISECONDS - policy.ledger.days)
        ):
            vacuum_ledger(ledger)
            say(f"entries erased that are older than the policy keeps them: {gone:,}")
    report_omitted(left_out, len(options.logs))
    return code


def _import_log(log: str, ledger: Ledger, policy: Policy, zone: tzinfo, options: argparse.Namespace) -> int:
    from embanon.leak import import_log

    with _open_log(log) as stream, open_gzip(stream, log) if log.endswith(".gz") else nullcontext(stream) as content:
        result = import_log(ledger, content, log, policy, zone)
    write(as_json({"log": log} | _row(result)) + "\n" if options.json else _describe_result(log, result))
    for bad in result.reasons[:MAX_REASONS]:
        say(f"{log}, line {bad.line}: {bad.reason}")
    if result.bad.count > MAX_REASONS:
        say(f"{log}: {result.bad.count:,} lines cannot be read")
    return InputError.exit_code if result.bad.count else 0


def _open_log(log: str) -> Any:
    return opened_file(log) if log != STDIN else nullcontext(open_stdin("a file").buffer)


def _row(result: ImportResult) -> dict[str, Any]:
    return {
        "lines": result.lines, **asdict(result.written), "settled": result.settled, "bad": asdict(result.bad),
        "back": asdict(result.back), "ahead": asdict(result.ahead),
    }  # fmt: skip


def _describe_result(log: str, result: ImportResult) -> str:
    counts = {
        "lines": result.lines, "new": result.written.new, "known": result.written.known,
        "of documents not scanned yet": result.written.waiting, "of before, scanned since": result.settled,
        "cannot be read": result.bad.count, "clock went back": result.back.count, "of the future": result.ahead.count,
    }  # fmt: skip
    counted = "; ".join(f"{name}: {count:,}" for name, count in counts.items() if count or name == "lines")
    return f"{log}: {counted}\n"
