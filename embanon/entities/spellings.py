"""How a word of a name may be written: with other letters, inflected, run together with others, as initials."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, permutations, product
from typing import Any, Final

from embanon.data import read_toml
from embanon.entities.folding import fold_text
from embanon.language import Cue, Frequencies, Lexicon, inflect_noun, primary_language, spelling_variant

LOWERCASE_NAME_SHARE: Final = 5e-6
"""The share of words below which a part of a name in small letters is the name all the same."""

COMMON_SHARE: Final = 1e-4
"""The share of words from which a short one is too common to be a name, whatever its first letter."""

UNKNOWN_SHARE: Final = 5e-7
"""The share of words below which an acronym or an inflected name, in small letters, is no other word."""

PLURAL_RATIO: Final = 0.1
"""How often a word has another number or case, for one that has it: from here on it is no name alone."""

MAX_VARIANTS: Final = 32
"""Spellings of one word that are tried."""

MAX_JOINED_WORDS: Final = 4
"""Words of a name that are run together in any order."""

MIN_JOINED_LENGTH: Final = 5
"""Letters of a user name that is made of a name and an initial."""

MIN_STEM_LENGTH: Final = 3
"""Letters of a word whose end changes."""

NAME_CUES: Final = int(Cue.GIVEN_NAME | Cue.FEMALE | Cue.MALE | Cue.SURNAME)
LINK_CUES: Final = int(Cue.CONNECTOR | Cue.PARTICLE)


@cache
def names_table(language: str) -> Mapping[str, Any]:
    """Return what is known of how a language writes names; nothing where it is not known."""
    table: Mapping[str, Any] = read_toml("ontologies", "lexicon", "names.toml").get(primary_language(language), {})
    return table


@cache
def table_words(language: str, name: str) -> frozenset[str]:
    """Return the words of a row."""
    return frozenset(names_table(language).get(name, "").split())


@cache
def letter_pairs() -> tuple[tuple[str, str], ...]:
    """Return letters, each with what stands for it where it lacks."""
    entries = read_toml("ontologies", "lexicon", "names.toml")["letters"].split()
    return tuple((letter, others) for letter, _, others in (entry.partition("=") for entry in entries))


@cache
def nicknames(language: str) -> Mapping[str, frozenset[str]]:
    """Return the names that each given name may be short for, or be called as."""
    names: dict[str, set[str]] = defaultdict(set)
    for name, short in _nickname_rows(language):
        for nickname in short:
            names[nickname].add(name)
    return {nickname: frozenset(of) for nickname, of in names.items()}


@cache
def short_names(language: str) -> Mapping[str, frozenset[str]]:
    """Return what each given name may be called as, folded."""
    return {fold_text(name): frozenset(map(fold_text, short)) for name, short in _nickname_rows(language)}


def _nickname_rows(language: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Return given names without accents, with what each may be called as."""
    for row in read_toml("ontologies", "lexicon", "nicknames.toml").get(language, "").split():
        name, _, short = row.partition("=")
        yield spelling_variant(name, str), tuple(spelling_variant(nickname, str) for nickname in short.split(","))


@lru_cache(maxsize=65_536)
def spellings(word: str) -> frozenset[str]:
    """Return how a word may be written, all folded: jürgen is jurgen and juergen, and ostergaard is østergård."""
    low, forms = word.lower(), {fold_text(word)}
    pairs = letter_pairs()
    choices = [[sign, *(others for letter, others in pairs if letter == sign)] for sign in low]
    if sum(map(len, choices)) - len(choices) <= MAX_VARIANTS.bit_length() - 1:
        forms |= {fold_text("".join(signs)) for signs in product(*choices)}
    else:
        forms.add(fold_text("".join(signs[-1] for signs in choices)))
    for letter, others in pairs:
        if others in low:
            forms |= {fold_text(form.replace(others, letter)) for form in (low, *forms)}
    return frozenset(forms)


