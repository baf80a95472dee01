"""Measure the shipped word frequencies: `python -m eval.frequencies --data ../shared/data`.

*Coverage*: percent of a text's words, those with a digit aside, that the table knows; the floor knows the
thousand most frequent ones. *Rarity*: how well the largest idf of a phrase's words tells gold phrases, of which
a word is in a gold span, from harmless ones (AUC), with the shipped frequencies and with those of the
collection itself; unknown words count as rarer than all others. The floor is the length of the longest word.
*Gap* is by how much the shipped idf is larger than the collection's, on average. *Common* are the common noun
phrases alone; *and kind* adds 1 to all others, and takes references to rules for harmless, as a scorer would.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.config.load import load
from embanon.document import FORMS, Document
from embanon.language.detect import LANGUAGES
from embanon.language.frequencies import Frequencies
from embanon.language.lemmas import fold_word
from embanon.text.find import find_all, gather_statistics
from embeddings.build.treebank import read_treebank
from eval.boundaries import rows

TEXTS: Final = {
    "actors": ("en", "actors/corpus"),
    "tab": ("en", "tab/gold"),
    "frus": ("en", "frus/documents"),
    "meddocan": ("es", "meddocan/dev"),
}
COLLECTIONS: Final = {
    "wikiactors": ("actors/corpus",),
    "wikibios": ("actors/corpus", "wikibios/gold"),
    "tab": ("tab/background",),
}
"""Where the frequencies of the collection come from: all contain the documents that are scored."""
FLOOR: Final = 1000
COMMON, REFERENCE = FORMS.index("common"), FORMS.index("reference")

Idf = Callable[[Sequence[str]], NDArray[np.float64]]
Flags = NDArray[np.bool_]


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return re.findall(r"\w+", fold_word(text))


def covered(frequencies: Frequencies, words: Iterable[str]) -> tuple[int, float, float]:
    """Return the number of words without digits, and which share of them the table and the floor know."""
    counts = Counter(word for word in words if not any(map(str.isnumeric, word)))
    known = frequencies.words
    frequent = set(sorted(known, key=lambda word: (-known[word], word))[:FLOOR])
    shares = (sum(n for word, n in counts.items() if word in table) for table in (known, frequent))
    table, floor = (100 * share / counts.total() for share in shares)
    return counts.total(), table, floor


def coverage(data: Path) -> Iterator[str]:
    """Return the lines of the first table."""
    yield "Coverage, % of words\n\nset         words  known  floor"
    for language in LANGUAGES:
        sources: dict[str, Iterable[str]] = {
            f"{language} UD test": (
                word
                for sentence in read_treebank(data / "treebanks" / language / "test.conllu.gz", split=language == "en")
                for form in sentence
                for word in words_of(form.form)
            )
        }
        for name, (spoken, file) in TEXTS.items():
            if spoken == language:
                lines = rows(data / f"{file}.jsonl.gz")
                sources[f"{language} {name}"] = (word for row in lines for word in words_of(row["text"]))
        for name, words in sources.items():
            count, table, floor = covered(loaded(language), words)
            yield f"{name:11} {count:6}  {table:5.2f}  {floor:5.2f}"


def loaded(language: str) -> Frequencies:
    """Return the shipped frequencies of a language."""
    frequencies = Frequencies.load(language)
    assert frequencies is not None
    return frequencies


def mask(row: dict[str, Any]) -> Flags:
    """Mark the characters that annotators want masked."""
    if "spans" in row:
        spans = [(start, end) for start, end, *_ in row["spans"]]
    else:
        mentions = [m for a in row["annotations"].values() for m in a["entity_mentions"]]
        spans = [(m["start_offset"], m["end_offset"]) for m in mentions if m["identifier_type"] != "NO_MASK"]
    marked = np.zeros(len(row["text"]), dtype=np.bool_)
    for start, end in spans:
        marked[start:end] = True
    return marked


@dataclass(frozen=True, slots=True)
class Case:
    """The words of a phrase, whether it is a gold phrase, and how it is written."""

    words: tuple[str, ...]
    gold: bool
    form: int


def cases(data: Path, name: str, collection: Sequence[str]) -> Iterator[Case]:
    """Return the phrases of a set, as they are found with the collection's statistics."""
    gold = list(rows(data / name / "gold.jsonl.gz"))
    config = load(environment={}).config
    statistics = gather_statistics((Document("", text, "en") for text in collection), config=config)
    documents = [Document("", row["text"], "en") for row in gold]
    for row, found in zip(gold, find_all(documents, config=config, statistics=statistics), strict=True):
        marked, text = mask(row), row["text"]
        for phrase, form in zip(found.phrases, found.phrases.form.tolist(), strict=True):
            places = [m.span() for m in re.finditer(r"\w+", text[phrase.start : phrase.end])]
            words = [text[phrase.start + a : phrase.start + b] for a, b in places]
            hit = any(marked[phrase.start + a : phrase.start + b].any() for a, b in places)
            if words:
                yield Case(tuple(map(fold_word, words)), hit, form)


