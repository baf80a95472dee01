"""What simple rules would mask in a document: the baselines that any masking is compared with.

Each rule masks phrases as they are found: all of them, those that are names or numbers, and the rarest until as large
a share of the words is gone as somebody else has masked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.document import FORMS, Flags, Phrases
from embanon.risk import ScoredPhrases, phrase_spans

Ints = NDArray[np.int64]
Spans = Sequence[tuple[int, int]]

EVERY_PHRASE: Final = "every noun phrase"
NAMES_AND_NUMBERS: Final = "names and numbers only"
RAREST_PHRASES: Final = "the rarest phrases, as many words"
WORD: Final = re.compile(r"\w+")
IS_NAMED_FORM: Final = np.array([form not in ("common", "reference") for form in FORMS])


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is left of a document under a rule."""

    name: str
    masked: int
    """Phrases."""
    share_kept: float | None
    """The share of words that stay as they are; `None` of a text without words."""
    rank: float | None = None
    """Of the protected entity for an attacker; `None` where there is none."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        kept = None if self.share_kept is None else round(self.share_kept, 4)
        return {"name": self.name, "masked": self.masked, "kept": kept, "rank": self.rank}


def word_starts(text: str) -> Ints:
    """Return where the words of a text start, in order."""
    return np.array([found.start() for found in WORD.finditer(text)], np.int64)


def count_words(words: Ints, spans: Spans) -> Ints:
    """Count the words that start in each span."""
    if not spans:
        return np.zeros(0, np.int64)
    starts, ends = np.array(spans, np.int64).T
    counts: Ints = np.searchsorted(words, ends) - np.searchsorted(words, starts)
    return counts


def kept(words: Ints, spans: Spans) -> float | None:
    """Return the share of words that start in none of the spans, which do not overlap; `None` if there are no words."""
    return 1 - float(count_words(words, spans).sum()) / len(words) if len(words) else None


def remove_spans(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return a text without spans, which are in order: all that an attacker then reads."""
    rest, last = [], 0
    for start, end in spans:
        rest.append(text[last:start])
        last = end
    return " ".join((*rest, text[last:]))


def baseline_masks(scored: ScoredPhrases, words: Ints, share: float) -> dict[str, Flags]:
    """Return which phrases each rule masks; the rarest phrases have at most this share of the words."""
    count = len(scored.phrases)
    sizes = count_words(words, phrase_spans(scored.phrases))
    rarest = np.argsort(-np.nan_to_num(scored.powers.rarity, nan=np.inf), kind="stable")
    last = int(np.searchsorted(np.cumsum(sizes[rarest]), round(share * len(words)), side="right"))
    chosen = np.zeros(count, np.bool_)
    chosen[rarest[:last]] = True
    return {
        EVERY_PHRASE: np.ones(count, np.bool_),
        NAMES_AND_NUMBERS: IS_NAMED_FORM[scored.phrases.form],
        RAREST_PHRASES: chosen,
    }


def measure_baselines(
    text: str, scored: ScoredPhrases, share: float, attack: Callable[[str], float] | None = None
) -> tuple[Baseline, ...]:  # fmt: skip
    """Apply each rule; `attack` gives the rank of the protected entity for who reads a text."""
    words = word_starts(text)
    return tuple(
        Baseline(name, int(mask.sum()), kept(words, spans), attack(remove_spans(text, spans)) if attack else None)
        for name, mask in baseline_masks(scored, words, share).items()
        for spans in [spans_where(scored.phrases, mask)]
    )


def spans_where(phrases: Phrases, mask: Flags) -> Spans:
    """Return where the phrases of a mask start and end."""
    return [bounds for bounds, is_in in zip(phrase_spans(phrases), mask.tolist(), strict=True) if is_in]
