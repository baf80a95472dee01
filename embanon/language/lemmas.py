"""Give the dictionary form of a word: exceptions first, then the rule of its longest known ending.

A rule says how many characters to take off the end and what to put there. Everything is compared in folded
spelling, so that lists of lemmas match whatever the case: lemmas are keys, not text to be shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from io import BytesIO
from typing import Any, Final, NamedTuple
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from embanon.data import opened, resource
from embanon.language.hashing import LONGEST_WORD, digests, position

FORMAT: Final = 1
LANGUAGES: Final = ("en", "es", "pt", "de")
LONGEST_ENDING: Final = 5
SHORTEST_HEAD: Final = 5
"""Characters of an exception that counts at the end of a compound too."""

GROUPS: Final = {"NOUN": "N", "PROPN": "P", "ADJ": "A", "VERB": "V", "AUX": "V"}
"""Tags with rules of their own; of the other tags only words that the treebank has are known."""
OTHER: Final = "O"
ANY: Final = ""
"""The rules for words without a tag."""
CAPITAL: Final = "^"
"""The rules for words without a tag that begin with a capital: names, and German nouns."""
OPEN: Final = ("N", "A", "V", "P")

GERMAN_INFIX: Final = re.compile(
    r"(?P<before>(?:ab|an|auf|aus|bei|da|dar|durch|ein|empor|entgegen|entlang|fehl|fern|fest|fort|frei|gegenüber|"
    r"gleich|her|heraus|herum|hervor|hin|hinaus|hinein|hinzu|hoch|kennen|los|mit|nach|nieder|preis|statt|stand|"
    r"teil|um|unter|über|voll|vor|voran|voraus|vorbei|weg|weiter|wieder|zu|zurück|zusammen)?)"
    r"(?P<infix>ge|(?<=.)zu)(?P<after>.{3,})"
)
"""Participles and infinitives have `ge` and `zu` inside: auf-ge-hört, an-zu-kommen."""

CLITICS: Final = {
    "es": (
        (re.compile(r"ándo(?:me|te|se|nos|os|l[aeo]s?){1,2}$"), "ando"),
        (re.compile(r"éndo(?:me|te|se|nos|os|l[aeo]s?){1,2}$"), "endo"),
    ),
    "pt": ((re.compile(r"(?<=.)-(?:[mts]e|lhes?|[nv]os|[ln]?[ao]s?)$"), ""),),
}
"""Pronouns after a verb: what is left has the rules of the verb alone."""


class Edit(NamedTuple):
    """How a form becomes its lemma: perhaps without the infix, `strip` characters off the end, then `add`."""

    strip: int
    add: str
    infix: bool = False


NOTHING: Final = Edit(0, "")


@dataclass(frozen=True, slots=True)
class Parts:
    """A folded word, and what it is without the infix: both alike where it has none.

    `after` is what follows the infix; `compound` words may end in known words.
    """

    word: str
    bare: str
    after: str
    compound: bool

    @classmethod
    def of(cls, word: str, language: str) -> Parts:
        """Take off pronouns, and look for an infix, which only German has."""
        if len(word) > LONGEST_WORD:
            return cls(word, word, "", False)
        for ending, instead in CLITICS.get(language, ()):
            word = ending.sub(instead, word)
        if language == "de" and (found := GERMAN_INFIX.fullmatch(word)):
            return cls(word, found["before"] + found["after"], found["after"], True)
        return cls(word, word, "", language == "de")

    def apply(self, edit: Edit) -> str:
        """Give the word as edited, or as it is where the edit takes off too much."""
        base = self.bare if edit.infix else self.word
        if edit.strip > len(base):
            return self.word
        return base[: len(base) - edit.strip] + edit.add or self.word

    def exceptions(self, group: str) -> list[str]:
        """Name the word itself within a group of tags, and the words that a German compound may end in."""
        if len(self.word) > LONGEST_WORD:
            return []
        last = len(self.word) - SHORTEST_HEAD if self.compound and group in ("N", CAPITAL) else 0
        return [f"{group}={self.word[start:]}" for start in range(max(last, 0) + 1)]

    def endings(self, group: str) -> Iterator[str]:
        """Name the word's endings within a group, the longest first."""
        if self.after and group in ("V", ANY, CAPITAL):
            yield f"{group}~~{self.after}"
            for size in range(min(LONGEST_ENDING, len(self.after)), -1, -1):
                yield f"{group}~{self.after[len(self.after) - size :]}"
        for size in range(min(LONGEST_ENDING, len(self.word) - 1), -1, -1):
            yield f"{group}-{self.word[len(self.word) - size :]}"


