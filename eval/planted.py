"""Find planted secrets: papers about something whose every mention is gone, among thousands of others.

    python -m eval.planted --data ../shared/data

For each of ten entities (`planted.toml`: the seven topics of eval.topics, and the three countries besides that have
most papers to themselves) the 30 diplomatic papers with the most mentions of the name or an alias are planted,
without these mentions; the first in the file where as many are mentioned. The next three are the samples. They hide
among 5,000 other texts, none with a mention: the diplomatic papers without one, the background of `tab`, and actors,
drawn by chance with a fixed seed. Papers with fewer mentions are not scored; they lie in the collection, as
other files of a company do.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.entities import Entity
from eval.boundaries import rows

ENTITIES: Final = Path(__file__).with_name("planted.toml")
PLANTED: Final = 30
SAMPLES: Final = 3
LEAST: Final = 3
"""Mentions of a paper that is planted."""
HIDING: Final = 5000
SEED: Final = 1

Ints = NDArray[np.int64]


def mention(names: Sequence[str]) -> re.Pattern[str]:
    """Give what finds mentions: words that begin with a name; names in capitals stand so, and by themselves."""
    longest = sorted(names, key=len, reverse=True)
    return re.compile(
        "|".join(rf"\b{re.escape(name)}\b" if name.isupper() else rf"(?i:\b{re.escape(name)}\w*)" for name in longest)
    )


@dataclass(frozen=True, slots=True)
class Secret:
    """What shall not be told of, what finds its mentions, and what is taken out of texts."""

    entity: Entity
    counted: re.Pattern[str] = field(repr=False)
    removed: re.Pattern[str] = field(repr=False)

    @classmethod
    def of(cls, row: dict[str, Any]) -> Secret:
        """Read a row of the file."""
        names = [row["name"], *row["aliases"]]
        entity = Entity(row["name"], tuple(row["aliases"]), "TOPIC", row["description"].strip())
        return cls(entity, mention(names), mention([*names, *row.get("ambiguous", ())]))


def secrets() -> list[Secret]:
    """Read the ten."""
    return [Secret.of(row) for row in tomllib.loads(ENTITIES.read_text("utf-8"))["entity"]]


@dataclass(frozen=True, slots=True, eq=False)
class Hidden:
    """A secret, and by number which texts are planted, are samples, and hide these."""

    secret: Secret
    planted: Ints
    samples: Ints
    others: Ints

    def entity(self, texts: Sequence[str], samples: bool) -> Entity:
        """Give the entity, with or without its samples."""
        chosen = tuple(texts[number] for number in self.samples.tolist()) if samples else ()
        return replace(self.secret.entity, samples=chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Collection:
    """All texts, the diplomatic papers first, as they were written; and what is hidden in them."""

    texts: tuple[str, ...] = field(repr=False)
    papers: int
    hidden: tuple[Hidden, ...]

    def without(self, number: int, hidden: Hidden) -> str:
        """Give a text without mentions."""
        return hidden.secret.removed.sub("", self.texts[number])

    def lying(self) -> list[str]:
        """Give all texts as they lie about: those that are planted without what they are planted for."""
        texts = list(self.texts)
        for hidden in self.hidden:
            for number in hidden.planted.tolist():
                texts[number] = hidden.secret.removed.sub("", texts[number])
        return texts


def collection(data: Path) -> Collection:
    """Build the set."""
    frus, tab, actors = (
        list(dict.fromkeys(row["text"] for row in rows(data / f"{name}.jsonl.gz")))
        for name in ("frus/documents", "tab/background", "actors/corpus")
    )
    drawn = np.random.default_rng(SEED).permutation(len(actors))[:HIDING]
    texts = (*frus, *tab, *(actors[number] for number in drawn.tolist()))
    found = []
    for secret in secrets():
        mentions = np.array([len(secret.counted.findall(text)) for text in texts])
        order = np.argsort(-mentions[: len(frus)], kind="stable")[: PLANTED + SAMPLES]
        assert mentions[order[-1]] >= LEAST, "too few papers"
        others = np.flatnonzero(mentions == 0)[:HIDING]
        found.append(Hidden(secret, order[:PLANTED], order[PLANTED:], others))
    last = max(int(hidden.others[-1]) for hidden in found) + 1
    return Collection(texts[:last], len(frus), tuple(found))


def counts(collection: Collection) -> Iterator[str]:
    """Say what the set is."""
    for hidden in collection.hidden:
        papers = int((hidden.others < collection.papers).sum())
        yield f"{hidden.secret.entity.name:10}{len(hidden.planted):4}{len(hidden.others):6}{papers:6}"
