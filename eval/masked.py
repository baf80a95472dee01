"""Documents that are masked in many ways, and attackers who look for whom they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.attack.intervals import estimate_mean as bounded
from embanon.attack.learners import EmbeddingAttacker
from embanon.document import Document, Phrases
from embanon.entities.entity import Entity
from embanon.entities.folding import fold_text
from embanon.entities.mentions import find_mentions
from embanon.language.normalize import WORD, key, words_of
from embanon.linkage.attackers import Attacker, Background, CharacterGrams, WordCounts, ranks
from embanon.model.model import Model
from embanon.risk.power import CorpusRarity, measure_powers
from embanon.text.find import StatisticsByLanguage, find_all
from eval.boundaries import rows
from eval.labeled import CONFIG, Collection, sources

TRAIN: Final[Mapping[str, Any]] = {"epochs": 5, "dimensions": 100}
"""How the embedding is trained; counts do not depend on it."""
WIDE: Final = 38

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Attackers = Mapping[str, Attacker]


@dataclass(frozen=True, slots=True)
class Mask:
    """Which words are masked: by power of their phrase, by rarity anywhere, by rarity outside phrases."""

    label: str
    power: float = np.inf
    rare: float = np.inf
    outside: float = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A document, its words, and what masks go by."""

    text: str = field(repr=False)
    at: Ints
    """Where each word starts and ends."""
    words: tuple[tuple[str, ...], ...] = field(repr=False)
    phrases: Ints
    """Where each starts and ends."""
    named: Flags
    inside: Flags
    """Whether a word is in a phrase."""
    power: Floats
    """Of each word's phrase, -1 outside."""
    idf: Floats

    @classmethod
    def of(cls, name: str, text: str, phrases: Phrases, rarity: CorpusRarity) -> Case:
        """Look at a document."""
        at = np.array([found.span() for found in WORD.finditer(text)], np.int64).reshape(-1, 2)
        words = tuple(tuple(words_of(key(text[start:end]))) for start, end in at.tolist())
        spans = np.stack([phrases.start, phrases.end], axis=1)
        power, inside = np.full(len(at), -1.0), covered(at, spans)
        for span, one in zip(spans, measure_powers(text, phrases, rarity).power.tolist(), strict=True):
            here = covered(at, span[None])
            power[here] = np.maximum(power[here], one)
        named = covered(at, np.array(find_mentions(Entity(name), text, fold_text(text), "en"), np.int64).reshape(-1, 2))
        idf = rarity.words([word[0] if word else "" for word in words])
        return cls(text, at, words, spans, named, inside, power, idf)

    def masked(self, mask: Mask) -> Flags:
        """Say which words a mask hides."""
        by_power = self.inside & (self.power >= mask.power)
        return self.named | by_power | (self.idf >= mask.rare) | (~self.inside & (self.idf >= mask.outside))

    def left(self, masked: Flags) -> WordCounts:
        """Count the words that are left."""
        return Counter(word for place in np.flatnonzero(~masked).tolist() for word in self.words[place])


def covered(at: Ints, spans: Ints) -> Flags:
    """Say which words have a character in one of some spans."""
    found = np.zeros(len(at), np.bool_)
    for start, end in spans.tolist():
        found[np.searchsorted(at[:, 1], start, "right") : np.searchsorted(at[:, 0], end, "left")] = True
    return found


def scored(attacker: Attacker, bags: Sequence[WordCounts]) -> Floats:
    """Let an attacker score documents."""
    return np.stack([attacker.scores(one) for one in bags])


def ranked(attacker: Attacker, bags: Sequence[WordCounts], true: Ints | None = None) -> Floats:
    """Return the rank of each document's person."""
    return ranks(np.round(scored(attacker, bags), 9), np.arange(len(bags)) if true is None else true)


def interval(hit: Flags) -> str:
    """Write a share with its interval."""
    found = bounded(hit)
    return f"{found.value:.3f} ({found.low:.3f}-{found.high:.3f})"


def share_kept(masked: Sequence[Flags]) -> float:
    """Return the share of all words that is kept."""
    return 1 - float(np.concatenate(masked).mean())


def cell(found: Floats) -> str:
    """Write top-1 and MRR."""
    return f"{interval(found < 2)} {(1 / found).mean():.3f}"


def line(label: str, masked: Sequence[Flags], cases: Sequence[Case], true: Ints, attackers: Attackers) -> str:
    """Write what attackers find when some words are masked."""
    bags = [case.left(one) for case, one in zip(cases, masked, strict=True)]
    cells = [cell(ranked(attacker, bags, true)) for attacker in attackers.values()]
    return f"{label:{WIDE}} {share_kept(masked):.3f}  " + "  ".join(cells)


def head(attackers: Attackers) -> str:
    """Write the head of a table of attackers."""
    return f"{'':{WIDE}}  kept  " + "  ".join(f"{name:25}" for name in attackers)


def halves(text: str) -> tuple[str, str]:
    """Cut a text at the first space behind its middle."""
    middle = text.find(" ", len(text) // 2)
    middle = len(text) if middle < 0 else middle
    return text[:middle], text[middle:]


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """The candidates, what is public about them, the documents about them, and what was learnt of the collection."""

    names: list[str] = field(repr=False)
    texts: list[str] = field(repr=False)
    model: Model
    statistics: StatisticsByLanguage = field(repr=False)
    cases: list[Case] = field(init=False, repr=False)

    @classmethod
    def of(cls, data: Path, folder: Path) -> Opened:
        """Read all, and train a model in a folder."""
        known = {row["id"]: row["text"] for row in rows(data / "wikiactors" / "background_500.jsonl.gz")}
        collection = Collection.of(sources(data, "actors/corpus"))
        texts: dict[str, str] = {}
        for row in rows(data / "actors" / "corpus.jsonl.gz"):
            texts.setdefault(row["title"], row["text"])
        names = [name for name in known if name in texts]
        model = collection.train(folder / "actors", **TRAIN)
        opened = cls(names, [known[name] for name in names], model, collection.statistics)
        object.__setattr__(opened, "cases", opened.cases_of(names, [texts[name] for name in names]))
        return opened

    def cases_of(self, names: Sequence[str], texts: Sequence[str]) -> list[Case]:
        """Look at documents."""
        documents, rarity = [Document("", text, "en") for text in texts], CorpusRarity(self.model)
        found = find_all(documents, config=CONFIG, statistics=self.statistics)
        return [Case.of(name, text, one.phrases, rarity) for name, text, one in zip(names, texts, found, strict=True)]

    def attackers(self, texts: Sequence[str]) -> tuple[Background, dict[str, Attacker]]:
        """Return all who attack with some texts about the candidates."""
        background = Background.from_texts(self.names, texts)
        return background, {
            "TF-IDF": background.tfidf, "BM25": background.bm25, "4-grams": CharacterGrams.from_texts(texts),
            "embedding": EmbeddingAttacker.from_texts(self.model, texts),
        }  # fmt: skip
