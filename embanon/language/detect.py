"""The known languages, and detection of a text's language; the detector is loaded on first use.

The choice of detector and its measurement: `eval/language.py`, `eval/results/language.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import islice
from typing import Any, Final

from embanon.data import read_toml

LANGUAGES: Final = ("en", "es", "pt", "de")
"""The languages with a lexicon and ladders."""
TAGGED_LANGUAGES: Final = ("en", "es", "pt", "de")
"""Those that have a tagger, lemmas and frequencies as well."""

MAX_SAMPLED_CHARACTERS: Final = 65_536
"""Characters that are looked at: the beginning only, so that a stream and the whole text agree."""

SAMPLE_COUNT: Final = 5
SAMPLE_LENGTH: Final = 400
"""Characters of a sample: the detector reads about 350 bytes of letters at a time."""

MAX_SAMPLED_TEXTS: Final = 20
"""Texts that are looked at where many have one language."""

MIN_UNCERTAIN_LENGTH: Final = 20
"""Characters: an uncertain answer about so little text is not used."""

BRIEF_LENGTH: Final = 25
CLEAR_LEAD: Final = 0.2
"""Characters, and the score by which a language must lead the default to replace it in so little text.

Measured against the default, not against the second: a Portuguese greeting is as near to Galician, which says
nothing for English.
"""

SHORT_LENGTH: Final = 60
"""Characters: of so little text, a language with a lexicon goes before one that leads by little."""

CLOSE_LEAD: Final = 0.2
"""How little that is, of the best score."""


def language_table(language: str) -> Mapping[str, Any]:
    """Return the sections of a language's lexicon: `ontologies/lexicon/*.toml`; none of a language without one."""
    return read_toml("ontologies", "lexicon", f"{language}.toml") if language in LANGUAGES else {}


@cache
def has_trait(language: str, name: str) -> bool:
    """Return whether a language has one of the `[traits]` that phrases depend on."""
    return bool(language_table(language).get("traits", {}).get(name))


@cache
def phrase_words(language: str, name: str) -> tuple[str, ...]:
    """Return a row of a language's `[phrases]`: closed classes that have no cue."""
    return tuple(language_table(language).get("phrases", {}).get(name, "").split())


@lru_cache(maxsize=256)
def primary_language(code: str) -> str:
    """Return the language of a code without script and region: `pt` of `pt-BR`."""
    return code.lower().replace("_", "-").partition("-")[0]


@dataclass(frozen=True, slots=True)
class DetectedLanguage:
    """An ISO 639-1 code and how far it leads, in [0, 1]: `None` where it is not the detector's first."""

    code: str
    confidence: float | None


def detect(text: str, default: str = "en") -> DetectedLanguage:
    """Detect the language of the beginning of a text, or give the default where there is too little of it."""
    scores: dict[str, float] = {}
    reliable = False
    for sample in _samples(text):
        # The detector encodes its input, and a lone surrogate has no bytes.
        answer = _detector().detect(sample.encode("utf-8", "ignore").decode("utf-8"))
        reliable = reliable or answer.is_reliable()
        for code, score in (answer.scores() if answer.language else {}).items():
            scores[code] = scores.get(code, 0.0) + score
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    if not ranked or (not reliable and len(text.strip()) < MIN_UNCERTAIN_LENGTH and _has_latin(text)):
        return DetectedLanguage(default, None)
    code, best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    length = len(text.strip())
    if code != default and length < BRIEF_LENGTH and best - scores.get(default, 0.0) < CLEAR_LEAD:
        return DetectedLanguage(default, None)
    if best - second < CLOSE_LEAD * best and length < SHORT_LENGTH:
        # Names mislead most where there is little else: Ada Berger met Carl Lindner.
        known = next((code for code, _ in ranked if code in LANGUAGES), code)
        if known != code:
            return DetectedLanguage(known, None)
    return DetectedLanguage(code, round((best - second) / best, 4))


def common_language(texts: Iterable[str]) -> str:
    """Return the language of most texts, by the first of them."""
    return most_frequent_code(detect(text[:SAMPLE_LENGTH]).code for text in islice(texts, MAX_SAMPLED_TEXTS))


def most_frequent_code(codes: Iterable[str]) -> str:
    """Return the most frequent code, of equals the first."""
    return next((code for code, _ in Counter(codes).most_common(1)), "en")


def _has_latin(text: str) -> bool:
    """Return whether a Latin letter occurs: few words in another script still tell their language."""
    return any("a" <= character <= "z" for character in text[:MAX_SAMPLED_CHARACTERS].lower())


def _samples(text: str) -> Iterator[str]:
    """Return a few stretches of the beginning of a text, spread evenly, none of which overlap."""
    length = min(len(text), MAX_SAMPLED_CHARACTERS)
    if length <= SAMPLE_COUNT * SAMPLE_LENGTH:
        yield from (text[start : start + SAMPLE_LENGTH] for start in range(0, length, SAMPLE_LENGTH))
        return
    step = (length - SAMPLE_LENGTH) / (SAMPLE_COUNT - 1)
    yield from (text[start : start + SAMPLE_LENGTH] for start in (int(index * step) for index in range(SAMPLE_COUNT)))


@cache
def _detector() -> Any:
    from eld import LanguageDetector

    return LanguageDetector()
