"""Score documents: from text to phrases with risks, under attack where there is public text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from embanon.config import RISK, Config, RiskLimits
from embanon.document import Document, entity_label
from embanon.entities import NOBODY_MESSAGE, ProtectedEntities, ProtectionRules
from embanon.errors import ConfigError
from embanon.linkage import Attackers, Exposure
from embanon.model import Model
from embanon.risk import (
    Rarity,
    ScoredPhrases,
    Scorer,
    TopicModel,
    confidential_category,
    describe_reason,
    explain_phrase,
    identifiers,
)
from embanon.taxonomy import named_entries
from embanon.text import NO_STATISTICS, Analysis, find_all, with_repeats, with_terms


@dataclass(frozen=True, slots=True)
class ScoredDocument:
    """A document with its phrases, their risks, and who was to be protected."""

    analysis: Analysis
    scored: ScoredPhrases
    protected: ProtectedEntities = field(repr=False)
    rarity: Rarity
    """Where its rarity was counted."""
    limits: RiskLimits
    """Those in force."""
    scorer: str = RISK
    """What risks are by."""
    calibration: TopicModel | None = field(default=None, repr=False)
    """By which topics are measured; `None` without a model."""
    exposure: Exposure | None = None
    """Where there is public text about the first of the protected."""
    is_rank_reached: bool = True
    """Whether the rank that was asked for is reached."""

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Return it as the contract has it.

        Entities are numbers, and phrases places, unless originals are asked for.
        """
        scored, text = self.scored, self.analysis.document.text
        phrases = []
        kinds = identifiers(scored)
        for place, phrase in enumerate(scored.phrases):
            owner = int(scored.owner[place])
            row: dict[str, Any] = {
                "start": phrase.start, "end": phrase.end, "type": phrase.type, "risk": _risk(scored.risk[place]),
                "entity": entity_label(owner), "why": explain_phrase(scored, place, self.rarity.documents),
                "identifier": kinds[place], "confidential": confidential_category(phrase.kind),
            }  # fmt: skip
            if original:
                known = 0 <= owner < len(self.protected.entities)
                row["text"] = text[phrase.start : phrase.end]
                row["name"] = self.protected.entities[owner].name if known else None
            phrases.append(row)
        attack = self.exposure.to_dict() if self.exposure else None
        return {
            "id": self.analysis.document.id, "risk": _risk(scored.highest_risk), "anonymity": attack,
            "phrases": phrases,
            "unknown": scored.unknown_count,
            "embanon": {"scorer": self.scorer, **self.limits.to_dict()},
        }  # fmt: skip

    def to_html(self, *, limit: float | None = None, original: bool = False) -> str:
        """Return the risks as a page that stands alone, with the limits in force unless another limit is asked for.

        The text is shown only with originals.
        """
        from embanon.report import scored_page

        return scored_page(self, self.limits if limit is None else RiskLimits(limit), original=original)

    @property
    def id(self) -> str:
        """Return the name of the document."""
        return self.analysis.document.id

    @property
    def text(self) -> str:
        """Return the text that was scored."""
        return self.analysis.document.text

    @property
    def phrases(self) -> tuple[ScoredPhrase, ...]:
        """Return the phrases with their risks, sorted by place; they are made anew each time."""
        return tuple(self)

    def __iter__(self) -> Iterator[ScoredPhrase]:
        for place, phrase in enumerate(self.scored.phrases):
            text, entity = self.text[phrase.start : phrase.end], entity_label(int(self.scored.owner[place]))
            why = describe_reason(explain_phrase(self.scored, place, self.rarity.documents), entity or "somebody")
            risk = _risk(self.scored.risk[place])
            yield ScoredPhrase(text, phrase.start, phrase.end, phrase.type, risk, entity, why)

    def __repr__(self) -> str:
        highest = f"{self.scored.highest_risk:.2f}"
        return f"ScoredDocument(id={self.id!r}, phrases={len(self.scored.phrases)}, highest_risk={highest})"

    def _repr_html_(self) -> str:
        return notebook_frame(self.to_html(original=True))


@dataclass(frozen=True, slots=True)
class ScoredPhrase:
    """A phrase of a text, with its risk for whom it gives away."""

    text: str = field(repr=False)
    start: int
    end: int
    type: str
    risk: float | None
    """From 0 to 1; `None` where nothing is known of it, which is above any limit."""
    entity: str | None
    """`e1` is the first of the protected; `None` where it gives nobody away."""
    why: str


def notebook_frame(page: str) -> str:
    """Return a page as a cell of a notebook shows it: in a frame, so that its style stays inside."""
    return f'<iframe sandbox srcdoc="{escape(page)}" style="width: 100%; height: 30em; border: 0"></iframe>'


def _risk(value: float) -> float | None:
    return None if value != value else round(float(value), 4)


def score_all(
    documents: Iterable[Document], given: ProtectionRules, *, config: Config, model: Model | None = None,
    attackers: Attackers | None = None, rank: int = 0, stores: Sequence[str] = (),
) -> Iterator[ScoredDocument]:  # fmt: skip
    """Find the phrases of documents and score them, in order; the entries of stores that the user names are phrases.

    With `attackers`, say how far each document gives the first of its entities away; with a `rank`, raise risks until
    they rank it behind that.
    """
    limits = config.score.effective_limits
    scorers: dict[str, Scorer] = {}
    statistics = model.statistics if model is not None else NO_STATISTICS
    for analysis in find_all(documents, config=config, statistics=statistics):
        language, document = analysis.language, analysis.document
        phrases = with_repeats(document.text, analysis.phrases, language)
        phrases = with_terms(document.text, phrases, named_entries(stores, language).spans(document.text), language)
        analysis = replace(analysis, phrases=phrases)
        scorer = scorers.get(language) or scorers.setdefault(language, Scorer(language, model, config.score))
        protected = given.for_document(document.id, document.fields)
        if not protected:
            raise ConfigError(NOBODY_MESSAGE)
        scored = scorer.score(
            document.text, analysis.phrases, analysis.sentences, protected.entities, protected.others,
            everyone=protected.everyone,
        )  # fmt: skip
        scored_document = ScoredDocument(
            analysis, scored, protected, scorer.rarity, limits, config.score.effective_scorer, scorer.calibration,
            is_rank_reached=not rank,
        )  # fmt: skip
        yield _under_attack(scored_document, attackers, rank) if attackers else scored_document


def _under_attack(scored_document: ScoredDocument, attackers: Attackers, rank: int) -> ScoredDocument:
    entities = scored_document.protected.entities
    target = attackers.find_target(entities[0]) if entities else None
    if target is None:
        return scored_document
    text, scored, reached = scored_document.analysis.document.text, scored_document.scored, True
    if rank:
        scored, reached = attackers.raise_until_hidden(text, scored, target, scored_document.limits, rank)
    exposure = attackers.measure_exposure(text, scored, target, scored_document.limits)
    return replace(scored_document, scored=scored, exposure=exposure, is_rank_reached=reached)
