"""What tests of anonymizing share: a text in, its edits and the new text out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from embanon.config.settings import RiskLimits, ScoreSettings
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities
from embanon.replace.edit import Edit
from embanon.replace.methods import KeyedChoice, Methods
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import Solution, rewrite
from embanon.risk.power import scale_score
from embanon.risk.score import Scorer, rarity_of
from embanon.scoring import ScoredDocument
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED
from embanon.text.analyzer import load_grammar
from embanon.text.find import Analysis, find_in_text

ADA = "Ada Berger"


@cache
def masker(half_score: float = 0.645, method: str = "generalize", language: str = "en") -> Replacer:
    """Return what replaces phrases from half a score on, whatever risk that is worth."""
    return Replacer(
        climber(SHIPPED, language),
        rarity_of(None, language),
        RiskLimits(float(scale_score(np.array(2 * half_score)))),
        Methods(method, keyed=KeyedChoice(b"key")),
    )


def judge(
    text: str, protect: Sequence[str | Entity] = (ADA,), language: str = "en", everyone: bool = False
) -> ScoredDocument:
    entities = tuple(one if isinstance(one, Entity) else Entity(one) for one in protect)
    phrases, sentences = find_in_text(load_grammar(language), text)  # what is tested is what stands instead of phrases
    scorer = Scorer(language, settings=ScoreSettings(others="keep"))
    scored = scorer.score(text, phrases, sentences, entities, everyone=everyone)
    analysis = Analysis(Document("x", text), phrases, language, False, sentences)
    protected = ProtectedEntities(entities, everyone=everyone)
    return ScoredDocument(analysis, scored, protected, scorer.rarity, RiskLimits(0.5))


def edits(text: str, mask: Replacer | None = None, protect: Sequence[str | Entity] = (ADA,)) -> list[Edit]:
    mask = mask or masker()
    judged = judge(text, protect, mask.climber.language)
    return mask.plan_edits(text, judged.scored, judged.analysis.sentences.tolist(), judged.protected.entities)


def anonymized(
    text: str, mask: Replacer | None = None, protect: Sequence[str | Entity] = (ADA,)
) -> tuple[str, list[Solution]]:
    return rewrite("x", text, edits(text, mask, protect))
