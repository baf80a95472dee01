"""Texts as they would be published: scored once, then masked by a limit and a method; and who attacks them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from embanon.attack.clues import blank_placeholders
from embanon.config.settings import RiskLimits, ScoreSettings
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.linkage.attackers import Attacker, Background, CharacterGrams, count_words, ranks
from embanon.linkage.baselines import remove_spans, spans_where
from embanon.model.model import Model
from embanon.replace.checks import LinkageGain
from embanon.replace.edit import Edit
from embanon.replace.methods import Methods
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import rewrite
from embanon.risk.power import CorpusRarity
from embanon.risk.score import ScoredPhrases, Scorer
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from embanon.text.find import find_all
from eval.boundaries import Span, rows
from eval.labeled import CONFIG, Collection, named, sources

STANDARD: Final = 0.645
UNSAID: Final = ("tag", "suppress", "type", "mask")
"""What an edit may be that says no more than the type."""
COUNTED: Final = ("actors/corpus", "wikibios/gold")
"""The texts that models of these measurements are trained on."""

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """A text that is scored for whom it is about."""

    name: str = field(repr=False)
    text: str = field(repr=False)
    sentences: list[int]
    scored: ScoredPhrases

    def published(self, masker: Replacer, known: tuple[Background, int] | None = None) -> Published:
        """Mask it; with a background, and whose text is in it, by labels that give little back to who has it."""
        tests = []
        if known is not None:
            rest = remove_spans(self.text, spans_where(self.scored.phrases, self.scored.at_least(masker.limits)))
            tests.append(LinkageGain.for_document(rest, *known).is_small)
        edits = masker.plan_edits(self.text, self.scored, self.sentences, [Entity(self.name)], tests=tests)
        return Published(self, tuple(edits), rewrite("", self.text, edits)[0])


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """A text with its edits, and as it reads after them."""

    case: Case
    edits: tuple[Edit, ...]
    after: str = field(repr=False)

    def kept(self) -> tuple[int, int]:
        """Count the words that are left, and all."""
        text = self.case.text
        gone = sum(len(re.findall(r"\w+", text[edit.start : edit.end])) for edit in self.edits)
        total = len(re.findall(r"\w+", text))
        return total - gone, total

    def inside(self, edit: Edit) -> Iterator[int]:
        """Return the numbers of the phrases that an edit stands for."""
        phrases = self.case.scored.phrases
        first = int(np.searchsorted(phrases.end, edit.start, "right"))
        yield from range(first, int(np.searchsorted(phrases.start, edit.end, "left")))


def trained(data: Path, folder: Path, *, epochs: int = 1, dimensions: int = 16) -> Model:
    """Train a model on the actors and the biographies; counts do not depend on epochs and dimensions."""
    collection = Collection.of(chain.from_iterable(sources(data, file) for file in COUNTED))
    return collection.train(folder / "model", epochs=epochs, dimensions=dimensions)


def scored(documents: Sequence[tuple[str, str]], model: Model, preset: str = "standard") -> Iterator[Case]:
    """Score texts, each for the name that it is about."""
    scorer = Scorer("en", model, ScoreSettings(preset=preset))
    texts = [Document("", text, "en") for _, text in documents]
    for (name, text), analysis in zip(
        documents, find_all(texts, config=CONFIG, statistics=model.statistics), strict=True
    ):
        found = scorer.score(text, analysis.phrases, analysis.sentences, [Entity(name)])
        yield Case(name, text, analysis.sentences.tolist(), found)


def masker(model: Model, limit: float = STANDARD, method: str = "generalize") -> Replacer:
    """Return what masks, with the shipped taxonomies."""
    return Replacer(climber(SHIPPED, "en"), CorpusRarity(model), RiskLimits(limit), Methods(method))


def masked(cases: Iterable[Case], model: Model, limit: float = STANDARD, method: str = "generalize") -> list[Published]:
    """Mask texts."""
    one = masker(model, limit, method)
    return [case.published(one) for case in cases]


def annotated(data: Path, name: str) -> list[tuple[str, str]]:
    """Return the names and texts of an annotated set."""
    return [(given(name, row), row["text"]) for row in rows(data / name / "gold.jsonl.gz")]


def given(name: str, row: dict[str, Any]) -> str:
    """Return the name to protect: the first that people marked as direct; ids have lost accents and more."""
    for annotation in row["annotations"].values() if name == "wikibios" else ():
        for one in annotation["entity_mentions"]:
            if one["entity_type"] == "PERSON" and one["identifier_type"] == "DIRECT":
                return str(row["text"][one["start_offset"] : one["end_offset"]])
    return named(name, str(row["doc_id"]))


def spans(edits: Iterable[Edit]) -> list[Span]:
    """Return where edits stand."""
    return [(edit.start, edit.end) for edit in edits]


def is_general(edit: Edit) -> bool:
    """Return whether a rung that says more than the type stands there."""
    return edit.rung not in UNSAID


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """The actors with a summary and the rest of an article, all as candidates, and who looks for them."""

    names: list[str] = field(repr=False)
    texts: list[str] = field(repr=False)
    background: Background
    attackers: dict[str, Attacker]

    @classmethod
    def of(cls, data: Path) -> Attacked:
        """Read them."""
        known = {
            row.get("title") or row["id"]: row["text"] for row in rows(data / "wikiactors/background_500.jsonl.gz")
        }
        documents = [
            (source.entity, source.document.text)
            for source in sources(data, "actors/corpus")
            if source.entity and source.entity in known
        ]
        names = [name for name, _ in documents]
        background = Background.from_texts(names, [known[name] for name in names])
        attackers: dict[str, Attacker] = {
            "TF-IDF": background.tfidf,
            "BM25": background.bm25,
            "4-grams": CharacterGrams.from_texts([known[name] for name in names]),
        }
        return cls(names, [text for _, text in documents], background, attackers)

    @property
    def documents(self) -> list[tuple[str, str]]:
        """Return whom each text is about, and the text."""
        return list(zip(self.names, self.texts, strict=True))

    def top(self, found: Sequence[Published], true: Ints | None = None) -> dict[str, float]:
        """Return how often each attacker finds the right one, placeholders left out."""
        true = np.arange(len(found)) if true is None else true
        bags = [count_words(blank_placeholders(one.after)) for one in found]
        return {
            name: float((ranks(np.stack([attacker.scores(one) for one in bags]), true) < 2).mean())
            for name, attacker in self.attackers.items()
        }
