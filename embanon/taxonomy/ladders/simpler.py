"""Return simpler forms of a common noun phrase, to be looked up: metastatic breast cancer, breast cancer, cancer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from embanon.language import PERSON_CUES, PLACE_CUES, Cue, Lexicon, fold_name
from embanon.taxonomy.ladders.numerals import is_ordinal
from embanon.taxonomy.ladders.tables import MAX_PHRASE_LENGTH, Tables, load_tables

_NAMES: Final = int(PERSON_CUES | PLACE_CUES | Cue.ORG_NAME | Cue.ORG_SUFFIX | Cue.TITLE)


def simpler_forms(phrase: str, language: str, head: str = "", form: str = "common") -> tuple[str, ...]:
    """Return the forms that are left when modifiers are dropped, longest first, down to the head.

    English and German drop from the left; Spanish and Portuguese from the right, if the head is given. Nothing is
    dropped of a name, and nothing whose loss may turn the phrase false: a former, alleged or vice president is no
    president.
    """
    known = load_tables(language)
    words = phrase.split()
    if known is None or form != "common" or not 1 < len(words) <= 12 or len(phrase) > MAX_PHRASE_LENGTH:
        return ()
    while len(words) > 1 and (is_ordinal(words[0]) or fold_name(words[0]) in known.words("nouns", "determiners")):
        words = words[1:]  # the 38th president is a president
    if _may_be_name(words, known) or any(not _plain(word) for word in words):
        return ()
    if len(words) == 1:
        return (words[0],)
    kept = [shorter for shorter in _forms(words, head.strip(), known) if shorter != " ".join(words)]
    return tuple(dict.fromkeys(kept))


def _plain(word: str) -> bool:
    """Return whether a word is letters and hyphens, so that leaving others out keeps a phrase."""
    return all(part.isalpha() for part in word.replace("’", "'").replace("'", "").split("-") if part)


def _may_be_name(words: list[str], known: Tables) -> bool:
    """Return whether a word may be part of a name; German nouns have capitals, so that there the lexicon says it."""
    if known.language != "de":
        return any(word[1:] != word[1:].lower() or word[:1].isupper() for word in words)
    lexicon = Lexicon.load("de")
    return any(word[:1].isupper() and (lexicon.flags(word) & _NAMES or not word[1:].islower()) for word in words)


def _forms(words: list[str], head: str, known: Tables) -> Iterator[str]:
    """Drop words one by one, until one that must stay."""
    cut, stays = known.words("nouns", "cut"), known.words("nouns", "privative")
    if known.text("nouns", "position") == "first":
        first = next((place for place, word in enumerate(words) if head and word == head.split()[0]), -1)
        if first < 0 or any(fold_name(word) in stays for word in words):
            return  # without its head, an adjective in front cannot be told from it
        for size in range(len(words) - 1, first, -1):
            if fold_name(words[size - 1]) not in cut:
                yield " ".join(words[:size])
        yield words[first]
        return
    last = next((place for place, word in enumerate(words) if place and fold_name(word) in cut), len(words))
    if head and words[last - 1] != head.split()[-1]:
        return
    for place in range(last):
        if any(fold_name(part) in stays for word in words[:place] for part in (word, word.partition("-")[0])):
            return
        if known.language == "de" and not head and any(word[:1].isupper() for word in words[:place]):
            return  # perhaps a noun: a Reihe schlechter Investitionen is no investment
        yield " ".join(words[place:last])
