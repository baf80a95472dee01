"""`embanon train`: a model of a corpus, which later commands read risk from."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from embanon.cli.options import CONFIG_HELP
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
    add("corpus", nargs="+", metavar="CORPUS", help="files, folders, patterns: text, JSON Lines, CSV; - is stdin")
    add("-o", "--output", metavar="MODEL", help="the folder to save the model in")
    add("--update", metavar="MODEL", help="grow this model by the corpus (and save it as -o, if given)")
    add("--format", choices=CORPUS_FORMATS, help="what each file is whose name does not say")
    add("--encoding", metavar="NAME", help="of plain text and tables; else UTF-8, or as a byte-order mark says")
    for what, help in (
        ("text", "that has the text (text)"), ("id", "of the id (id)"),
        ("entity", "of whom a document is about (entity, else title)"), ("language", "of the language (language)"),
    ):  # fmt: skip
        add(f"--{what}-column", metavar="NAME", help=f"key or column {help}")
    for name, help in OPTIONS.items():
        if name in TRAIN_CHOICES:
            add(f"--{name}", choices=TRAIN_CHOICES[name], help=help)
        else:
            number = name in NUMBERS
            add(f"--{name}", type=int if number else str, help=help, metavar="N" if number else "TEXT")
    add("--entity-vectors", action="store_true", default=None, help="let each phrase also see its document's entity")
    add("--no-grow", action="store_true", help="save half the space; the model cannot grow then")
    add("--deterministic", action="store_true", help="one thread: the same corpus gives the same bytes")
    add("--language", metavar="CODE", help="en, es, pt, de …; else detected")
    add("--config", metavar="FILE", help=CONFIG_HELP)
    add("--quiet", action="store_true", help="say nothing on the way")
    add("--json", action="store_true", help="write the card of the model as JSON")


OPTIONS: Final = {
    "backend": "what trains; fasttext knows parts of words, and is larger (word2vec)",
    "dimensions": "numbers of a vector (300)",
    "window": "phrases before and behind one (10)",
    "epochs": "times that the corpus is read in training (4)",
    "dtype": "how vectors are stored (float16)",
    "entities": "what a document is about: as given, or its first name (given)",
    "seed": "of chance (1)",
    "threads": "that train (0: one a processor)",
    "license": "of the corpus, for the card",
}
NUMBERS: Final = frozenset(("dimensions", "window", "epochs", "seed", "threads"))


def run(options: argparse.Namespace) -> int:
    """Train, and say what the model has."""
    if not (options.output or options.update):
        raise ConfigError("no place for the model; name one with -o MODEL")
    flags = {f"train.{name}": getattr(options, name) for name in (*OPTIONS, "entity_vectors")}
    flags |= {"language": options.language, "train.grow": False if options.no_grow else None}
    if options.deterministic:
        flags["train.threads"] = 1
    config = load(options.config, flags).config
    columns = CorpusColumns(
        **{
            what: value
            for what in ("text", "id", "entity", "language")
            if (value := getattr(options, f"{what}_column")) is not None
        }
    )
    corpus = Corpus(tuple(options.corpus), columns, options.encoding, options.format)
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
    """Say in a line what a model has."""
    counts = ", ".join(f"{card[name]:,} {name}" for name in ("documents", "entities", "phrases", "words"))
    return f"{target}: {counts}; {card['backend']}, {card['dimensions']} dimensions, {card['dtype']}\n"
