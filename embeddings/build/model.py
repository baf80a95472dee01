"""Train the shipped model: `python -m embeddings.build.model --data ../shared/data --out embeddings/models/en`.

Its corpora are of several kinds, so that it knows a little of everything. Documents that name a person on whose
texts embanon is measured are left out, and so are, in the end, all phrases and words that name persons.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from embanon.config.settings import Config, TrainingSettings
from embanon.document import Document
from embanon.io import ProgressLine
from embanon.io.read.corpus import Corpus, CorpusColumns, CorpusDocument
from embanon.language.normalize import TRAILING_BRACKET
from embanon.model.convert import ExportOptions, export
from embanon.model.model import Model
from embanon.model.train import train
from embeddings.build.treebank import read_treebank

SOURCES: Final = {
    "biographies": "actors/corpus.jsonl.gz",
    "articles": "wikiactors/background_500.jsonl.gz",
    "diplomacy": "frus/documents.jsonl.gz",
}
TREEBANK: Final = "treebanks/en/train.conllu.gz"
MEASURED: Final = "wikiactors/background.jsonl.gz"
"""The articles whose ids are the persons of `wikiactors` and `mixed`."""
SENTENCES: Final = 20
"""Sentences of a treebank that make a document."""

TRAINING: Final = TrainingSettings(dimensions=100, epochs=10, rate=0.05, threads=1, seed=1, grow=False, entities="none")
LICENSE: Final = "CC BY-SA 4.0"
PUBLIC: Final = ExportOptions(
    min_documents=3, phrases=40_000, words=30_000, dtype="int8",
    card={
        "quality": (
            "A small model of mixed English texts: it knows common words and topics roughly, and no persons. "
            "Train one on texts of your own kind for rarity and topics that mean something there."
        )
    },
)  # fmt: skip


def sources(data: Path, left_out: Counter[str]) -> Iterator[CorpusDocument]:
    """Return the documents, without those that name a measured person."""
    names = [TRAILING_BRACKET.sub("", source.document.id) for source in Corpus((str(data / MEASURED),))]
    for kind, path in SOURCES.items():
        for source in Corpus((str(data / path),), CorpusColumns(entity="")):
            if any(name in source.document.text for name in names):
                left_out[kind] += 1
            else:
                yield replace(source, document=replace(source.document, id=f"{kind} {source.document.id}"))
    for document in _treebank(data / TREEBANK):
        if not any(name in document.text for name in names):
            yield CorpusDocument(document)


def _treebank(path: Path) -> Iterator[Document]:
    texts: list[str] = []
    for number, sentence in enumerate(read_treebank(path, split=False), 1):
        texts.append("".join(word.form + " " * word.space_after for word in sentence).strip())
        if len(texts) == SENTENCES:
            yield Document(f"web {number}", "\n".join(texts))
            texts = []
    if texts:
        yield Document("web rest", "\n".join(texts))


def main() -> int:
    """Train, and save what can be shared."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the public corpora")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the model")
    options = parser.parse_args()
    left_out: Counter[str] = Counter()
    corpus = list(sources(options.data, left_out))
    print(f"{len(corpus):,} documents; left out for a person they name: {dict(left_out)}", file=sys.stderr)
    config = Config(language="en", train=replace(TRAINING, license=LICENSE))
    with TemporaryDirectory() as folder:
        path, line = Path(folder) / "whole", ProgressLine.for_stream(sys.stderr)
        train(corpus, path, config=config, progress=line)
        line.clear()
        card = export(Model.open(path), options.out, PUBLIC)
    for file in (options.out, *options.out.iterdir()):
        file.chmod(0o755 if file.is_dir() else 0o644)  # it is no secret
    print(f"{card['phrases']:,} phrases, {card['words']:,} words, from {card['documents']:,} documents")
    return 0


if __name__ == "__main__":
    sys.exit(main())