def of_collection(texts: Sequence[str]) -> Idf:
    """Return the idf of a collection, as `Frequencies.idf` computes it from document frequencies."""
    counts = Counter(word for text in texts for word in set(words_of(text)))
    largest = np.log2(len(texts))

    def idf(words: Sequence[str]) -> NDArray[np.float64]:
        frequency = np.array([counts[word] for word in words], dtype=np.float64)
        bits = np.clip(-np.log2((frequency + 0.5) / len(texts)), 0.0, largest + 1)
        return np.asarray(bits / largest, dtype=np.float64)

    return idf


def shipped(words: Sequence[str]) -> NDArray[np.float64]:
    """Return the shipped idf, the largest possible where a word is unknown."""
    frequencies = loaded("en")
    return np.nan_to_num(frequencies.idf(words), nan=1 + 1 / float(np.log2(frequencies.document_count)))


def lengths(words: Sequence[str]) -> NDArray[np.float64]:
    """Return the lengths of words: the floor, small enough to count less than the kind."""
    return np.array([min(len(word), 99) / 100 for word in words], dtype=np.float64)


def area(scores: NDArray[np.float64], gold: Flags) -> float:
    """Return the area under the curve: how often a gold phrase scores higher than a harmless one, ties half."""
    harmless = np.sort(scores[~gold])
    below = np.searchsorted(harmless, scores[gold], "left") + np.searchsorted(harmless, scores[gold], "right")
    return float(below.mean() / (2 * len(harmless)))


def rarity(data: Path) -> Iterator[str]:
    """Return the lines of the second table."""
    yield f"Rarity, AUC of the largest idf; shipped N = {loaded('en').document_count}\n"
    yield "set         phrases   gold       N  collection  shipped  floor    gap"
    for name, files in COLLECTIONS.items():
        texts = [row["text"] for file in files for row in rows(data / f"{file}.jsonl.gz")]
        found = list(cases(data, name, texts))
        starts = np.cumsum([0, *(len(case.words) for case in found[:-1])])
        words = [word for case in found for word in case.words]
        scores = {
            label: np.maximum.reduceat(how(words), starts)
            for label, how in (("collection", of_collection(texts)), ("shipped", shipped), ("floor", lengths))
        }
        gold = np.array([case.gold for case in found])
        form = np.array([case.form for case in found])
        common = form == COMMON
        kind = np.where(form == REFERENCE, -np.inf, np.where(common, 0.0, 1.0))
        every = np.ones(len(found), dtype=np.bool_)
        for label, which, more in ((name, every, 0.0), ("  common", common, 0.0), ("  and kind", every, kind)):
            areas = [area((score + more)[which], gold[which]) for score in scores.values()]
            gap = float((scores["shipped"] - scores["collection"])[which].mean())
            yield (
                f"{label:11} {which.sum():7} {gold[which].sum():6} {len(texts):7}"
                f"  {areas[0]:10.3f}  {areas[1]:7.3f}  {areas[2]:5.3f}  {gap:+.3f}"
            )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print coverage and rarity."""
    parser = argparse.ArgumentParser(prog="python -m eval.frequencies", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    options = parser.parse_args(arguments)
    for table in (coverage, rarity):
        for line in table(options.data):
            print(line, flush=True)
        print()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
