"""The shipped names that people may be given: by language, gender and how frequent they are."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from embanon.language import LANGUAGES, PERSON_CUES, Cue, Frequencies, Lemmatizer, Lexicon, spelling_variant
from embanon.replace.grammar import listed_words, replacement_table

Floats = NDArray[np.float64]

GIVEN: Final = int(Cue.GIVEN_NAME)
FEMALE, MALE, EITHER, SURNAME = "female", "male", "either", "surname"
CUES: Final = {
    GIVEN | int(Cue.FEMALE): FEMALE, GIVEN | int(Cue.MALE): MALE, GIVEN | int(Cue.FEMALE | Cue.MALE): EITHER,
    int(Cue.SURNAME): SURNAME,
}  # fmt: skip
"""What a name must be known as, and as nothing else: no place, no word."""
ORDINARY: Final = 2e-6
"""The share of words in another language from which a name may be an ordinary word of one that is not counted."""
SHORTEST: Final = 4
MIN_CANDIDATES: Final = 60
"""Names of which one is chosen, at the least."""
WIDER: Final = 4.0
"""How many times as frequent, or as rare, a name may be; more where there are not enough."""
MOST: Final = 1e9
ARTICLES: Final = {"trees_f": "a la da na as las das nas".split(), "trees_m": "el del o do no os los dos nos".split()}
"""What stands before a name, and tells which trees agree with it."""
GERMAN_ENDS: Final = ("au", "bach", "feld", "tal", "grund")
"""How names end of which adjectives are made without any change."""


@dataclass(frozen=True, slots=True, eq=False)
class NamePool:
    """Names with the shares of words that they are, the rarest first."""

    names: tuple[str, ...] = field(repr=False)
    shares: tuple[float, ...] = field(repr=False)

    def similar_to(self, share: float | None) -> tuple[str, ...]:
        """Return names about as frequent as this; of a name that nobody counted, the rarest."""
        center, width = share or (self.shares[0] if self.shares else 0.0), WIDER
        low, high = self._between(center, width)
        while high - low < MIN_CANDIDATES and width < MOST:
            width *= WIDER
            low, high = self._between(center, width)
        return self.names[low:high]

    def _between(self, share: float, width: float) -> tuple[int, int]:
        return bisect_left(self.shares, share / width), bisect_right(self.shares, share * width)


@cache
def name_pools(language: str) -> dict[str, NamePool]:
    """Gather the names that are more frequent in a language than in the others, in any for a language not counted."""
    lexicon, names = Lexicon.load(language), dict[str, list[str]]()
    # The second capital of a name with a prefix is not known.
    prefixes = tuple(listed_words("people", "prefixes"))
    for name, cues in lexicon.names.rows():
        if (sort := CUES.get(cues)) and name.isalpha() and len(name) >= SHORTEST and not name.startswith(prefixes):
            names.setdefault(sort, []).append(name)
    return {sort: _build_pool(names.get(sort, ()), language, lexicon) for sort in CUES.values()}


def _build_pool(names: Iterable[str], language: str, lexicon: Lexicon) -> NamePool:
    every = list(names)
    shares = {one: np.nan_to_num(known.shares(every)) for one in LANGUAGES if (known := Frequencies.load(one))}
    own_shares = shares.get(language)
    most: Floats = np.max(list(shares.values()), axis=0)
    kept, own_shares = (most <= ORDINARY, most) if own_shares is None else (own_shares >= most, own_shares)
    lemma = Lemmatizer.load(language).lemma
    best: dict[str, tuple[float, str]] = {}
    for place in np.flatnonzero(kept & (own_shares > 0)).tolist():
        name, share = every[place], float(own_shares[place])
        if (
            name not in listed_words("people", "excluded")
            and not lexicon.flags(name.capitalize()) & ~PERSON_CUES
            and _is_lemma(name, lemma)
        ):
            plain = spelling_variant(name, str)  # with and without accents it is one name
            best[plain] = max(best.get(plain, (0.0, "")), (share, name))
    rows = sorted(best.values())
    return NamePool(tuple(name.capitalize() for _, name in rows), tuple(share for share, _ in rows))


def _is_lemma(name: str, lemma: Callable[[str], str]) -> bool:
    """Return whether a name is no form of another word: German nouns have capitals."""
    return lemma(name) == name == lemma(name.capitalize())


@cache
def listed_names(language: str, sort: str) -> tuple[str, ...]:
    """Return a list of words for names of firms, streets and places in a language: `surrogates.toml`."""
    return tuple(replacement_table("surrogates").get(language, {}).get(sort, "").split())


def names_behind(language: str, before: str) -> tuple[str, ...]:
    """Return names for firms and streets; behind an article trees of its gender and number, behind Saint saints."""
    saints: str = replacement_table("surrogates").get(language, {}).get("saints", {}).get(before.lower(), "")
    gender = next((gender for gender, articles in ARTICLES.items() if before in articles), "")
    trees = listed_names(language, gender)
    if before.endswith("s"):
        trees = tuple(f"{tree}s" for tree in trees if tree[-1] in "aeo")
    return tuple(saints.split()) or trees or listed_names(language, "names") or name_pools(language)[SURNAME].names


def adjectives(language: str) -> tuple[str, ...]:
    """Return what German makes of names as of places: Lindenauer."""
    return tuple(f"{name}er" for name in listed_names(language, "names") if name.endswith(GERMAN_ENDS))
