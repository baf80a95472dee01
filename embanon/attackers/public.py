"""What an attacker has: public text about candidates, and what he learns from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from embanon.attackers.classifier import NaiveBayes, Sentences, Vectors
from embanon.attackers.clues import BySentences, ByWords, Reader
from embanon.attackers.embedding import Embedding
from embanon.config.schema import nearest
from embanon.errors import ConfigError
from embanon.linkage.attackers import SEVERAL, UNKNOWN, Background, Grams
from embanon.model.model import Model
from embanon.storage.keys import key

NOBODY: Final = UNKNOWN


@dataclass(frozen=True, slots=True)
class Target:
    """A document that is attacked."""

    id: str
    text: str = field(repr=False)
    truth: str | None = field(default=None, repr=False)
    """The name of whom it is about; `None` where that is not known."""
    original: str | None = field(default=None, repr=False)
    """For the floors."""
    aliases: tuple[str, ...] = field(default=(), repr=False)
    """His other names, which the floor of masked names masks as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Public:
    """Public text about candidates, and what an attacker learns from it."""

    names: tuple[str, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    language: str
    background: Background

    @classmethod
    def of(cls, names: Sequence[str], texts: Sequence[str], language: str = "en") -> Public:
        """Index the texts, one about each candidate."""
        background, seen = Background.of(names, texts, language), dict[str, int]()
        if len(names) < 2:
            raise ConfigError("the background has one candidate, who is always found; give texts about several")
        for number, name in enumerate(names, 1):
            if (first := seen.setdefault(key(name), number)) != number:
                raise ConfigError(f"candidates {first} and {number} of the background have the same name; tell them "
                                  "apart, as with what they are in brackets")  # fmt: skip
        if not len(background.tfidf.idf):
            raise ConfigError("no text of the background has a word; give texts about the candidates")
        return cls(tuple(names), tuple(texts), language, background)

    def place(self, target: Target) -> int:
        """Give the number of the candidate that a document is about; -1 where that is not known."""
        found = NOBODY if target.truth is None else self.background.find(target.truth)
        if found == SEVERAL:
            raise ConfigError(f"{target.id}: several candidates have the name of whom it is about; name one of them as "
                              "the background does")  # fmt: skip
        return found

    def reader(self, attacker: str, model: Model | None = None, vectors: Vectors | None = None) -> Reader:
        """Give an attacker by name, who has learnt what the texts say."""
        if attacker not in READERS:
            raise ConfigError(f"no attacker {attacker!r}{nearest(attacker, READERS)}")
        return READERS[attacker](self, model, vectors)


def _embedding(public: Public, model: Model | None, _: Vectors | None) -> Reader:
    if model is None:
        raise ConfigError("the attacker embedding has the vectors of a model; name it: --model MODEL")
    return ByWords(Embedding.of(model, public.texts))


def _classifier(public: Public, _: Model | None, vectors: Vectors | None) -> Reader:
    if vectors is not None:
        return BySentences(Sentences.of(vectors, public.texts))
    return ByWords(NaiveBayes.of(public.background.tfidf.postings))


READERS: Final[Mapping[str, Callable[[Public, Model | None, Vectors | None], Reader]]] = {
    "tfidf": lambda public, *_: ByWords(public.background.tfidf),
    "bm25": lambda public, *_: ByWords(public.background.bm25),
    "grams": lambda public, *_: ByWords(Grams.of(public.texts)),
    "embedding": _embedding,
    "classifier": _classifier,
}
"""Attackers by name."""
