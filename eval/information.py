"""How much phrases and replacements tell, and how near they are to each other in meaning."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.build import wordnet_files
from embanon.generalize import Edit
from embanon.lemmas import Lemmatizer
from embanon.model.keys import key, words_of
from embanon.model.model import Model
from embanon.power import OfModel, rarest
from eval.published import Published

LABELS: Final = {
    "PERSON": "person", "ORG": "organization", "LOC": "place", "DATETIME": "date", "DEM": "characteristic",
    "CODE": "code", "QUANTITY": "number", "MISC": "thing",
}  # fmt: skip
"""What a tag says in plain words."""
LITERAL: Final = {
    "PERSON": "person", "ORG": "organization", "LOC": "location", "DATETIME": "date time", "DEM": "demographic",
    "CODE": "code", "QUANTITY": "quantity", "MISC": "miscellaneous",
}  # fmt: skip
"""What its letters stand for."""
TAG: Final = re.compile(r"\[([A-Z]+) \d+\]")
NUMBER: Final = re.compile(r" ?\[\d+\]|(?<=PERSON) \d+")
WORDS: Final = re.compile(r"[a-z]+")
ARTICLE: Final = re.compile(r"^(?:(?:in|on|at|a|an|the|his|her|its|their) )+")

Floats = NDArray[np.float64]


def said(edit: Edit) -> str:
    """Give what a replacement says: a tag its type, `***` nothing; numbers that tell two apart say nothing."""
    plain = NUMBER.sub("", TAG.sub(lambda found: LABELS.get(found[1], ""), edit.replacement))
    return ARTICLE.sub("", key(plain.replace("*", ""))).strip()


@dataclass(frozen=True, slots=True)
class Information:
    """Bits by a model's corpus: -log2 of the share of documents that have a phrase."""

    rarity: OfModel
    _known: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, model: Model) -> Information:
        """Take the corpus of a model."""
        return cls(OfModel(model))

    def bits(self, phrase: str) -> float:
        """Give the information of a phrase; of one that no document has, that of its rarest word."""
        found = self._known.get(phrase)
        if found is None:
            found = self._known[phrase] = self._bits(phrase)
        return found

    def _bits(self, phrase: str) -> float:
        if not words_of(key(phrase)):
            return 0.0
        rarity, documents = self.rarity.phrases([key(phrase)])
        share = rarity[0] if documents[0] > 0 else np.nan_to_num(rarest(self.rarity, [key(phrase)])[0], nan=1.0)
        return float(share) * float(np.log2(self.rarity.documents))

    def before(self, published: Published) -> list[float]:
        """Give the information of each phrase of a text."""
        text, phrases = published.case.text, published.case.scored.phrases
        bounds = zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)
        return [self.bits(text[start:end]) for start, end in bounds]

    def replaced(self, published: Published, edit: Edit, before: list[float]) -> float:
        """Give the information of a replacement, which tells no more than what it stands for."""
        whole = sum(before[place] for place in published.inside(edit))
        return min(self.bits(said(edit)), whole)


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """Similarity by the vectors of a model, less what all have in common: of whole phrases, or means of words."""

    model: Model
    whole: bool
    _common: Floats = field(init=False, repr=False)
    _known: dict[str, Floats] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        """Take the mean of all vectors by how often each occurs; without it any two words are near."""
        table = self.model.words
        rows = _units(np.nan_to_num(table.vectors.rows(np.arange(len(table)))).astype(np.float64))
        object.__setattr__(self, "_common", np.average(rows, axis=0, weights=table.documents[:]))

    def similarity(self, one: str, other: str) -> float:
        """Give the cosine of two texts; 0 where it is less, or where nothing of one is known."""
        cosine = float(self._vector(one) @ self._vector(other))
        return max(cosine, 0.0)

    def _vector(self, text: str) -> Floats:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._of_phrase(text) if self.whole else self._of_words(text)
        return found

    def _of_phrase(self, text: str) -> Floats:
        found = self.model.find([text])
        if found.numbers[0] >= 0:
            return _units(_units(found.vectors.astype(np.float64))[0] - self._common)
        return self._of_words(text)

    def _of_words(self, text: str) -> Floats:
        """Give the mean of words, weighted by rarity."""
        table = self.model.words
        numbers = table.keys.find(words_of(key(text)))
        numbers = numbers[numbers >= 0]
        rows = _units(_units(table.vectors.rows(numbers).astype(np.float64)) - self._common)
        return _units(self.model.rarity(table, numbers) @ np.nan_to_num(rows))


def _units(vectors: Any) -> Floats:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9), np.float64)


class Nouns:
    """The nouns of WordNet 3.0, and how near two are to each other."""

    def __init__(self, folder: Path) -> None:
        """Read the files of the folder."""
        self._senses = wordnet_files.senses(folder)
        self._above = {
            one.offset: tuple(offset for sign, offset in one.links if sign in ("@", "@i"))
            for one in wordnet_files.synsets(folder)
        }
        self._depth = cache(self._deep)
        self._ways = cache(self._up)

    def known(self, text: str) -> str:
        """Give the phrase, else the noun that it ends in, in the singular; "" where neither is known, or a name."""
        words = WORDS.findall(text) if text.islower() else []
        if not words:
            return ""
        last = Lemmatizer.load("en").lemma(words[-1])
        tries = (" ".join(words), " ".join((*words[:-1], last)), last)
        return next((one for one in tries if self._of(one)), "")

    def similarity(self, one: str, other: str) -> float | None:
        """Give the similarity by Wu and Palmer of the nearest of their senses; nothing where one is unknown."""
        first, second = self._of(self.known(one)), self._of(self.known(other))
        return max((self._near(a, b) for a in first for b in second), default=None)

    def _of(self, word: str) -> tuple[str, ...]:
        return self._senses.get(word, ()) or self._senses.get(word.replace(" ", "_"), ())

    def _near(self, one: str, other: str) -> float:
        ways, others = self._ways(one), self._ways(other)
        shared = max(ways.keys() & others.keys(), key=self._depth, default="")
        if not shared:
            return 0.0
        depth = self._depth(shared)
        return 2 * depth / (2 * depth + ways[shared] + others[shared])

    def _deep(self, sense: str) -> int:
        return 1 + min((self._depth(above) for above in self._above.get(sense, ())), default=0)

    def _up(self, sense: str) -> dict[str, int]:
        """Give how many steps lead to each sense above."""
        found, steps, level = {sense: 0}, 0, [sense]
        while level:
            steps += 1
            level = [up for one in level for up in self._above.get(one, ()) if up not in found]
            found.update(dict.fromkeys(level, steps))
        return found
