"""Texts that an attacker already has verbatim: a look-up is enough to find whom they are about."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.attack.clues import SentenceAttacker, TextAttacker, WordAttacker
from embanon.attack.learners import EmbeddingAttacker, NaiveBayes, SentenceClassifier, TextVectorizer
from embanon.config import suggest_name
from embanon.errors import ConfigError
from embanon.language import key, words_of
from embanon.linkage import AMBIGUOUS, UNKNOWN, Background, CharacterGrams
from embanon.model import Model, sample_gram_hashes
from embanon.storage import hash_keys

SHARE: Final = 0.5
"""Of the runs of words of a text, as many stand in a copy of it."""


def are_copies(texts: Sequence[str], known: Sequence[str]) -> NDArray[np.bool_]:
    """Return which texts occur, wholly or largely, in the known ones."""
    runs, owners = _sample_word_runs(texts)
    shared = np.bincount(owners[np.isin(runs, _sample_word_runs(known)[0])], minlength=len(texts))
    return np.asarray(shared >= np.maximum(SHARE * np.bincount(owners, minlength=len(texts)), 1), np.bool_)


def _sample_word_runs(texts: Sequence[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return a sample of the runs of words of texts, with the number of the text of each."""
    words = [hash_keys(words_of(key(text))) for text in texts]
    bounds = np.cumsum([0, *map(len, words)])
    return (
        sample_gram_hashes(np.concatenate(words), bounds) if words else (np.zeros(0, np.uint64), np.zeros(0, np.int64))
    )


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
    """Their other names, which the baseline with masked names masks as well."""


@dataclass(frozen=True, slots=True, eq=False)
class PublicTexts:
    """Public text about candidates, and what an attacker learns from it."""

    names: tuple[str, ...] = field(repr=False)
    texts: tuple[str, ...] = field(repr=False)
    language: str
    background: Background

    @classmethod
    def from_texts(cls, names: Sequence[str], texts: Sequence[str], language: str = "en") -> PublicTexts:
        """Index the texts, one about each candidate."""
        background, seen = Background.from_texts(names, texts, language), dict[str, int]()
        if len(names) < 2:
            raise ConfigError("the background has one candidate, who is always found; give texts about several")
        for number, name in enumerate(names, 1):
            if (first := seen.setdefault(key(name), number)) != number:
                raise ConfigError(f"candidates {first} and {number} of the background have the same name; tell them "
                                  "apart, as with what they are in brackets")  # fmt: skip
        if not len(background.tfidf.idf):
            raise ConfigError("no text of the background has a word; give texts about the candidates")
        return cls(tuple(names), tuple(texts), language, background)

    def candidate_number(self, target: Target) -> int:
        """Return the number of the candidate that a document is about; -1 where that is not known."""
        number = NOBODY if target.truth is None else self.background.find_candidate(target.truth)
        if number == AMBIGUOUS:
            raise ConfigError(f"{target.id}: several candidates have the name of whom it is about; name one of them as "
                              "the background does")  # fmt: skip
        return number

    def create_attacker(
        self, attacker: str, model: Model | None = None, vectors: TextVectorizer | None = None
    ) -> TextAttacker:
        """Return an attacker by name, who has learnt what the texts say."""
        if attacker not in ATTACKERS:
            raise ConfigError(f"no attacker {attacker!r}{suggest_name(attacker, ATTACKERS)}")
        return ATTACKERS[attacker](self, model, vectors)


def _embedding(public: PublicTexts, model: Model | None, _: TextVectorizer | None) -> TextAttacker:
    if model is None:
        raise ConfigError("the attacker embedding has the vectors of a model; name it: --model MODEL")
    return WordAttacker(EmbeddingAttacker.from_texts(model, public.texts))


def _classifier(public: PublicTexts, _: Model | None, vectors: TextVectorizer | None) -> TextAttacker:
    if vectors is not None:
        return SentenceAttacker(SentenceClassifier.from_texts(vectors, public.texts))
    return WordAttacker(NaiveBayes.from_postings(public.background.tfidf.postings))


ATTACKERS: Final[Mapping[str, Callable[[PublicTexts, Model | None, TextVectorizer | None], TextAttacker]]] = {
    "tfidf": lambda public, *_: WordAttacker(public.background.tfidf),
    "bm25": lambda public, *_: WordAttacker(public.background.bm25),
    "grams": lambda public, *_: WordAttacker(CharacterGrams.from_texts(public.texts)),
    "embedding": _embedding,
    "classifier": _classifier,
}
"""Attackers by name."""
