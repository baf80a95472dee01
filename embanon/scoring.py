"""Score documents: from what is read to phrases with their risks, under attack where there is public text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from embanon.config.settings import PRESETS, Config
from embanon.document import Document
from embanon.entities.protected import NOBODY, Given, Protected
from embanon.errors import ConfigError
from embanon.linkage.exposure import Attackers, Exposure
from embanon.model.model import Model
from embanon.risk.explain import why
from embanon.risk.power import Rarity
from embanon.risk.score import Limits, Scored, Scorer
from embanon.risk.topic_model import Calibration
from embanon.text.find import NOTHING, Analysis, find_all


@dataclass(frozen=True, slots=True)
class Judged:
    """A document with its phrases, their risks, and who was to be protected."""

    analysis: Analysis
    scored: Scored
    protected: Protected = field(repr=False)
    rarity: Rarity
    """Where its rarity was counted."""
    calibration: Calibration | None = field(default=None, repr=False)
    """By which topics are measured; `None` without a model."""
    exposure: Exposure | None = None
    """Where there is public text about the first of the protected."""
    reached: bool = True
    """Whether the rank that was asked for is reached."""

    def to_dict(self, *, original: bool = False) -> dict[str, Any]:
        """Give it as the contract has it; entities are numbers, and phrases places, unless originals are asked for."""
        scored, text = self.scored, self.analysis.document.text
        phrases = []
        for place, phrase in enumerate(scored.phrases):
            owner = int(scored.owner[place])
            row: dict[str, Any] = {
                "start": phrase.start, "end": phrase.end, "type": phrase.type, "risk": _risk(scored.risk[place]),
                "entity": f"e{owner + 1}" if owner >= 0 else None, "why": why(scored, place, self.rarity.documents),
            }  # fmt: skip
            if original:
                known = 0 <= owner < len(self.protected.entities)
                row["text"] = text[phrase.start : phrase.end]
                row["name"] = self.protected.entities[owner].name if known else None
            phrases.append(row)
        attack = self.exposure.to_dict() if self.exposure else None
        return {
            "id": self.analysis.document.id, "risk": _risk(scored.highest), "anonymity": attack, "phrases": phrases,
            "unknown": scored.unknown,
        }  # fmt: skip

    def to_html(self, *, limit: float = PRESETS["standard"][0], original: bool = False) -> str:
        """Give the risks as a page that stands alone; the text is shown only with originals."""
        from embanon.report.page import of_judged

        return of_judged(self, limit, original=original)


def _risk(value: float) -> float | None:
    return None if value != value else round(float(value), 4)


def score_all(
    documents: Iterable[Document], given: Given, *, config: Config, model: Model | None = None,
    attackers: Attackers | None = None, rank: int = 0,
) -> Iterator[Judged]:  # fmt: skip
    """Find the phrases of documents and score them, in order.

    With `attackers`, say how far each document gives the first of its entities away; with a `rank`, raise risks until
    they rank it behind that.
    """
    wanted = config.score
    limits = Limits(
        wanted.attribution_limit, wanted.word_idf, wanted.scorer, wanted.lowest, wanted.limits.given()
    )  # fmt: skip
    scorers: dict[str, Scorer] = {}
    statistics = model.statistics if model is not None else NOTHING
    for analysis in find_all(documents, config=config, statistics=statistics):
        language, document = analysis.language, analysis.document
        scorer = scorers.get(language) or scorers.setdefault(language, Scorer(language, model, limits))
        protected = given.for_document(document.id, document.fields)
        if not protected:
            raise ConfigError(NOBODY)
        scored = scorer.score(
            document.text, analysis.phrases, analysis.sentences, protected.entities, protected.others,
            everyone=protected.everyone,
        )  # fmt: skip
        judged = Judged(analysis, scored, protected, scorer.rarity, scorer.calibration, reached=not rank)
        yield _attacked(judged, attackers, config.score.lowest, rank) if attackers else judged


def _attacked(judged: Judged, attackers: Attackers, limit: float, rank: int) -> Judged:
    entities = judged.protected.entities
    target = attackers.target(entities[0]) if entities else None
    if target is None:
        return judged
    text, scored, reached = judged.analysis.document.text, judged.scored, True
    if rank:
        scored, reached = attackers.hidden(text, scored, target, limit, rank)
    return replace(judged, scored=scored, exposure=attackers.exposed(text, scored, target, limit), reached=reached)
