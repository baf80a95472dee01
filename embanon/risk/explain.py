"""Explanations in words of why a phrase is risky."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from embanon.config import PRESETS
from embanon.document import FORMS, TYPES, entity_label
from embanon.model import Step
from embanon.risk.score import ScoredPhrases
from embanon.risk.scorers import STEP_LABELS

FORM_LABELS: Final = {"common": "phrase"}
HIGH_POWER: Final = PRESETS["standard"][0]
"""From how much of itself a phrase tells much, whatever its words."""


def explain_phrase(scored: ScoredPhrases, place: int, documents: int) -> dict[str, Any]:
    """Return what the risk of a phrase rests on, as values; `documents` is the number that rarity is counted in."""
    phrases, powers = scored.phrases, scored.powers
    held = int(powers.documents[place])
    reason: dict[str, Any] = {
        "kind": phrases.kinds[phrases.kind[place]] if phrases.kinds else TYPES[phrases.type[place]],
        "form": FORMS[phrases.form[place]],
        "power": _rounded(powers.power[place]),
        "rarity": _rounded(powers.rarity[place]),
        "documents": held if held >= 0 else None,
        "of": documents if held >= 0 else None,
        "attribution": _rounded(scored.attribution[place]),
        "subjects": scored.subject_count,
        "inherited": bool(powers.inherited[place]),
        "named": bool(scored.named[place]),
        "again": bool(scored.is_repeated[place]),
        "topical": bool(scored.topical[place]),
        "linked": bool(scored.linked[place]),
    }
    chance = scored.phrases.chance
    is_known = scored.measured.is_learned and chance is not None and not np.isnan(scored.risk[place])
    reason["chance"] = _rounded(float(chance[place])) if is_known and chance is not None else None
    measured = scored.measured
    if measured.entity is not None and measured.name is not None:
        steps, nearest = measured.steps, int(measured.entity[place])
        reason["cosine"] = _rounded(measured.risk[place])
        reason["nearest"] = entity_label(nearest)
        reason["name"] = int(measured.name[place]) if nearest >= 0 else None
        reason["step"] = None if steps is None else Step(int(steps[place])).name.lower()
    if scored.if_theirs is None:  # whomever it speaks of
        reason["attribution"] = None
    return reason


def _rounded(value: float) -> float | None:
    return None if value != value else round(float(value), 3)


def describe_reason(reason: dict[str, Any], entity: str, *, exact: bool = True) -> str:
    """Return `in 1 of 19,592 documents; speaks of e1 of 2 people here`; exact counts help whoever has the corpus."""
    parts = []
    if reason["named"]:
        parts.append(f"names {entity}")
    if "cosine" in reason:
        return "; ".join((*parts, *_similarity_parts(reason, exact=exact)))
    if reason["form"] == "reference":
        parts.append("refers to a rule, a page or the like, which anybody may")
    elif reason["form"] == "code":
        parts.append("a code, which stands for one person or thing")
    elif reason.get("chance") is not None:
        number = f" ({reason['chance']:.2f})" if exact else ""
        parts.append(f"{_chance_label(reason['chance'])} what identifies{number}")
    elif reason["power"] is None:
        parts.append("nothing is known of any of its words, so it counts as the riskiest")
    elif reason["documents"] is not None and not exact:
        parts.append(f"{_rarity_label(reason['rarity'] or 0)} in the texts that it was compared with")
    elif reason["documents"] is not None:
        parts.append(f"in {reason['documents']:,} of {reason['of']:,} documents")
    elif reason["rarity"] is not None:
        rare = f"{_rarity_label(reason['rarity'])} in the language at large"
        tells = rare.startswith("not") and reason["power"] > HIGH_POWER and not reason["named"]
        parts.append(
            f"a {FORM_LABELS.get(reason['form'], reason['form'])} tells much, though its words are {rare}"
            if tells
            else rare
        )
    if reason["inherited"]:
        parts.append("stands with a name, date or number")
    if reason["again"]:
        parts.append("is risky at another place of this text")
    if reason["topical"]:
        parts.append(f"tells that the text is about {entity}")
    if reason["linked"]:
        parts.append(f"leads an attacker with public text to {entity}")
    if reason["subjects"] > 1 and not (reason["named"] or reason["topical"]) and reason["attribution"] is not None:
        how = (
            "speaks"
            if reason["attribution"] >= 0.5
            else "may speak"
            if reason["attribution"] >= 0.2
            else "hardly speaks"
        )
        parts.append(f"{how} of {entity} of {reason['subjects']} here ({reason['attribution']:.2f})")
    return "; ".join(parts)


def _similarity_parts(reason: dict[str, Any], *, exact: bool) -> Iterator[str]:
    """Yield how similar a phrase is to which name, and how it was looked up."""
    if reason["cosine"] is None and reason["step"] not in (None, "unknown"):
        yield "no name to compare it with is known to the model, so it counts as the riskiest"
    elif reason["cosine"] is None:
        yield "its words are unknown to the model, so it counts as the riskiest"
    else:
        name = f"alias {reason['name']}" if reason["name"] else "name"
        whose = f"{reason['nearest']}'s {name}"
        step = f", looked up {STEP_LABELS[Step[reason['step'].upper()]]}" if reason["step"] else ", read in its text"
        yield f"cosine {reason['cosine']:.{2 if exact else 1}f} to {whose}{step}"
    if reason["again"]:
        yield "is nearer at another place of this text, or by another name"
    if reason["linked"]:
        yield f"leads an attacker with public text to {reason['nearest'] or 'somebody'}"


def _chance_label(chance: float) -> str:
    return "reads as" if chance >= 0.7 else "may be" if chance >= 0.2 else "hardly"


def _rarity_label(rarity: float) -> str:
    return "very rare" if rarity >= 0.9 else "rare" if rarity >= 0.6 else "not rare" if rarity >= 0.3 else "common"


def others_caution(count: int) -> str:
    """Return what is said of phrases that stay because they speak of others."""
    stays = "1 risky phrase stays because it speaks" if count == 1 else f"{count} risky phrases stay because they speak"
    return f"{stays} of others; --others mask replaces what does"
