"""Attack anonymized texts as somebody does who has public text about candidates: how often is the right one found?

A number alone says little, so that each attack stands beside its floors: chance, and the same attack on the originals
and on originals in which nothing but the name is masked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from embanon.attack.classifier import Vectors
from embanon.attack.clues import Clue, Reader
from embanon.attack.infill import Told
from embanon.attack.intervals import Interval, interval
from embanon.attack.public import NOBODY, READERS, Public, Target
from embanon.config.settings import Config
from embanon.document import Document, Phrase
from embanon.entities.entity import Entity, folded
from embanon.entities.mentions import spans_of
from embanon.errors import ConfigError
from embanon.language.normalize import BRACKET
from embanon.linkage.attackers import ranks, within
from embanon.linkage.baselines import without
from embanon.linkage.calibration import calibrate, effective, posterior
from embanon.linkage.postings import Floats, Ints
from embanon.model.model import Model
from embanon.text.find import find_all

__all__ = ["READERS", "Attacked", "Found", "Public", "Target", "attack"]

TOP: Final = 5
CLUES: Final = 5
FEW: Final = 20
"""Up to so many documents, each is calibrated on all others; more are in two folds."""
CELLS: Final = 1 << 26
"""Scores that are held at once, documents times candidates: half a gigabyte, and a few times that while they turn into
probabilities."""
ANONYMIZED, ORIGINALS, NAMES_MASKED = "anonymized", "originals", "names masked"


@dataclass(frozen=True, slots=True)
class Found:
    """What an attack says of one document; probabilities are calibrated on other documents, `None` without any."""

    id: str
    rank: float | None
    """Of the true candidate, from 1, those that tie at their mean; `None` where he is not known."""
    ties: int
    """How many candidates share the rank: 1 is he alone."""
    probability: float | None
    """That the attacker gives the true candidate."""
    confidence: float | None
    """That he gives his first guess."""
    effective: float | None
    """Number of candidates."""
    guess: str | None = field(repr=False)
    """Who comes first; `None` where several do."""
    clues: tuple[Clue, ...] = ()
    """What speaks most for the true candidate, or for the first guess where that is not known."""

    def within(self, top: int) -> float | None:
        """Say whether he is among the first; where some who tie are, and some are not, by chance."""
        return None if self.rank is None else float(within(self.rank, self.ties, top))

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Give the fields by name; the name of the guess, and what clues say, only where it is asked for."""
        numbers = {name: getattr(self, name) for name in ("rank", "probability", "confidence", "effective")}
        shown: dict[str, Any] = {name: None if one is None else round(one, 4) for name, one in numbers.items()}
        shown["clues"] = [clue.to_dict(original=original) for clue in self.clues]
        return {"id": self.id, **shown} | ({"guess": self.guess} if original else {})


@dataclass(frozen=True, slots=True)
class Attacked:
    """What one attacker finds in one version of the documents; bounds are over documents."""

    attacker: str
    version: str
    """`anonymized`, or a floor: `originals`, `names masked`."""
    candidates: int
    documents: int
    known: int
    """Documents whose true candidate is known: the others count for the confidence alone."""
    top: int
    first: Interval | None
    """How often the true candidate is ranked first; like all means `None` where there is nothing to take it of."""
    among: Interval | None
    """How often among the first `top`."""
    reciprocal: Interval | None
    """The mean of 1 / rank."""
    effective: Interval | None
    """Number of candidates."""
    confidence: Interval | None
    found: tuple[Found, ...] = field(default=(), repr=False)

    @property
    def chance(self) -> float:
        """Give how often guessing finds the true one."""
        return 1 / self.candidates

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Give the fields by name, with all documents."""
        some = {
            "top_1": self.first, f"top_{self.top}": self.among, "mrr": self.reciprocal, "effective": self.effective,
            "confidence": self.confidence,
        }  # fmt: skip
        head = {name: getattr(self, name) for name in ("attacker", "version", "candidates", "documents", "known")}
        numbers = {name: one.to_dict() if one else None for name, one in some.items()}
        found = [one.to_dict(original=original) for one in self.found]
        return {**head, "chance": round(self.chance, 6), **numbers, "by_document": found}


def attack(
    documents: Sequence[Target], background: Public, attackers: Mapping[str, Reader] | Sequence[str] = ("tfidf",), *,
    top: int = TOP, clues: int = CLUES, model: Model | None = None, vectors: Vectors | None = None,
) -> tuple[Attacked, ...]:  # fmt: skip
    """Let attackers, by name or ready, look for whom documents are about; floors stand behind each attack.

    Floors are there if each document has its original.
    """
    true = np.array([background.place(one) for one in documents], np.int64)
    if not (true != NOBODY).any():
        raise ConfigError(
            "of no document it is known which candidate it is about; say it: --truth FILE, or by 'entity' in its line"
        )
    if top < 1:
        raise ConfigError("the true candidate is looked for among the first 1 or more; give a higher number")
    if len(documents) * len(background.names) > CELLS:
        raise ConfigError("there are too many documents for so many candidates; attack them in parts")
    if isinstance(attackers, Mapping):
        readers = dict(attackers)
    else:
        readers = {name: background.reader(name, model, vectors) for name in attackers}
    versions = {ANONYMIZED: [one.text for one in documents], **_floors(documents, background)}
    ids = [one.id for one in documents]
    return tuple(
        _attacked(name, reader, version, ids, texts, true, background, top, clues if version == ANONYMIZED else 0)
        for name, reader in readers.items()
        for version, texts in versions.items()
    )  # fmt: skip


def _floors(documents: Sequence[Target], background: Public) -> dict[str, list[str]]:
    """Give the originals, and the originals without the names of whom they are about."""
    originals = [one.original for one in documents if one.original is not None]
    if len(originals) < len(documents):
        return {}
    language = background.language
    names = [
        without(text, _apart(spans_of(Entity(one.truth, one.aliases), text, folded(text), language)))
        if one.truth
        else text
        for one, text in zip(documents, originals, strict=True)
    ]
    return {ORIGINALS: originals, NAMES_MASKED: names}


def _apart(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Unite spans that overlap."""
    found = list[tuple[int, int]]()
    for start, end in sorted(spans):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found


