"""Tell the language of a text: the detector carries its model, and is loaded when first asked.

The choice of detector and its measurement: `eval/language.py`, `eval/results/language.md`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, Final

from embanon.language.lexicon import LANGUAGES

SAMPLED: Final = 65_536
"""Characters that are looked at: the beginning only, so that a stream and the whole text agree."""

SAMPLES: Final = 5
SAMPLE: Final = 400
"""Characters of a sample: the detector reads about 350 bytes of letters at a time."""

MANY: Final = 20
"""Texts that are looked at where many have one language."""

SHORT: Final = 20
"""Characters: an uncertain answer about so little text is not used."""

BRIEF: Final = 25
CLEAR: Final = 0.2
"""Characters, and the score by which a language must lead the default to replace it in so little text.

Measured against the default, not against the second: a Portuguese greeting is as near to Galician, which says
nothing for English.
"""

FEW: Final = 60
"""Characters: of so little text, a language with a lexicon goes before one that leads by little."""

CLOSE: Final = 0.2
"""How little that is, of the best score."""


@dataclass(frozen=True, slots=True)
class Language:
    """An ISO 639-1 code and how far it leads, in [0, 1]: `None` where it is not the detector's first."""

    code: str
    confidence: float | None


def detect(text: str, default: str = "en") -> Language:
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
    if not ranked or (not reliable and len(text.strip()) < SHORT and _has_latin(text)):
        return Language(default, None)
    code, best = ranked[0]
    second = ranked[1][1] if len(ranked) > 1 else 0.0
    length = len(text.strip())
    if code != default and length < BRIEF and best - scores.get(default, 0.0) < CLEAR:
        return Language(default, None)
    if best - second < CLOSE * best and length < FEW:
        # Names mislead most where there is little else: Ada Berger met Carl Lindner.
        known = next((code for code, _ in ranked if code in LANGUAGES), code)
        if known != code:
            return Language(known, None)
    return Language(code, round((best - second) / best, 4))


def common(texts: Iterable[str]) -> str:
    """Give the language of most texts, by the first of them."""
    return most(detect(text[:SAMPLE]).code for text in islice(texts, MANY))


def most(codes: Iterable[str]) -> str:
    """Give the most frequent code, of equals the first."""
    return next((code for code, _ in Counter(codes).most_common(1)), "en")


def _has_latin(text: str) -> bool:
    """Tell whether a Latin letter occurs: few words in another script still tell their language."""
    return any("a" <= character <= "z" for character in text[:SAMPLED].lower())


def _samples(text: str) -> Iterator[str]:
    """Give a few stretches of the beginning of a text, spread evenly, none of which overlap."""
    length = min(len(text), SAMPLED)
    if length <= SAMPLES * SAMPLE:
        yield from (text[start : start + SAMPLE] for start in range(0, length, SAMPLE))
        return
    step = (length - SAMPLE) / (SAMPLES - 1)
    yield from (text[start : start + SAMPLE] for start in (int(index * step) for index in range(SAMPLES)))


@cache
def _detector() -> Any:
    from eld import LanguageDetector

    return LanguageDetector()
