"""Return the nouns of Princeton WordNet 3.0 as concepts, with labels in English, Spanish, Portuguese and German.

Run `python -m ontologies.build.taxonomy_wordnet FOLDER` to see what a folder holds, a sample of each type with it.
Glosses are never read.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from embanon.document import TYPES
from embanon.taxonomy.concept import Broader, Concept, Label, clean_label
from embanon.taxonomy.sources.wordnet_senses import (
    LINKS,
    Sense,
    SenseTyper,
    concept_id,
    sense_key,
    translated_label,
)
from ontologies.build.wordnet_files import TRANSLATIONS, Synset, sense_counts, synsets, translations

MARK: Final = re.compile(r"\((?:a|p|ip)\)$")
"""How a word is used, which WordNet writes behind it."""
BOTH_FILES: Final = -1

WordsBySense = dict[str, dict[str, int]]
"""Sense -> its words in a language, each with the file that it is from, or `BOTH`."""


def concepts(folder: Path, languages: tuple[str, ...] = tuple(TRANSLATIONS)) -> Iterator[Concept]:
    """Return the senses of a WordNet folder; languages whose files are not there have no labels.

    English labels stand in WordNet's order, weighted by how often they have this sense in tagged texts. Of the
    others those come first that two sources have, in the order of Wiktionary, which puts the usual word first; then
    those of the language's own wordnet, which are ordered by the alphabet.
    """
    nouns = {synset.offset: synset for synset in synsets(folder)}
    counts, senses = sense_counts(folder), {offset: _sense(synset) for offset, synset in nouns.items()}
    typer = SenseTyper({sense.offset: sense for sense in senses.values()})
    translated = [(language, _words(folder, language)) for language in languages]
    for synset in nouns.values():
        labels = list(_english(synset, counts))
        weight = sum(label.weight for label in labels)  # the prior of the sense in the other languages
        for language, words in translated:
            labels += (Label(language, word) for word in _ordered(words.get(synset.offset, {})))
        sense = senses[synset.offset]
        broader = dict.fromkeys(Broader(concept_id(target), kind) for kind, target in sense.links)
        yield Concept(
            concept_id(sense.offset), tuple(labels), tuple(broader), typer.type_of(sense), weight,
            typer.is_hidden(sense),
        )  # fmt: skip


def _sense(synset: Synset) -> Sense:
    words = (MARK.sub("", word) for word in synset.words)
    keys = tuple(sense_key(word, synset.file, number) for word, number in zip(words, synset.numbers, strict=True))
    return Sense(
        int(synset.offset), synset.file, keys, tuple((LINKS[symbol], int(target)) for symbol, target in synset.links)
    )


def _english(synset: Synset, counts: Mapping[tuple[str, str], int]) -> Iterator[Label]:
    for word in synset.words:
        plain = MARK.sub("", word)
        if text := clean_label(plain.replace("_", " ")):
            yield Label("en", text, float(counts.get((plain.lower(), synset.offset), 0)))


def _words(folder: Path, language: str) -> WordsBySense:
    found: WordsBySense = defaultdict(dict)
    for place, offset, lemma in translations(folder, language):
        if text := translated_label(lemma):
            before = found[offset].pop(text, place)
            found[offset][text] = place if before == place else BOTH_FILES
    return found


def _ordered(words: Mapping[str, int]) -> list[str]:
    return sorted(words, key=words.__getitem__)


def main() -> None:
    """Count the concepts of a folder, and show a sample of each type."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    found = list(concepts(options.folder))
    seconds = time.perf_counter() - start
    labels = Counter(label.language for concept in found for label in concept.labels)
    links = Counter(link.link for concept in found for link in concept.broader)
    tagged = sum(label.weight > 0 for concept in found for label in concept.labels)
    hidden = sum(concept.hidden for concept in found)
    print(f"{len(found)} concepts, {hidden} hidden, in {seconds:.1f} s; {tagged} labels have counts")
    print("labels:", dict(labels), "links:", dict(links))
    for type in (*TYPES, ""):
        some = [concept for concept in found if concept.type == type]
        print(f"\n{type or 'no type'}: {len(some)}")
        for concept in random.Random(options.seed).sample(some, min(options.sample, len(some))):
            print(f"  {concept.id} {'; '.join(label.text for label in concept.labels if label.language == 'en')}")


if __name__ == "__main__":
    main()
