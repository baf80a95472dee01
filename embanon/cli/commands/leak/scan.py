"""`embanon leak scan`: record in a ledger what documents disclose about protected entities."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path, PurePath
from typing import Any, Final

from embanon.cli.commands.leak.ledgers import (
    KEY_SUFFIX,
    check_share,
    hints_file,
    ledger_options,
    name_formatter,
    open_ledger,
    policy_option,
    sensitive_above,
    sensitivity_options,
)
from embanon.cli.options import add_input_arguments, refuse_repeated_stdin, text_columns
from embanon.cli.output import progress_over
from embanon.config import load
from embanon.errors import ConfigError, InputError
from embanon.io import (
    STDIN,
    ReadOptions,
    as_json,
    check_encoding,
    format_table,
    report_failure,
    report_omitted,
    say,
    write,
)
from embanon.leak import SensitivityModel, copies_file, read_policy
from embanon.model import DEFAULT
from embanon.workflow import find_inputs

EXAMPLE: Final = """\
Documents go by their paths as named here, those of JSON Lines and tables by their ids; access logs must use the same
names. Documents that the ledger knows are not scored again; missing ones are recorded as gone. A scan that is
interrupted loses only the documents in hand, which the next one scores.

examples:
  embanon leak scan documents/ --policy policy.toml --ledger ledger.db --model our.model --jobs 0
  embanon leak scan documents.jsonl --policy policy.toml --ledger postgresql://embanon@db/leaks --key-file ledger.key
  embanon leak scan . --policy policy.toml --ledger ../ledger.db --fail
  embanon leak scan documents/ --policy policy.toml --ledger ledger.db --sensitivity sensitivity.npz
