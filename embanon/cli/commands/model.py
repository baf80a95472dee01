"""`embanon model`: show and check models, and convert those of other tools."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from embanon.cli.output import show_card, show_whole
from embanon.cli.parser import add_actions, run_action
from embanon.config import TRAIN_CHOICES
from embanon.errors import ConfigError, DecodingError
from embanon.io import as_json, format_table, say, write
from embanon.model import Step, model_folder, open_model
from embanon.storage import folder as folders

MAX_PHRASE_BYTES: Final = 65_536
"""Bytes of a phrase on standard input."""

EXAMPLE: Final = """\
examples:
  embanon model info letters.model
  embanon model neighbors letters.model 'heart attack'
  embanon model verify letters.model
  embanon model convert GoogleNews.bin.gz -o news.model --dtype int8
  embanon model export --public letters.model -o shared.model
  embanon model export --fasttext letters.model -o letters.bin
"""


MODEL_HELP: Final = "Model folder, or default for the shipped model."

run = run_action

LEAST: Final = 5
"""Documents that a phrase of a public model is in."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions, each with its options."""
    action = add_actions(parser)
    add = action("info", _info, "Show what a model is and has.")
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("--json", action="store_true", help="Write JSON.")
    add = action("neighbors", _neighbors, "Show the phrases that are used like a phrase.")
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("phrase", metavar="PHRASE",
        help="Phrase to look up, or - for standard input. Command lines reach process lists.")  # fmt: skip
    add("-n", "--count", type=int, default=10, metavar="N", help="Number of phrases. [default: 10]")
    add("--json", action="store_true", help="Write JSON.")
    add = action("verify", _verify, "Check that no byte of a model has changed.")
    add("model", metavar="MODEL", help=MODEL_HELP)
    help = "Convert a file of word2vec, GloVe, fastText or gensim to a model; the file is not changed."
    add = action("convert", _convert, help)
    add("file", metavar="FILE", help="Vectors: .bin, .txt, .vec (also .gz), .kv or .model.")
    add("-o", "--output", metavar="MODEL", required=True, help="Model folder to write.")
    add("--kind", metavar="KIND", help="Kind of file. [default: by its beginning]")
    add("--trust-pickle", action="store_true", help="Let gensim load .kv and .model, which runs code in the file.")
    add("--dtype", choices=TRAIN_CHOICES["dtype"], default="float16", help="Type of stored numbers. [default: float16]")
    add("--language", metavar="CODE", default="", help="Language whose dictionary forms also find a phrase.")
    add("--license", metavar="TEXT", default="", help="License of the vectors, for the model card.")
    add = action("export", _export, "Write a copy of a model that can be shared, or a file that fastText opens.")
    add("model", metavar="MODEL", help=MODEL_HELP)
    add("--public", action="store_true", help="Leave out rare phrases, persons, documents, entities.")
    add("--fasttext", action="store_true",
        help="Write a .bin of fastText: the vectors of all phrases, as secret as the model.")  # fmt: skip
    add("-o", "--output", metavar="PATH", required=True, help="Model folder to write, or .bin.")
    add("--least", type=int, default=LEAST, metavar="N", help=f"Documents that a phrase must be in. [default: {LEAST}]")
    add("--phrases", type=int, default=0, metavar="N", help="Keep the N most frequent phrases. [default: 0, all]")
    add("--words", type=int, default=0, metavar="N", help="Keep the N most frequent words. [default: 0, all]")
    add("--dtype", choices=TRAIN_CHOICES["dtype"], default="", help="Type of stored numbers. [default: as they are]")


def _info(options: argparse.Namespace) -> int:
    return show_card(open_model(options.model).card, options.json)


def _neighbors(options: argparse.Namespace) -> int:
    if options.count < 1:
        raise ConfigError("--count must be at least 1")
    phrase = _first_line() if options.phrase == "-" else options.phrase
    model = open_model(options.model)
    step = Step(int(model.find([phrase]).steps[0])).name.lower()
    neighbors = model.neighbors(phrase, options.count)
    if options.json:
        rows = [{"phrase": near, "similarity": round(cosine, 4)} for near, cosine in neighbors]
        write(as_json({"step": step, "neighbors": rows}) + "\n")
    elif neighbors:
        write(format_table(("similarity", "phrase"), [(f"{cosine:.3f}", near) for near, cosine in neighbors]))
    if step == "unknown":
        say("the model does not know the phrase, nor any word of it")
        return 1
    if step != "exact":
        say(f"note: the phrase is not in the model; its vector is made of {STEP_DESCRIPTIONS[step]}")
    return 0


def _first_line() -> str:
    try:
        return sys.stdin.buffer.readline(MAX_PHRASE_BYTES).decode("utf-8").strip()
    except UnicodeDecodeError:
        raise DecodingError("standard input is not UTF-8; convert it first (iconv -t UTF-8)") from None


STEP_DESCRIPTIONS: Final = {"variant": "another spelling of it", "parts": "its words", "subwords": "parts of its words"}


def _verify(options: argparse.Namespace) -> int:
    from embanon.model import verify

    return show_whole(model_folder(options.model), verify)


def _convert(options: argparse.Namespace) -> int:
    from embanon.model import convert, read_foreign

    target = Path(options.output)
    folders.check_target(target)
    foreign = read_foreign(Path(options.file), options.kind, trust_pickle=options.trust_pickle)
    convert(foreign, target, dtype=options.dtype, language=options.language, license=options.license)
    write(f"{target}: {len(foreign.keys):,} vectors of {foreign.vectors.shape[1]} dimensions, from {foreign.kind}\n")
    return 0


def _export(options: argparse.Namespace) -> int:
    from embanon.model import ExportOptions, export, write_fasttext

    if options.public == options.fasttext:
        raise ConfigError("say what to write: --public (a model to share) or --fasttext (a .bin, for you alone)")
    if options.fasttext and (options.least, options.phrases, options.words, options.dtype) != (LEAST, 0, 0, ""):
        raise ConfigError("--least, --phrases, --words and --dtype go with --public; --fasttext writes all there is")
    if options.fasttext:
        size = write_fasttext(open_model(options.model), Path(options.output))
        write(f"{options.output}: {size:,} phrases, for fastText\n")
        return 0
    public = ExportOptions(options.least, max(options.phrases, 0), max(options.words, 0), options.dtype)
    card = export(open_model(options.model), Path(options.output), public)
    write(f"{options.output}: {card['phrases']:,} phrases and {card['words']:,} words\n")
    return 0
