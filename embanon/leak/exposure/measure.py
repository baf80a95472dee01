"""From texts with their authors to what each author has disclosed of themself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

import numpy as np

from embanon.config import Config
from embanon.document import Phrase
from embanon.entities import Entity, Layout, fold_text
from embanon.errors import InputError
from embanon.leak.exposure.attributes import (
    FAMILY,
    AuthorExposure,
    Place,
    attribute_of,
    disclosed_key,
)
from embanon.leak.exposure.authored import Author, AuthoredText
from embanon.leak.exposure.ownership import find_ownership
from embanon.leak.exposure.quotes import split_text
from embanon.model import Model
from embanon.risk import Scorer, confidential_category, is_everyday_kin
from embanon.text import NO_STATISTICS, Analysis, find_all, with_repeats

BATCH_TEXTS: Final = 64
"""Texts that are read together."""
LEAST_OWN: Final = 0.45
"""The chance of speaking of the author from which a phrase counts."""
LEAST_RISK: Final = 0.28
"""The risk from which a phrase helps to single somebody out: that of the strict preset."""
LEAST_CONFIDENTIAL: Final = 0.1
"""The same of what is confidential, which counts whether it singles out or not."""
DIRECT_RISK: Final = 0.645
MAX_NAMES: Final = 20
"""Names of an author that are looked for."""
MAX_AUTHORS: Final = 1_000_000
CODE: Final = "CODE"
NAME, CONTACT, DATE, BIRTH = "name", "contact", "date", "birth"
BIRTH_REACH: Final = 20
"""Characters between a word such as *born* and a date."""


@dataclass(slots=True)
class ExposureMeter:
    """Adds up what authors disclose, text by text."""

    config: Config
    model: Model | None = None
    unknown: int = 0
    """Texts of which nobody knows who wrote them."""
    authors: dict[str, AuthorExposure] = field(default_factory=dict, repr=False)
    _names: dict[str, dict[str, None]] = field(default_factory=dict, repr=False)
    _scorers: dict[str, Scorer] = field(default_factory=dict, repr=False)

    def add_all(self, texts: Iterable[AuthoredText]) -> None:
        """Read texts, some together."""
        remaining = iter(texts)
        while batch := list(islice(remaining, BATCH_TEXTS)):
            known = [one for one in batch if one.author]
            self.unknown += len(batch) - len(known)
            statistics = self.model.statistics if self.model is not None else NO_STATISTICS
            analyses = find_all([one.document for one in known], config=self.config, statistics=statistics)
            for text, analysis in zip(known, analyses, strict=True):
                self._add(text, analysis)

    def _add(self, written: AuthoredText, analysis: Analysis) -> None:
        assert written.author
        author, names = self._known_author(written.author)
        text, language = analysis.document.text, analysis.language
        phrases = with_repeats(text, analysis.phrases, language)
        scorer = self._scorers.get(language)
        if scorer is None:
            settings = replace(self.config.score, preset="standard", scorer="risk", others="keep")
            scorer = self._scorers[language] = Scorer(language, self.model, settings)
        entity = Entity(names[0] if names else written.author.key, names[1:])
        scored = scorer.score(text, phrases, analysis.sentences, [entity])
        parts = split_text(text, language, written.headers)
        layout = Layout.from_text(text, language)
        owned = find_ownership(layout, scored, analysis.sentences, parts)
        author.count_text(len(text) - sum(end - start for start, end in parts.quoted), written.day)
        risk = np.nan_to_num(scored.measured.risk, nan=1.0)
        risk = np.where(scored.named, 1.0, risk)
        for place in np.flatnonzero(owned.chance >= LEAST_OWN).tolist():
            phrase, chance = scored.phrases[place], float(owned.chance[place])
            words = text[phrase.start : phrase.end]
            category = confidential_category(phrase.kind)
            if risk[place] < (LEAST_CONFIDENTIAL if category else LEAST_RISK) or is_everyday_kin(words, language):
                continue
            named, of_family = bool(scored.named[place]), bool(owned.is_family[place])
            attribute = self._attribute(phrase, layout, named=named)
            key = disclosed_key(attribute, words, of_family=of_family, is_own_name=attribute == NAME)
            is_direct = not of_family and (named or bool(phrase.type == CODE and risk[place] >= DIRECT_RISK))
            evidence = Place(analysis.document.id, phrase.start, phrase.end, chance, written.day, words)
            theirs = chance * float(min(risk[place], 1.0))
            author.add(key, evidence, theirs, is_direct=is_direct, confidential=category is not None, is_own_name=named)

    @staticmethod
    def _attribute(phrase: Phrase, layout: Layout, *, named: bool) -> str:
        """Return what a phrase tells of the author, or of whom else it names."""
        if named:
            return CONTACT if phrase.type == CODE else NAME
        attribute = attribute_of(phrase.kind)
        if attribute == DATE and layout.inside("personal", max(phrase.start - BIRTH_REACH, 0), phrase.start):
            return BIRTH
        return FAMILY if attribute == NAME else attribute

    def _known_author(self, author: Author) -> tuple[AuthorExposure, tuple[str, ...]]:
        """Return an author with the names known by now, the fullest first."""
        if author.key not in self.authors and len(self.authors) >= MAX_AUTHORS:
            raise InputError(f"more than {MAX_AUTHORS:,} authors; measure fewer texts at a time")
        names = self._names.setdefault(author.key, {})
        for name in author.names:
            if len(names) < MAX_NAMES:
                names.setdefault(name)
        fullest = tuple(sorted(names, key=lambda name: (-len(name.split()), -len(name), name)))
        exposure = self.authors.setdefault(author.key, AuthorExposure(author))
        exposure.author = Author(author.key, fullest)
        return exposure, fullest

    def result(self) -> list[AuthorExposure]:
        """Return authors, the most exposed first; who is only named is joined with the address of that name."""
        joined = dict(self._join_names())
        authors = {key: one for key, one in self.authors.items() if key not in joined}
        for key, owner in joined.items():
            authors[owner].merge(self.authors[key])
        return sorted(authors.values(), key=lambda one: (-one.bits, -one.texts, one.author.key))

    def _join_names(self) -> Iterator[tuple[str, str]]:
        """Yield authors who are only named, with the one address to which that name belongs."""
        owners = dict[str, set[str]]()
        for key, names in self._names.items():
            if "@" in key:
                for name in names:
                    owners.setdefault(fold_text(name), set()).add(key)
        for key in self.authors:
            if "@" not in key and len(owners.get(key, ())) == 1:
                yield key, next(iter(owners[key]))


def measure_exposure(
    texts: Iterable[AuthoredText], config: Config, model: Model | None = None
) -> list[AuthorExposure]:  # fmt: skip
    """Return what each author has disclosed of themself over all their texts, the most exposed first."""
    meter = ExposureMeter(config, model)
    meter.add_all(texts)
    return meter.result()
