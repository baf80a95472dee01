"""What tests of anonymizing share: a text in, its edits and the new text out."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from embanon.config.settings import Config, RiskLimits
from embanon.document import Document
from embanon.entities.entity import Entity
from embanon.entities.protected import ProtectedEntities, ProtectionRules
from embanon.replace.edit import Edit
from embanon.replace.methods import KeyedChoice, Methods
from embanon.replace.plan import Replacer
from embanon.replace.rewrite import Solution, rewrite
from embanon.risk.score import rarity_of
from embanon.scoring import ScoredDocument, score_all
from embanon.taxonomy.climb import climber
from embanon.taxonomy.store import SHIPPED

ADA = "Ada Berger"


@cache
def masker(limit: float = 0.645, method: str = "generalize", language: str = "en") -> Replacer:
    return Replacer(
        climber(SHIPPED, language),
        rarity_of(None, language),
        RiskLimits(limit),
        Methods(method, keyed=KeyedChoice(b"key")),
    )


def judge(
    text: str, protect: Sequence[str | Entity] = (ADA,), language: str = "en", everyone: bool = False
) -> ScoredDocument:
    entities = tuple(one if isinstance(one, Entity) else Entity(one) for one in protect)
    given = ProtectionRules(ProtectedEntities(entities, everyone=everyone))
    return next(iter(score_all([Document("x", text)], given, config=Config(language=language))))


def edits(text: str, mask: Replacer | None = None, protect: Sequence[str | Entity] = (ADA,)) -> list[Edit]:
    mask = mask or masker()
    judged = judge(text, protect, mask.climber.language)
    return mask.plan_edits(text, judged.scored, judged.analysis.sentences.tolist(), judged.protected.entities)


def anonymized(
    text: str, mask: Replacer | None = None, protect: Sequence[str | Entity] = (ADA,)
) -> tuple[str, list[Solution]]:
    return rewrite("x", text, edits(text, mask, protect))