def fold(word: str) -> str:
    """Give the look-up key of a word, as the lists of the users have it: composed, case-folded."""
    if word.isascii():
        return word.lower()
    return normalize("NFC", word).replace("’", "'").casefold()


def group_of(word: str, tag: str) -> str:
    """Give the group of a tag, without a tag that of the word's case; of a contraction, of its first part."""
    if not tag:
        return CAPITAL if word[:1].isupper() and (len(word) == 1 or not word.isupper()) else ANY
    return next((GROUPS[part] for part in tag.split("+") if part in GROUPS), OTHER)


@dataclass(frozen=True, slots=True)
class Lemmas:
    """What training leaves: `keys` are sorted hashes of words and endings, `numbers` those of their edits."""

    keys: NDArray[np.uint32] = field(repr=False)
    numbers: NDArray[np.uint16] = field(repr=False)
    edits: tuple[Edit, ...] = field(repr=False)

    def to_bytes(self) -> bytes:
        """Write as a compressed archive of arrays."""
        buffer = BytesIO()
        np.savez_compressed(
            buffer, format=np.array([FORMAT]), keys=self.keys, numbers=self.numbers,
            strip=np.array([edit.strip for edit in self.edits], np.uint8),
            infix=np.array([edit.infix for edit in self.edits], np.bool_),
            add=np.frombuffer("\n".join(edit.add for edit in self.edits).encode("utf-8"), np.uint8),
        )  # fmt: skip
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "lemmas") -> Lemmas:
        """Read what `to_bytes` wrote; never unpickles."""
        with opened(data, name, FORMAT) as arrays:
            added = arrays["add"].tobytes().decode("utf-8").split("\n")
            rows = zip(arrays["strip"].tolist(), added, arrays["infix"].tolist(), strict=True)
            return cls(arrays["keys"], arrays["numbers"], tuple(Edit(*row) for row in rows))


@dataclass(frozen=True, slots=True)
class Lemmatizer:
    """Lemmas of one language; without data every word is its own lemma, folded."""

    language: str
    data: Lemmas | None = field(default=None, repr=False)

    @staticmethod
    def load(language: str) -> Lemmatizer:
        """Load the lemmatizer of a language; but for `en`, `es`, `pt`, `de` it only folds the word's case."""
        return _load(language.lower().replace("_", "-").partition("-")[0])

    def __reduce__(self) -> tuple[Callable[..., Lemmatizer], tuple[Any, ...]]:
        # Processes that are sent a shipped lemmatizer open the file themselves.
        if _load(self.language) is self:
            return _load, (self.language,)
        return Lemmatizer, (self.language, self.data)

    def lemma(self, word: str, tag: str = "") -> str:
        """Give the folded lemma of a word under a tag; without a tag the likeliest, rather not as a verb."""
        return self._lemmas(fold(word), (group_of(word, tag),))[0]

    def lemmas(self, word: str) -> frozenset[str]:
        """Give the folded word and its lemmas under every tag.

        Lemmas are dictionary forms: Spanish `abogadas` is a form of `abogado`, not of `abogada`.
        """
        key = fold(word)
        return frozenset((key, *self._lemmas(key, (*OPEN, OTHER, ANY, CAPITAL))))

    def _lemmas(self, word: str, groups: tuple[str, ...]) -> list[str]:
        if self.data is None or not word:
            return [word] * len(groups)
        parts = Parts.of(word, self.language)
        names = [[*parts.exceptions(group), *parts.endings(group)] for group in groups]
        places = position(self.data.keys, digests(name for of_group in names for name in of_group)).tolist()
        result = []
        for of_group in names:
            known = [place for place in places[: len(of_group)] if place >= 0]
            del places[: len(of_group)]
            edit = self.data.edits[self.data.numbers[known[0]]] if known else NOTHING
            result.append(parts.apply(edit))
        return result


@lru_cache(maxsize=16)
def _load(language: str) -> Lemmatizer:
    if language not in LANGUAGES:
        return Lemmatizer(language)
    name = f"{language}.npz"
    return Lemmatizer(language, Lemmas.from_bytes(resource("embeddings", "lemmas", name).read_bytes(), name))