"""
SHOWN: Final = 10


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add = parser.add_argument
    policy_option(parser)
    ledger_options(parser)
    add("--model", metavar="MODEL", default=DEFAULT,
        help="Model of `embanon train` on documents of the same kind. [default: the shipped model]")  # fmt: skip
    add("--hints", metavar="FILE", help="Hints at entities, as secret as the documents; learned from these if the "
        "file is not there. [default: beside the key, as ….hints]")  # fmt: skip
    sensitivity_options(parser, "Report documents from this probability of being sensitive.")
    add("--learn", action="store_true", help="Learn the hints anew.")
    add("--label-field", metavar="KEY", help="Key or column with the label of a document. [default: from a line of it]")
    add("--jobs", type=int, default=1, metavar="N", help="Processes; 0 for one per processor. [default: 1]")
    add("--fail", action="store_true", help="End with 1 where a document discloses what it may not, at or above the "
        "threshold of an entity, or where hints know too few of its words.")  # fmt: skip
    add("--fail-above", type=float, metavar="RISK", help="End with 1 at or above this risk.")
    add("--top", type=int, default=SHOWN, metavar="N", help=f"Documents to list. [default: {SHOWN}]")
    add("--show-original", action="store_true", help="Show the names of entities.")
    add("--json", action="store_true", help="Write JSON.")


def run(options: argparse.Namespace) -> int:
    """Scan the documents, and print a summary."""
    from embanon.leak import ScanFile, ScanPlan, scan, scan_outcome, summarize_documents

    _check_options(options)
    above = sensitive_above(options)
    policy = read_policy(options.policy)
    config = load(options.config, {"language": options.language}).config
    carried = (options.label_field,) if options.label_field else ()
    jobs = options.jobs or os.cpu_count() or 1
    reading = ReadOptions(options.encoding, text_columns(options, carried))
    folder = Path(options.policy).parent
    hints = Path(options.hints or hints_file(options))
    sensitivity = Path(options.sensitivity) if options.sensitivity else None
    plan = ScanPlan(
        policy, folder, config, options.model, reading, options.format, options.label_field, hints, options.learn,
        jobs, sensitivity,
    )  # fmt: skip
    if sensitivity:
        SensitivityModel.load(sensitivity)  # before any ledger is made
    files, left_out = find_inputs(options.files)
    ignored = _leak_files(options)
    files = [one for one in files if one.path in options.files or Path(one.path).resolve() not in ignored]
    folders = [PurePath(one).as_posix() for one in options.files if one != STDIN and Path(one).is_dir()]
    with progress_over(files) as line, open_ledger(options, create=True) as ledger:
        begun, done = scan(ledger, plan, [ScanFile(file.path, file.size) for file in files], folders, line)
        numbers = {number: place for place, number in enumerate(begun.entities.values())}
        documents = sorted(done.names)
        outcome = scan_outcome(ledger, documents, numbers, options.fail_above, max(options.top, 0))
        sensed = summarize_documents(ledger, documents, above, max(options.top, 0)) if sensitivity else None
    shown = name_formatter(policy, options.show_original)
    names = [shown(item.name) for item in policy.entities]
    row = {
        **done.counts(), "left_out": len(left_out) + len(done.left_out) + len(done.faults),
        "untold": outcome.unknown_count,
        "above": outcome.violation_count,
        "entities": {names[number]: count for number, count in sorted(outcome.entities.items())},
        "top": [
            {"document": disclosure.document, "worth": round(disclosure.worth, 4), "risk": round(disclosure.risk, 4),
             "entity": names[disclosure.entity],
             **({"near_copy_of": disclosure.near_copy_of} if disclosure.near_copy_of else {})}
            for disclosure in outcome.top
        ],
    }  # fmt: skip
    if sensed:
        row["sensitivity"] = asdict(sensed)
    write(as_json(row) + "\n" if options.json else _summary(row, done.settled))
    if done.partial:
        done.notes.append(
            f"a part of {done.partial:,} documents cannot be read, as attachments: save these beside them"
        )
    for note in done.notes:
        say(f"note: {note}")
    code = max([InputError.exit_code if left_out or done.left_out else 0, *map(report_failure, done.faults)])
    report_omitted([*left_out, *done.left_out], len(files) + len(left_out))
    fails = (options.fail or options.fail_above is not None) and (outcome.violation_count or outcome.unknown_count)
    return max(code, int(bool(fails)))


def _leak_files(options: argparse.Namespace) -> set[Path]:
    """Return the files of the command itself, which are not documents even if they lie among them."""
    ledger = [options.ledger + end for end in ("", "-wal", "-shm", KEY_SUFFIX)]
    hints = options.hints or hints_file(options)
    learnt = hints, str(copies_file(Path(hints))), options.sensitivity
    names = (options.policy, options.key_file, options.config, *learnt, *ledger)
    return {Path(one).resolve() for one in names if one}


def _check_options(options: argparse.Namespace) -> None:
    if options.jobs < 0:
        raise ConfigError("--jobs must be a number from 0")
    check_share("--fail-above", options.fail_above)
    refuse_repeated_stdin(options.files)
    if options.encoding:
        check_encoding(options.encoding)


def _summary(row: dict[str, Any], settled: int) -> str:
    counts = [("documents", row["documents"]), *((name, row[name]) for name in REPORTED_COUNTS if row[name])]
    lines = ["; ".join(f"{name}: {count:,}" for name, count in counts) + "\n"]
    if settled:
        lines.append(f"accesses that waited for this scan: {settled:,}\n")
    if row["untold"]:
        lines.append(f"most words unknown, as of another language, so that names alone count: {row['untold']:,}\n")
    lines.append(f"above a threshold, where that is not allowed: {row['above']:,}{_describe_counts(row['entities'])}\n")
    top: Sequence[dict[str, Any]] = row["top"]
    if top:
        rows = [(f"{one['worth']:.2f}", f"{one['risk']:.2f}", one["entity"],
                 one["document"] + (f" (near copy of {one['near_copy_of']})" if "near_copy_of" in one else ""))
                for one in top]  # fmt: skip
        lines.append(format_table(("worth", "risk", "entity", "document"), rows))
    if "sensitivity" in row:
        lines.append(_describe_sensitivity(row["sensitivity"]))
    return "".join(lines)


def _describe_sensitivity(row: dict[str, Any]) -> str:
    line = f"sensitive by what is in it, of no entity of the policy: {row['sensitive']:,} (from {row['limit']:g})"
    unknown = f"; of which nothing can be said: {row['unknown']:,}" if row["unknown"] else ""
    rows = [(f"{one['sensitivity']:.2f}", one["document"]) for one in row["top"]]
    return f"{line}{unknown}\n" + (format_table(("sensitivity", "document"), rows) if rows else "")


REPORTED_COUNTS: Final = ("scored", "unchanged", "copies", "near", "partial", "gone", "left_out")


def _describe_counts(entities: dict[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in list(entities.items())[:SHOWN])
    return f" ({listed}{', …' if len(entities) > SHOWN else ''})" if listed else ""
