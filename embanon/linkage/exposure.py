"""How well an attacker with public text identifies whom a document is about, and masking until they fail.

The attacker's certainty is calibrated on the public text itself: half of what is known of a candidate, as a document,
is looked for in the other halves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from embanon.config import RiskLimits
from embanon.document import Floats
from embanon.entities import Entity
from embanon.errors import ConfigError, InputError
from embanon.io import LIMITS, open_gzip, open_input, rows
from embanon.language import common_language
from embanon.linkage.attackers import Background, count_words, rank
from embanon.linkage.baselines import remove_spans, spans_where
from embanon.linkage.calibration import Calibration, calibrate, effective_candidates, posterior
from embanon.linkage.protection import mask_until_hidden
from embanon.risk import ScoredPhrases

FIRST_ENTITY: Final = 0
"""The protected entity that attackers look for."""
CALIBRATION_SIZE: Final = 200
"""Candidates on whom certainty is calibrated."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """How far a document gives its entity away among the candidates of a background, as it is and when it is masked."""

    open: Mapping[str, Any]
    masked: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return rank, effective number of candidates and their number; `masked` is the same for the masked text."""
        return {**self.open, "masked": dict(self.masked)}


@dataclass(frozen=True, slots=True, eq=False)
class Attackers:
    """A background with what is known of how certain its attacker can be."""

    background: Background
    calibration: Calibration = field(repr=False)

    @classmethod
    def from_texts(cls, names: Sequence[str], texts: Sequence[str], language: str = "en") -> Attackers:
        """Index the texts about candidates, and calibrate on their halves."""
        if len(names) < 2:
            raise ConfigError("a background needs texts about at least two candidates; one alone is always found")
        halves = [_split_in_half(text) for text in texts]
        known = Background.from_texts(names, [first for first, _ in halves], language)
        chosen = np.linspace(0, len(names) - 1, min(len(names), CALIBRATION_SIZE)).astype(np.int64)
        rows = np.stack([known.tfidf.scores(count_words(halves[place][1])) for place in chosen.tolist()])
        return cls(Background.from_texts(names, texts, language), calibrate(rows, chosen))

    def find_target(self, entity: Entity) -> int | None:
        """Return the candidate that an entity is; `None` where the background has no text about it."""
        return self.background.find_first((entity.name, *entity.aliases))

    def measure_exposure(self, text: str, scored: ScoredPhrases, target: int, limit: RiskLimits | float) -> Exposure:
        """Attack a text as it is, and with the phrases at or above a limit gone."""
        masked = remove_spans(text, spans_where(scored.phrases, scored.at_least(limit)))
        return Exposure(self.attack(text, target), self.attack(masked, target))

    def attack(self, text: str, target: int) -> dict[str, Any]:
        """Return how an attacker who reads a text ranks the target."""
        scores = self.background.tfidf.scores(count_words(text))
        probabilities = posterior(scores, self.calibration.temperature)
        linked = self.calibration.link_rate(float(probabilities[target]))
        return {
            "rank": round(rank(scores, target), 1), "effective": round(effective_candidates(probabilities), 1),
            "candidates": len(scores), "probability": round(linked.share, 3),
            "bounds": [round(linked.low, 3), round(linked.high, 3)],
        }  # fmt: skip

    def raise_until_hidden(
        self, text: str, scored: ScoredPhrases, target: int, limit: RiskLimits | float, k: int
    ) -> tuple[ScoredPhrases, bool]:
        """Raise risks to the limit until attackers rank the target behind `k`; say whether that was reached."""
        phrases = scored.phrases
        protection = mask_until_hidden(
            text, phrases.start, phrases.end, scored.at_least(limit), self.background, target, k
        )
        risk: Floats = scored.risk.copy()
        added = np.array(protection.added, np.int64)
        risk[added] = np.fmax(risk[added], scored.limit_of_each(limit)[added])
        owner, linked = scored.owner.copy(), scored.linked.copy()
        owner[added], linked[added] = FIRST_ENTITY, True
        return replace(scored, risk=risk, owner=owner, linked=linked), protection.reached


def _split_in_half(text: str) -> tuple[str, str]:
    """Cut a text at the middle, between words."""
    middle = text.find(" ", len(text) // 2)
    return (text[:middle], text[middle:]) if middle > 0 else (text, text)


CANDIDATE_NAME_KEYS: Final = ("name", "title", "entity", "id")
"""Keys of a candidate's name, the first that a line has."""


def candidate_name(row: Mapping[str, Any]) -> str:
    """Return the name of a candidate; "" where a line has none."""
    return next((row[one] for one in CANDIDATE_NAME_KEYS if isinstance(row.get(one), str) and row[one].strip()), "")


def read_candidates(path: str) -> dict[str, str]:
    """Read public text about candidates by name: a line each, with `name`, `title` or `entity`, and `text`."""
    texts: dict[str, list[str]] = {}
    with open_input(path) as plain, open_gzip(plain, path) if path.endswith(".gz") else nullcontext(plain) as stream:
        for number, row in rows(stream, path, LIMITS, LIMITS.total):
            name = candidate_name(row)
            if not name or not isinstance(row.get("text"), str):
                raise InputError(f"{path}, line {number}: a candidate has a name and a text, which are strings")
            texts.setdefault(name, []).append(row["text"])
    return {name: "\n".join(some) for name, some in texts.items()}


def read_background(path: str, language: str) -> Attackers:
    """Read public text about candidates, and learn to attack with it."""
    texts = read_candidates(path)
    return Attackers.from_texts(
        list(texts), list(texts.values()), common_language(texts.values()) if language == "auto" else language
    )
