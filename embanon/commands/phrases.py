"""`embanon phrases`: what can be masked in a text, with its type."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Final

from embanon.commands import failed, inputs, say
from embanon.config import load
from embanon.pipeline import Analysis, find_all, gather
from embanon.read import read
from embanon.statistics import NONE
from embanon.view import colored, legend, marked, safe, table, wants_color

EXAMPLE: Final = """\
examples:
  embanon phrases letter.txt
  embanon phrases --view --language de brief.txt
  embanon phrases --json --corpus corpus.jsonl.gz letters.jsonl > phrases.jsonl
"""

HEADER: Final = ("start", "end", "type", "kind", "form", "phrase")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    inputs(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="one JSON object a document, with offsets")
    how.add_argument("--view", action="store_true", help="the text itself, its phrases colored by type")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="FILE",
        help="texts of the same kind, read first: which words have capitals, which names are parts of one",
    )  # fmt: skip
    parser.add_argument("--text", action="store_true", help="with --json: the words of each phrase as well")
    colors = ("auto", "always", "never")
    parser.add_argument("--color", choices=colors, default="auto", help="of the view (auto: in a terminal)")


def run(options: argparse.Namespace) -> int:
    """Write the phrases of each document as soon as they are found."""
    config = load(options.config, {"language": options.language}).config
    color = wants_color(options.color, sys.stdout)
    if options.view:
        sys.stdout.write(legend(color))
    code, told = 0, set[str]()
    corpus = (document for path in options.corpus for document in read(path, options.encoding))
    statistics = gather(corpus, config=config) if options.corpus else NONE
    for path in options.files:
        try:
            documents = read(path, options.encoding, options.format)
            for analysis in find_all(documents, config=config, statistics=statistics):
                if analysis.fallback and analysis.language not in told:
                    told.add(analysis.language)
                    say(f"warning: no tagger for {analysis.language!r}: phrases are found by script alone")
                sys.stdout.write(_shown(analysis, options, color))
        except BrokenPipeError:
            raise
        except Exception as exc:
            code = max(code, failed(exc))
    return code


def _shown(analysis: Analysis, options: argparse.Namespace, color: bool) -> str:
    text = analysis.document.text
    if options.json:
        rows = [
            phrase.to_dict() | ({"text": text[phrase.start : phrase.end]} if options.text else {})
            for phrase in analysis.phrases
        ]
        row = {"id": analysis.document.id, "language": analysis.language, "phrases": rows}
        return json.dumps(row, ensure_ascii=False) + "\n"
    heading = f"== {safe(analysis.document.id)} ({analysis.language})\n"
    if options.view:
        spans = [(phrase.start, phrase.end, phrase.type) for phrase in analysis.phrases]
        return heading + (colored if color else marked)(text, spans).rstrip("\n") + "\n"
    lines = [
        (str(row.start), str(row.end), row.type, row.kind, row.form, text[row.start : row.end])
        for row in analysis.phrases
    ]
    return heading + table(HEADER, lines)
