"""`embanon train`: train a model on a corpus, for other commands to score with."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from embanon.cli.options import CONFIG_HELP, LANGUAGE_HELP
from embanon.config import TRAIN_CHOICES, load
from embanon.errors import ConfigError
from embanon.io import CORPUS_FORMATS, Corpus, CorpusColumns, ProgressLine, as_json, say, write
from embanon.model import ignore_progress, train

EXAMPLE: Final = """\
A model keeps every phrase of its corpus, however rare, and in which documents it stands: it is as secret as they are.

examples:
  embanon train letters/ -o letters.model
  embanon train archive.jsonl.gz 'notes/**/*.txt' -o archive.model --epochs 10
  embanon train cases.csv --text-column report --entity-column patient -o cases.model
  embanon train --update archive.model new.jsonl
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    add("corpus", nargs="+", metavar="CORPUS",
        help="Files, folders, patterns: text, JSON Lines, CSV; - for standard input.")  # fmt: skip
    add("-o", "--output", metavar="MODEL", help="Model folder to write.")
    add("--update", metavar="MODEL", help="Model to grow by the corpus, and to write unless -o is given.")
    add("--format", choices=CORPUS_FORMATS, help="Format of files whose names do not tell.")
    add("--encoding", metavar="NAME", help="Encoding of text and tables. [default: UTF-8, or by byte-order mark]")
    for what, help in (
        ("text", "the text. [default: text]"), ("id", "the id. [default: id]"),
        ("entity", "whom a document is about. [default: entity, else title]"),
        ("language", "the language. [default: language]"),
    ):  # fmt: skip
        add(f"--{what}-column", metavar="NAME", help=f"Key or column with {help}")
    for name, help in OPTIONS.items():
        if name in TRAIN_CHOICES:
            add(f"--{name}", choices=TRAIN_CHOICES[name], help=help)
        else:
            number = name in NUMBERS
            add(f"--{name}", type=int if number else str, help=help, metavar="N" if number else "TEXT")
    add("--entity-vectors", action="store_true", default=None,
        help="Train each phrase with its document's entity as well.")  # fmt: skip
    add("--no-grow", action="store_true", help="Save half the space; the model cannot grow then.")
    add("--deterministic", action="store_true", help="Use one thread; the same corpus then gives the same bytes.")
    add("--language", metavar="CODE", help=LANGUAGE_HELP)
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--quiet", action="store_true", help="Show no progress.")
    add("--json", action="store_true", help="Write the model card as JSON.")


OPTIONS: Final = {
    "backend": "What to train with; fasttext knows parts of words, too; -library, -gensim: whose. [default: word2vec]",
    "dimensions": "Dimensions of a vector. [default: 300]",
    "window": "Phrases of context before and behind one. [default: 10]",
    "epochs": "Times to read the corpus in training. [default: 4]",
    "dtype": "Type of stored numbers. [default: float16]",
    "entities": "Whom a document is about: as given, or its first name. [default: given]",
    "seed": "Seed of chance. [default: 1]",
    "threads": "Threads to use. [default: 0, one a processor]",
    "license": "License of the corpus, for the model card.",
}
NUMBERS: Final = frozenset(("dimensions", "window", "epochs", "seed", "threads"))


def run(options: argparse.Namespace) -> int:
    """Train a model, and print its size."""
    if not (options.output or options.update):
        raise ConfigError("no place for the model; name one with -o MODEL")
    if options.update and options.backend:
        raise ConfigError("a model that grows keeps its backend; leave out --backend, or train a new one")
    flags = {f"train.{name}": getattr(options, name) for name in (*OPTIONS, "entity_vectors")}
    flags |= {"language": options.language, "train.grow": False if options.no_grow else None}
    if options.deterministic:
        flags["train.threads"] = 1
    config = load(options.config, flags).config
    columns = {what: getattr(options, f"{what}_column") for what in ("text", "id", "entity", "language")}
    named = CorpusColumns(**{what: column for what, column in columns.items() if column is not None})
    corpus = Corpus(tuple(options.corpus), named, options.encoding, options.format)
    line = ProgressLine.for_stream(sys.stderr)
    update = Path(options.update) if options.update else None
    target = Path(options.output or options.update)
    try:
        card = train(corpus, target, config=config, progress=ignore_progress if options.quiet else line, update=update)
    finally:
        line.clear()
    if card["entities"] == 0 and config.train.entities == "given":
        say("note: no document says what it is about; an `entity` or `title` tells, or --entities first")
    write(as_json(card) + "\n" if options.json else summarize_model(target, card))
    return 0


def summarize_model(target: Path, card: dict[str, Any]) -> str:
    """Return a line on the size of a model."""
    counts = ", ".join(f"{card[name]:,} {name}" for name in ("documents", "entities", "phrases", "words"))
    return f"{target}: {counts}; {card['backend']}, {card['dimensions']} dimensions, {card['dtype']}\n"
