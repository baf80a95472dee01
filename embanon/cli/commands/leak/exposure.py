"""`embanon leak exposure`: what authors of mails, chats and posts have disclosed of themselves."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from embanon.cli.options import add_input_arguments, refuse_repeated_stdin
from embanon.cli.output import progress_over, write_all
from embanon.config import load
from embanon.errors import ConfigError, InputError
from embanon.io import STDIN, ReadOptions, as_json, check_encoding, report_omitted, say, to_csv, write
from embanon.workflow import check_outputs, find_inputs

if TYPE_CHECKING:
    from embanon.leak import AuthorExposure, AuthorLabels

EXAMPLE: Final = """\
Authors are told apart by the address in a header of mails (.eml, .mbox), or by a field of JSON Lines and tables. What
they quote of others is not theirs; signatures are. Exposure is the chance that somebody is singled out by all of it
together, 1 - Π (1 - risk) over distinct things; bits are the same as a sum that has no end, by which authors are
ranked. Authors are a1, a2 … in that order, or pseudonyms that stay the same with --key-file.

examples:
  embanon leak exposure mails/ --by from
  embanon leak exposure chat.jsonl --by user --top 5 --things 10
  embanon leak exposure posts.csv --by author --column body --date-field posted -o exposure.csv
"""
SHOWN: Final = 20
THINGS: Final = 5


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    add = parser.add_argument
    add("--by", metavar="FIELD", default="from",
        help="Header of mails, or field of rows, that says who wrote a text. [default: from]")  # fmt: skip
    add("--date-field", metavar="FIELD", help="Field of rows that says when. [default: date, time, timestamp …]")
    add("--model", metavar="MODEL", help="Model of `embanon train` on texts of the same kind. [default: none]")
    add("--key-file", metavar="FILE", help="Key for pseudonyms of authors that stay the same, such as a ledger's.")
    add("--top", type=int, default=SHOWN, metavar="N", help=f"Authors to list. [default: {SHOWN}]")
    add("--things", type=int, default=THINGS, metavar="N", help=f"Things to list of each author. [default: {THINGS}]")
    add("--show-original", action="store_true", help="Show addresses of authors, and the words of phrases.")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each author.")
    how.add_argument("-o", "--output", metavar="FILE", default=STDIN, help="Output file: .csv with a row for each "
        "thing, .json or .jsonl with a line for each author.")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Measure what authors have disclosed, and print it."""
    from embanon.leak import AuthorColumns, AuthorLabels, ExposureMeter, read_all_authored
    from embanon.model import open_model
    from embanon.replace import read_key

    kind = _output_kind(options)
    columns = AuthorColumns(options.by, _text_field(options.column), options.id_column or "id", options.date_field)
    config = load(options.config, {"language": options.language}).config
    key = read_key(options.key_file) if options.key_file else None
    meter = ExposureMeter(config, open_model(options.model) if options.model else None)
    files, left_out = find_inputs(options.files)
    check_outputs([file.path for file in files], options.output, others=(options.key_file,))
    count = len(files) + len(left_out)
    with progress_over(files):
        paths = [file.path for file in files]
        meter.add_all(read_all_authored(paths, columns, ReadOptions(options.encoding), options.format, left_out))
    authors = meter.result()
    labels = AuthorLabels(authors, key, original=options.show_original)
    _write(authors, labels, kind, options)
    if meter.unknown:
        say(f"note: nobody knows who wrote {meter.unknown:,} texts; --by names the header or the field that says it")
    report_omitted(left_out, max(count, len(left_out)))
    return InputError.exit_code if left_out else 0


def _text_field(named: Sequence[str] | None) -> str:
    if named and len(named) > 1:
        raise ConfigError("--column: a text has one field here; name one")
    return named[0] if named else "text"


def _output_kind(options: argparse.Namespace) -> str:
    """Return the form of the output, after checking the options."""
    refuse_repeated_stdin(options.files)
    for option, number in (("--top", options.top), ("--things", options.things)):
        if number < 0:
            raise ConfigError(f"{option} must be a number from 0")
    if options.encoding:
        check_encoding(options.encoding)
    if options.output == STDIN:
        return "json" if options.json else "text"
    kind = {"csv": "csv", "json": "json", "jsonl": "json", "txt": "text"}.get(Path(options.output).suffix[1:].lower())
    if kind is None:
        raise ConfigError(f"{options.output}: of which kind? name a .csv, .json, .jsonl or .txt file")
    return kind


def _write(
    authors: Sequence[AuthorExposure], labels: AuthorLabels, kind: str, options: argparse.Namespace
) -> None:  # fmt: skip
    from embanon.leak import EXPOSURE_COLUMNS, author_row, exposure_rows, exposure_table

    original = options.show_original
    if kind == "csv":
        text = to_csv(EXPOSURE_COLUMNS, exposure_rows(authors, labels, original=original))
    elif kind == "json":
        text = "".join(as_json(author_row(one, labels(one), original=original)) + "\n" for one in authors)
    elif authors:
        text = exposure_table(authors[: options.top], labels, options.things, original=original)
        text += f"… and {len(authors) - options.top:,} more authors\n" if len(authors) > options.top else ""
    else:
        text = "no texts with an author\n"
    if options.output == STDIN:
        write(text)
    else:
        write_all(options.output, [text], 0o600)  # what people disclose is nothing for everybody
