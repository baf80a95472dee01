"""How much phrases and replacements tell, and how near nouns are to each other in WordNet."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from embanon.language.lemmas import Lemmatizer
from embanon.language.normalize import key
from embanon.measure.metrics.information import CorpusInformation
from embanon.model.model import Model
from embanon.replace.edit import Edit
from eval.published import Published
from ontologies.build import wordnet_files

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
BRACKETS: Final = re.compile(r"\[([a-z ]*)…?(?: \d+)?\]")
"""A word for what something is, or nothing."""
NUMBER: Final = re.compile(r" ?\[\d+\]|(?<=PERSON) \d+|(?<=Person) \d+")
WORDS: Final = re.compile(r"[a-z]+")
ARTICLE: Final = re.compile(r"^(?:(?:in|on|at|a|an|the|his|her|its|their) )+")


def said(edit: Edit) -> str:
    """Return what a replacement says: a tag its type, `***` nothing; numbers that tell two apart say nothing."""
    tagged = TAG.sub(lambda found: LABELS.get(found[1], ""), edit.replacement)
    plain = NUMBER.sub("", BRACKETS.sub(lambda found: found[1], tagged))
    return ARTICLE.sub("", key(plain.replace("*", ""))).strip()


@dataclass(frozen=True, slots=True)
class Information:
    """Bits by a model's corpus, of the phrases of a text and of what stands there instead."""

    corpus: CorpusInformation

    @classmethod
    def of(cls, model: Model) -> Information:
        """Take the corpus of a model."""
        return cls(CorpusInformation.from_model(model))

    def before(self, published: Published) -> list[float]:
        """Return the information of each phrase of a text."""
        text, phrases = published.case.text, published.case.scored.phrases
        bounds = zip(phrases.start.tolist(), phrases.end.tolist(), strict=True)
        return list(map(float, self.corpus.bits([text[start:end] for start, end in bounds])))

    def replaced(self, published: Published, edit: Edit, before: list[float]) -> float:
        """Return the information of a replacement, which tells no more than what it stands for."""
        whole = sum(before[place] for place in published.inside(edit))
        return min(float(self.corpus.bits([said(edit)])[0]), whole)


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
        """Return the phrase, else the noun that it ends in, in the singular; "" where neither is known, or a name."""
        words = WORDS.findall(text) if text.islower() else []
        if not words:
            return ""
        last = Lemmatizer.load("en").lemma(words[-1])
        tries = (" ".join(words), " ".join((*words[:-1], last)), last)
        return next((one for one in tries if self._of(one)), "")

    def similarity(self, one: str, other: str) -> float | None:
        """Return the similarity by Wu and Palmer of the nearest of their senses; nothing where one is unknown."""
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
        """Return how many steps lead to each sense above."""
        found, steps, level = {sense: 0}, 0, [sense]
        while level:
            steps += 1
            level = [up for one in level for up in self._above.get(one, ()) if up not in found]
            found.update(dict.fromkeys(level, steps))
        return found
