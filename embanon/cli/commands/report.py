"""`embanon report`: risky phrases, their replacements, and the risks before and after."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from embanon.anonymizer import Anonymized, Anonymizer
from embanon.cli.options import (
    add_input_arguments,
    add_replacement_arguments,
    add_scoring_arguments,
    file_settings,
    open_anonymizer,
)
from embanon.cli.output import format_number, format_rank, say_warnings, write_all
from embanon.entities import rules_from_options
from embanon.errors import ConfigError, InputError
from embanon.io import (
    STDIN,
    as_json,
    format_table,
    heading,
    process_each,
    read_sources,
    report_omitted,
    say,
    to_csv,
)
from embanon.replace import SHIFT_WARNING
from embanon.report import COLUMNS, ORIGINALS, Report, ReportVisibility, build_report, summary_line, to_html, totals
from embanon.taxonomy import SHIPPED
from embanon.workflow import check_outputs, document_warnings, find_inputs, unread_warnings

EXAMPLE: Final = """\
The page has no script and asks for nothing; it shows originals, and what tells more than the replacements, only with
--show-original, and then is as secret as the texts. Names of files and ids are shown: --publish leaves them out, and
all numbers that tell how rare an original is.

examples:
  embanon report letter.txt --entities protect.jsonl -o report.html
  embanon report letters.jsonl --model our.model --as csv -o edits.csv
"""
FORMATS: Final = ("html", "text", "json", "csv")
TYPES_HEADER: Final = ("type", "phrases", "replaced", "unknown", "before", "after")
FLOORS_HEADER: Final = ("rule", "masked", "words kept", "rank")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add_scoring_arguments(parser)
    add_replacement_arguments(parser)
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", default=STDIN, help="File to write. [default: standard output]")
    add("--as", dest="kind", choices=FORMATS,
        help="Page, summary, JSON Lines, or table of edits. [default: html; text in a terminal]")  # fmt: skip
    add("--summary-only", action="store_true", help="Leave out single documents of a page or summary.")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--show-original", action="store_true", help="Show the originals, and what would tell more.")
    shown.add_argument("--publish", action="store_true", help="Show no ids, and no exact numbers of originals.")


def run(options: argparse.Namespace) -> int:
    """Report on each document."""
    others = options.entities, options.background, options.pseudonym_key, options.config
    files, left_out = find_inputs(options.files)
    check_outputs([result.path for result in files], options.output, others=others)
    kind = options.kind or ("text" if options.output == STDIN and sys.stdout.isatty() else "html")
    if options.summary_only and kind not in ("html", "text"):
        raise ConfigError(f"--summary-only is of a page or a summary; leave it out with --as {kind}")
    asked = rules_from_options(options.entities, options.protect, options.protect_field)
    doing = open_anonymizer(options)
    done = list[Anonymized]()

    notes, heard, total = list[str](), set[str](), len(files) + len(left_out)
    reading = file_settings(options).read_options()

    def judge(path: str) -> int:
        sources = list(read_sources(path, reading, options.format))
        here = list(doing.anonymize_all([result.document for result in sources], asked, rank=options.anonymity))
        done.extend(here)
        code = 0
        for source, result in zip(sources, here, strict=True):
            unread = unread_warnings(source, result.scored_document, path, {}, options.publish)
            reasons = [warning.message for warning in unread]
            warned = say_warnings(document_warnings(result.scored_document, path, options.anonymity), heard)
            code = max(code, warned, 1 if reasons else 0)
            notes.extend(reasons if options.publish else (f"{source.document.id}: {reason}" for reason in reasons))
        return code

    code = InputError.exit_code if left_out else 0
    code = max(code, process_each([result.path for result in files], judge, left_out))
    report_omitted(left_out, total)
    if not done:
        return code
    look = ReportVisibility(options.show_original, options.publish)
    made = report_settings(doing, options.model, options.background, rank=options.anonymity, public=options.publish)
    if any(edit.rung == "shift" for result in done for edit in result.edits):
        made["dates"] = SHIFT_WARNING
    mode = 0o600 if options.show_original else 0o666  # then it is as secret as the table
    for note in notes:
        say(f"warning: {note}")
    inputs_are = "1 input is" if len(left_out) == 1 else f"{len(left_out)} inputs are"
    count = f"{inputs_are} left out of this report: not readable"
    if left_out:
        notes[:0] = [count] if options.publish else [f"{count} ({'; '.join(left_out)})"]
    if kind == "html":
        page = to_html(done, made, look, doing.attackers, overview_only=options.summary_only, notes=notes)
        write_all(options.output, list(page), mode)
    else:
        reports = [build_report(result, number, look, doing.attackers) for number, result in enumerate(done, 1)]
        write_all(options.output, list(_render(reports, made, kind, options)), mode)
    above = sum(result.has_remaining_risk for result in done)
    if above:
        say(f"note: {above} of {len(done)} documents keep a risk at or above the limit")
    return max(code, 1 if above else 0)


def report_settings(
    doing: Anonymizer, model: str | None, background: str | None, *, rank: int = 0, public: bool = False
) -> dict[str, str]:  # fmt: skip
    """Return the settings of a report; file names are left out of a public one."""
    config, made_with = doing.config, doing.made_with
    stores = [Path(name).name for name in doing.stores if name in SHIPPED or not public]
    model = f"{'one' if public else model} ({made_with['model']})" if model else "none: rarity of the language at large"
    if doing.attackers:
        background = f"{'one' if public else background}, {len(doing.attackers.background)} candidates"
    return {
        "embanon": made_with["version"], "settings": made_with["config"],
        "model": model,
        "taxonomies": f"{', '.join(stores)} ({made_with['taxonomies']})".strip(),
        "scorer": config.score.effective_scorer, "preset": config.score.preset,
        "limit": str(config.score.effective_limits),
        "others": config.score.others, "attribution limit": f"{config.score.attribution_limit:g}",
        "method": doing.method,
        "background": background or "none", "anonymity asked for": f"behind rank {rank}" if rank else "none",
    }  # fmt: skip


def _render(
    reports: Sequence[Report], settings: dict[str, str], kind: str, options: argparse.Namespace
) -> Iterator[str]:  # fmt: skip
    if kind == "json":
        for report in reports:
            yield as_json({**report.to_dict(), "settings": settings}) + "\n"
    elif kind == "csv":
        edits = (edit for report in reports for edit in report.edits)
        yield to_csv((*COLUMNS, *ORIGINALS) if options.show_original else COLUMNS, edits)
    else:
        for report in () if options.summary_only else reports:
            yield from _text(report)
        if len(reports) != 1 or options.summary_only:
            yield f"documents: {len(reports):,}; {summary_line(totals([report.numbers for report in reports]))}\n"


def _text(report: Report) -> Iterator[str]:
    """Yield the summary of a document for a terminal."""
    yield heading(report.name, report.numbers["language"])
    yield summary_line(report.numbers) + "\n"
    for caution in report.cautions:
        yield f"warning: {caution}\n"
    rows = (
        (row["type"], *(str(row[name]) for name in ("phrases", "replaced", "unknown")), f"{row['risk_before']:.2f}",
         f"{row['risk_after']:.2f}")
        for row in report.types
    )  # fmt: skip
    yield format_table(TYPES_HEADER, rows) if report.types else ""
    rules = (
        (rule.name, str(rule.masked), format_number(rule.share_kept, 2, ""), format_rank(rule.rank))
        for rule in report.baselines
    )  # fmt: skip
    yield format_table(FLOORS_HEADER, rules)