def _attacked(
    name: str, reader: Reader, version: str, ids: Sequence[str], texts: Sequence[str], true: Ints, background: Public,
    top: int, clues: int,
) -> Attacked:  # fmt: skip
    """Let one attacker read one version of the documents."""
    rows = np.stack([reader.scores(text) for text in texts])
    found = judged(rows, true, ids, background.names)
    if clues:
        aims = np.where(true == NOBODY, rows.argmax(axis=1), true).tolist()
        found = [
            replace(one, clues=tuple(reader.clues(text, aim, row)[:clues]))
            for one, text, aim, row in zip(found, texts, aims, rows, strict=True)
        ]  # fmt: skip
    return summed(name, version, found, len(background.names), top)


def judged(rows: Floats, true: Ints, ids: Sequence[str], names: Sequence[str]) -> list[Found]:
    """Say of each document how its candidate is ranked, and what the attacker believes: a row of scores for each."""
    known = true != NOBODY
    rank = np.full(len(true), np.nan)
    rank[known] = ranks(rows[known], true[known])
    chances = probabilities(rows, true)
    return [
        Found(
            id, float(rank[place]) if known[place] else None,
            int((rows[place] == rows[place, true[place]]).sum()) if known[place] else 0,
            float(chances[place, true[place]]) if chances is not None and known[place] else None,
            float(chances[place].max()) if chances is not None else None,
            effective(chances[place]) if chances is not None else None,
            names[int(rows[place].argmax())] if (rows[place] == rows[place].max()).sum() == 1 else None,
        )
        for place, id in enumerate(ids)
    ]  # fmt: skip


def probabilities(rows: Floats, true: Ints) -> Floats | None:
    """Turn scores into probabilities, those of each document by what is learnt from others; `None` without others."""
    known = np.flatnonzero(true != NOBODY)
    if len(known) < 2:
        return None
    folds = len(known) if len(known) <= FEW else 2
    found = posterior(rows, calibrate(rows[known], true[known]).temperature)
    for fold in range(folds):
        rest, learnt = known[fold::folds], np.delete(known, np.s_[fold::folds])
        found[rest] = posterior(rows[rest], calibrate(rows[learnt], true[learnt]).temperature)
    return found


def summed(name: str, version: str, found: Sequence[Found], candidates: int, top: int) -> Attacked:
    """Take means over documents, with their bounds."""
    known = [one for one in found if one.rank is not None]
    first, among = (_interval(one.within(most) for one in known) for most in (1, top))
    reciprocal = _interval(1 / one.rank for one in known if one.rank)
    hidden = _interval((one.effective for one in known), least=1.0, most=float(candidates))
    sure = _interval(one.confidence for one in found)
    return Attacked(
        name, version, candidates, len(found), len(known), top, first, among, reciprocal, hidden, sure, tuple(found)
    )  # fmt: skip


def _interval(values: Iterable[float | None], least: float = 0.0, most: float = 1.0) -> Interval | None:
    """Take the mean of what is known."""
    some = np.array([one for one in values if one is not None], np.float64)
    return interval(some, least=least, most=most) if len(some) else None


def typed(phrases: Sequence[str], model: Model, config: Config) -> Iterable[Phrase | None]:
    """Say what each phrase is where it stands alone; `None` where it is several things, or none."""
    documents = (Document("", one, config.language) for one in phrases)
    for written, found in zip(phrases, find_all(documents, config=config, statistics=model.statistics), strict=True):
        yield next((one for one in found.phrases if (one.start, one.end) == (0, len(written))), None)


def told(public: Public, model: Model, config: Config) -> Told:
    """Find the phrases of public text, the candidates' names among them."""
    documents = [
        Document("", f"{BRACKET.sub('', name).strip() or name}.\n\n{text}", config.language)
        for name, text in zip(public.names, public.texts, strict=True)
    ]
    found = find_all(documents, config=config, statistics=model.statistics)
    return Told(public.reader("tfidf"), (
        [(one.document.text[phrase.start : phrase.end], phrase) for phrase in one.phrases] for one in found
    ))  # fmt: skip


def surest(found: Found) -> tuple[bool, float, float, str]:
    """Give what documents are sorted by, the one that is found most surely first; last those of which none is known."""
    return found.rank is None, found.rank or 0.0, -(found.probability or found.confidence or 0.0), found.id
