"""`embanon sheet`: let people rate replacements in a spreadsheet, and see how far they agree."""

from __future__ import annotations

import argparse
from typing import Final

from embanon.cli.options import refuse_repeated_stdin
from embanon.cli.output import format_bounds, format_number, write_all
from embanon.errors import ConfigError, InputError
from embanon.io import as_json, count_noun, format_table, read_documents, say, to_csv, write
from embanon.measure import (
    COLUMNS,
    OUTPUT_FORMATS,
    GoldDocument,
    RatingSummary,
    choose_rows,
    list_ids,
    match_output,
    read_output,
    read_sheets,
    read_texts,
    summarize_ratings,
)
from embanon.workflow import check_outputs

EXAMPLE: Final = """\
Give each rater a copy. `suitable`: would it do here, as text? `true`: is it true of the original? Write yes or no; what
is left empty counts as not rated. The sheet shows originals: it is as secret as they are, and only you may read it.

examples:
  embanon sheet out.jsonl letters.jsonl -o sheet.csv --count 50
  embanon sheet --read ada.csv ben.csv cora.csv
"""
BYTE_ORDER_MARK: Final = "\ufeff"
"""Without it, spreadsheet programs assume another encoding."""
COUNT, SEED = 100, 1
HEADER: Final = ("question", "yes", "95 %", "raters", "rows", "not rated", "agreement", "kappa", "", "alpha")
PAIR: Final = 2


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE",
        help="OUTPUT with replacements and its ORIGINALS; with --read, filled sheets.")  # fmt: skip
    add("--read", action="store_true", help="Sum up what the raters of these sheets say.")
    add("-o", "--output", metavar="FILE", help="File to write the sheet to.")
    add("--count", type=int, metavar="N", help=f"Number of replacements, chosen by chance. [default: {COUNT}]")
    add("--seed", type=int, metavar="N", help=f"Seed of chance. [default: {SEED}]")
    add("--format", choices=OUTPUT_FORMATS, help="Format of OUTPUT. [default: by its content]")
    add("--system", metavar="NAME", help="System to read, where OUTPUT has several.")
    add("--json", action="store_true", help="With --read: write a JSON object for each question.")


def run(options: argparse.Namespace) -> int:
    """Write a sheet, or sum up filled sheets."""
    if options.read:
        return _report_ratings(options)
    if len(options.files) != PAIR:
        raise ConfigError("a sheet needs an output and its originals: embanon sheet OUTPUT ORIGINALS -o sheet.csv")
    if not options.output or options.json:
        raise ConfigError("name a file for the sheet: -o sheet.csv; --json goes with --read")
    count, seed = (default if one is None else one for one, default in ((options.count, COUNT), (options.seed, SEED)))
    if count < 1 or seed < 0:
        raise ConfigError("--count must be a number from 1, --seed from 0")
    refuse_repeated_stdin(options.files)
    check_outputs(options.files, options.output)
    output, originals = options.files
    systems = read_output(output, options.format)
    named = [one for one in systems if options.system in (None, one.name)]
    if len(named) != 1:
        raise ConfigError(f"--system NAME must name one of: {', '.join(one.name for one in systems)}")
    match = match_output(_read_originals(originals), named[0], lenient=True)
    if match.extra_ids:
        raise InputError(f"{originals}: lacks documents of the output: {list_ids(match.extra_ids)}; name all originals")
    made = choose_rows(match.pairs, count, seed)
    if not made:
        raise InputError(f"{output}: has no replacement that says more than a type; there is nothing to rate")
    write_all(options.output, [BYTE_ORDER_MARK + to_csv(COLUMNS, made)], mode=0o600)
    say(f"{count_noun(len(made), 'replacement')} to rate; the sheet shows originals, keep it as secret as they are")
    return 0


def _read_originals(path: str) -> tuple[GoldDocument, ...]:
    """Read the originals, annotated or not."""
    texts = read_texts(path)
    if texts is not None:
        return texts
    return tuple(GoldDocument(document.id, document.text, (), document.language) for document in read_documents(path))


def _report_ratings(options: argparse.Namespace) -> int:
    for name in ("output", "count", "seed", "format", "system"):
        if getattr(options, name) is not None:
            raise ConfigError(f"--{name} makes a sheet; leave it out with --read")
    summaries = list(summarize_ratings(read_sheets(options.files)))
    if options.json:
        write("".join(as_json(one.to_dict()) + "\n" for one in summaries))
    else:
        write(format_table(HEADER, map(_row, summaries)))
    return 0


def _row(summary: RatingSummary) -> tuple[str, ...]:
    agreement = ("", "", "", "")
    if summary.kappa and summary.alpha:
        name = "Cohen's" if summary.raters == PAIR else "Fleiss'"
        kappa, alpha = summary.kappa, summary.alpha
        agreement = format_number(kappa.observed), format_number(kappa.value), name, format_number(alpha.value)
    return (
        summary.question, format_number(summary.share), format_bounds(summary.bounds), str(summary.raters),
        str(summary.rows), f"{summary.missing} of {summary.rows * summary.raters}", *agreement,
    )  # fmt: skip