@cache
def _rules(language: str, name: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return endings of a folded name that go, and those that come instead."""
    rows = (entry[1:].partition("=") for entry in names_table(language).get(name, "").split())
    return tuple((fold_text(ending), tuple(map(fold_text, others.split(",")))) for ending, _, others in rows)


@lru_cache(maxsize=65_536)
def inflections(word: str, language: str, *, person: bool) -> frozenset[str]:
    """Return the other forms of a folded word of a name: genitives, plurals, short and tender forms."""
    if len(word) < MIN_STEM_LENGTH:
        return frozenset()
    rules = _rules(language, "endings" if person else "genitives")
    forms = {
        word[: len(word) - len(ending)] + other
        for ending, others in rules if word.endswith(ending)
        for other in others if len(word) - len(ending) + len(other) >= MIN_STEM_LENGTH
    }  # fmt: skip
    if not person:
        forms.update(inflect_noun(word, language))
        endings = sorted(table_words(language, "adjectives"), key=len, reverse=True)
        if ending := next((one for one in endings if word.endswith(one)), ""):
            forms |= {word[: len(word) - len(ending)] + other for other in endings}
    return frozenset(forms - {word})


def word_share(word: str, language: str) -> float:
    """Return the share of a word among all words; 0 where it is unknown."""
    frequencies = Frequencies.load(language)
    return (frequencies.share(word) if frequencies else None) or 0.0


def is_common(word: str, language: str) -> bool:
    """Return whether a word is one of those that any text has."""
    return bool(Lexicon.load(language).flags(word) & Cue.STOP) or word_share(word, language) >= COMMON_SHARE


@lru_cache(maxsize=65_536)
def is_ordinary(word: str, language: str) -> bool:
    """Return whether a word, in small letters, is one that means something; a rare word and a mere name are not."""
    lexicon, share = Lexicon.load(language), word_share(word, language)
    if Frequencies.load(language) is None or lexicon.flags(word):
        return True
    if share < LOWERCASE_NAME_SHARE:
        return False
    cues = lexicon.flags(word.capitalize())
    if not cues & NAME_CUES or cues & Cue.AMBIGUOUS:
        return True
    others = (word_share(form, language) for form in inflect_noun(word, language) if form != word)
    return max(others, default=0.0) >= PLURAL_RATIO * share


def joined_forms(words: Sequence[str], links: frozenset[str]) -> Iterator[str]:
    """Return the words of a person's name as they are run together in user names: adaberger, aberger, vonderau."""
    content = [word for word in words if word not in links]
    for size in range(2, min(len(words), MAX_JOINED_WORDS) + 1):
        for start in range(len(words) - size + 1):
            yield "".join(words[start : start + size])
    first_words = content[:MAX_JOINED_WORDS]
    yield from ("".join(pair) for pair in permutations(first_words, 2))
    if first_words == content:
        yield from map("".join, permutations(content))
    tails = {"".join(words[place:]) for place in range(1, len(words)) if words[place - 1] not in links}
    for first, other in permutations(first_words, 2):
        yield from (first[:1] + other, other + first[:1])
    yield from (words[0][:1] + tail for tail in tails if words[0] not in links)


def initials_of(words: Iterable[str], links: frozenset[str]) -> Iterator[str]:
    """Return the initials of a name's words: with its small words, and without."""
    every = list(words)
    content = [word for word in every if word not in links]
    yield from dict.fromkeys("".join(word[0] for word in row) for row in (content, every) if len(row) > 1)


@lru_cache(maxsize=65_536)
def dotted_pattern(letters: str) -> re.Pattern[str]:
    """Return what finds an acronym with points: I.B.M., I. B. M."""
    return re.compile(r"(?<![\w.])" + r"\.[ ‑-]?".join(map(re.escape, letters)) + r"(?:\.|(?!\w))(?!\w)")


def every_spelling(words: Iterable[str]) -> frozenset[str]:
    """Return all spellings of words."""
    return frozenset(chain.from_iterable(map(spellings, words)))
