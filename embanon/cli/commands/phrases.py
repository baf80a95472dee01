"""`embanon phrases`: list the phrases of a text that can be masked, with their types."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from embanon.cli.options import (
    add_color_argument,
    add_input_arguments,
    input_documents,
    language_config,
    refuse_repeated_stdin,
)
from embanon.cli.output import process_each_file
from embanon.document import FORMS, TYPES, Document, Phrases
from embanon.errors import ConfigError
from embanon.io import (
    TEXT,
    as_json,
    check_encoding,
    format_of,
    format_rows,
    heading,
    highlight_types,
    legend,
    read_documents,
    wants_color,
    warn_no_tagger,
    write,
)
from embanon.model import open_model
from embanon.text import NO_STATISTICS, Analysis, find_all, gather_statistics

EXAMPLE: Final = """\
examples:
  embanon phrases letter.txt
  embanon phrases --view --language de brief.txt
  embanon phrases --json --corpus corpus.jsonl.gz letters.jsonl > phrases.jsonl
"""

HEADER: Final = ("start", "end", "type", "kind", "form", "phrase")

SLICE: Final = 4096
"""Phrases that are written at a time: of a long text, all of them as objects take twenty times its memory."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_input_arguments(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="Write a JSON object for each document, with offsets.")
    how.add_argument("--view", action="store_true", help="Show the text, its phrases colored by type.")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="FILE",
        help="Texts of the same kind to read first, for capitals and parts of names. Repeatable. --format holds where "
        "its name does not end in .jsonl, .jsonl.gz or .txt.",
    )  # fmt: skip
    parser.add_argument("--model", metavar="MODEL", help="Model of `embanon train`, instead of --corpus.")
    parser.add_argument("--text", action="store_true", help="With --json: write the words of each phrase.")
    add_color_argument(parser)


def run(options: argparse.Namespace) -> int:
    """Write the phrases of each document as soon as they are found."""
    config = language_config(options)
    refuse_repeated_stdin([*options.files, *options.corpus])
    if options.encoding:
        check_encoding(options.encoding)
    color = wants_color(options.color, sys.stdout)
    heard, above = set[str](), legend(color) if options.view else ""
    corpus = (document for path in options.corpus for document in _corpus(path, options))
    if options.corpus and options.model:
        raise ConfigError("--corpus and --model both tell which words have capitals; give one of them")
    statistics = gather_statistics(corpus, config=config) if options.corpus else NO_STATISTICS
    if options.model:
        statistics = open_model(options.model).statistics

    def show(path: str) -> int:
        nonlocal above
        for analysis in find_all(input_documents(path, options), config=config, statistics=statistics):
            if analysis.uses_fallback:
                warn_no_tagger(analysis.language, heard)
            write(above)
            above = ""
            for part in _render(analysis, options, color):
                write(part)
        return 0

    return process_each_file(options.files, show)


def _corpus(path: str, options: argparse.Namespace) -> Iterator[Document]:
    """Read a file of a corpus, in the format that its name shows, else in that of the inputs."""
    format = format_of(path) or options.format or TEXT
    return read_documents(path, options.encoding if format == TEXT else None, format)


def _render(analysis: Analysis, options: argparse.Namespace, color: bool) -> Iterator[str]:
    if options.json:
        return _json(analysis, options.text)
    return _view(analysis, color) if options.view else _table(analysis)


def _json(analysis: Analysis, with_text: bool) -> Iterator[str]:
    """Yield one JSON object in parts, without line breaks."""
    text, comma = analysis.document.text, ""
    yield as_json({"id": analysis.document.id, "language": analysis.language})[:-1] + ', "phrases": ['
    for part in _slices(analysis.phrases):
        rows = [phrase.to_dict() | ({"text": text[phrase.start : phrase.end]} if with_text else {}) for phrase in part]
        yield comma + as_json(rows)[1:-1]
        comma = ", "
    yield "]}\n"


def _table(analysis: Analysis) -> Iterator[str]:
    text, phrases = analysis.document.text, analysis.phrases
    numbers = len(str(int(phrases.end[-1]))) if len(phrases) else 0
    columns = ((TYPES, phrases.type), (phrases.kinds, phrases.kind), (FORMS, phrases.form))
    names = [[name for name, used in zip(all_, np.bincount(column), strict=False) if used] for all_, column in columns]
    widths = [max([len(title), *map(len, column)]) for title, column in zip(HEADER[2:], names, strict=False)]
    layout = (*(max(len(title), numbers) for title in HEADER[:2]), *(-width for width in widths), 0)
    yield heading(analysis.document.id, analysis.language) + format_rows([HEADER], layout)
    for part in _slices(phrases):
        rows = ((str(p.start), str(p.end), p.type, p.kind, p.form, text[p.start : p.end]) for p in part)
        yield format_rows(rows, layout)


def _view(analysis: Analysis, color: bool) -> Iterator[str]:
    spans = ((phrase.start, phrase.end, phrase.type) for part in _slices(analysis.phrases) for phrase in part)
    parts = highlight_types(analysis.document.text.rstrip("\r\n"), spans, color)
    yield heading(analysis.document.id, analysis.language)
    while part := "".join(islice(parts, 2 * SLICE)):
        yield part
    yield "\n"


def _slices(phrases: Phrases) -> Iterator[Phrases]:
    return (phrases[first : first + SLICE] for first in range(0, len(phrases), SLICE))
