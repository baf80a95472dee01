"""Reports on an anonymized document: what was risky, what replaced it and why, and what remains.

Nothing here tells an original unless it is asked for; what is finer than a chosen rung counts as an original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from embanon.anonymizer import Anonymized, describe_remaining
from embanon.document import TYPES, Floats, Ints, entity_label
from embanon.linkage import FIRST_ENTITY, Attackers, Baseline, kept, measure_baselines, word_starts
from embanon.model import fitness_problem
from embanon.replace import SAFE, Edit
from embanon.risk import CorpusRarity, ScoredPhrases, describe_reason, explain_phrase, others_caution
from embanon.taxonomy import Climber

DISCLAIMER: Final = (
    "This report says what embanon found, and what it did. It is no verdict, legal or other, that a text is anonymous: "
    "an attacker may know more than the texts that were compared here."
)
SECRET: Final = "This report shows originals: it is as secret as the texts."
OWN: Final = "embanon"
GENERALIZED: Final = "generalized"
HOW: Final[Mapping[str, str]] = {
    "person": "tagged", "tag": "tagged", "suppress": "suppressed", "mask": "masked", "keep": "kept",
    "substitute": "substituted", "shift": "shifted",
}  # fmt: skip
"""The rung of an edit -> what was done; any other is a generalization."""
ALWAYS_COUNTED: Final = (GENERALIZED, "tagged", "suppressed")
"""What is counted even where nothing was done so."""
WARNING_BY_RUNG: Final[Mapping[str, str]] = {
    "mask": "characters were masked one by one: how long an original is can still be seen",
    "keep": "originals were kept: the text still has them",
}
"""The rung of an edit -> what a reader of the text must know."""
COLUMNS: Final = (
    "document", "at", "to", "type", "entity", "replacement", "risk", "replacement_risk", "rung", "how", "above", "why",
)  # fmt: skip
ORIGINALS: Final = ("finer", "original")
"""Columns that are only shown when asked for."""
DIGITS: Final = 4
COARSE: Final = 1
"""Digits of a risk that is published: all of them would tell how rare the original is."""


@dataclass(frozen=True, slots=True)
class ReportVisibility:
    """What a report may show: originals; or, if it is to be published, no ids and no exact numbers of an original."""

    shows_originals: bool = False
    is_public: bool = False

    def round_risk(self, value: float | None) -> float | None:
        """Round the risk of what stood there; `None` stays what it is."""
        return None if value is None else round(float(value), COARSE if self.is_public else DIGITS)


DEFAULT_VISIBILITY: Final = ReportVisibility()


@dataclass(frozen=True, slots=True)
class Report:
    """What is said of one document."""

    numbers: Mapping[str, Any]
    types: tuple[Mapping[str, Any], ...]
    baselines: tuple[Baseline, ...]
    """What embanon did, and then what plain rules would do."""
    edits: tuple[Mapping[str, Any], ...] = field(repr=False)
    cautions: tuple[str, ...]
    made_with: Mapping[str, str]

    @property
    def name(self) -> str:
        """Return the name of the document."""
        return str(self.numbers["id"])

    def to_dict(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            **self.numbers, "types": [dict(one) for one in self.types],
            "floors": [one.to_dict() for one in self.baselines], "edits": [dict(one) for one in self.edits],
            "cautions": list(self.cautions), "promise": DISCLAIMER, "embanon": dict(self.made_with),
        }  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class PhraseOutcomes:
    """The phrases of a document before and after."""

    before: Floats
    """Risks; 1 where nothing is known."""
    after: Floats
    edit_numbers: Ints
    """The number of the edit that a phrase is in; -1 where it stays."""

    @classmethod
    def from_anonymized(cls, document: Anonymized) -> PhraseOutcomes:
        """Find what became of each phrase."""
        phrases, masked = (
            document.scored_document.scored.phrases,
            document.scored_document.scored.at_least(document.limits),
        )
        starts, ends, risks = (
            np.array([getattr(edit, name) for edit in document.edits], kind)
            for name, kind in (("start", np.int64), ("end", np.int64), ("replacement_risk", np.float64))
        )
        first = np.searchsorted(ends, phrases.start, side="right")
        inside = masked & (first < np.searchsorted(starts, phrases.end))
        number = np.where(inside, first, -1)
        before = np.nan_to_num(document.scored_document.scored.risk, nan=1.0)
        # What is masked and in no edit is a mark of an earlier run.
        after = np.where(masked, SAFE, before)
        after[inside] = risks[number[inside]]
        return cls(before, after, number)

    def count_above(self, document: Anonymized) -> int:
        """Count the phrases that keep a risk at or above their limit."""
        return int((self.after >= document.scored_document.scored.limit_of_each(document.limits)).sum())


def build_report(
    document: Anonymized,
    number: int = 1,
    look: ReportVisibility = DEFAULT_VISIBILITY,
    attackers: Attackers | None = None,
) -> Report:
    """Return the full report on a document; a number replaces its id where the report is public."""
    outcome = PhraseOutcomes.from_anonymized(document)
    name = f"document {number}" if look.is_public else document.id
    compared = tuple(_compare_with_rules(document, attackers))
    numbers = {"id": name, **_numbers(document, outcome, look, compared[0].rank)}
    edits = tuple({"document": name, **row} for row in edit_rows(document, look))
    return Report(
        numbers, tuple(_by_type(document, outcome, look)), compared, edits,
        tuple(_cautions(document, outcome, attackers)), document_settings(document),
    )  # fmt: skip


def summary(document: Anonymized) -> dict[str, Any]:
    """Return the numbers of a document alone, which is quick."""
    return {"id": document.id, **_numbers(document, PhraseOutcomes.from_anonymized(document), DEFAULT_VISIBILITY, None)}


def _numbers(
    document: Anonymized, outcome: PhraseOutcomes, look: ReportVisibility, rank: float | None
) -> dict[str, Any]:
    exposure = document.scored_document.exposure
    anonymity = {**exposure.to_dict(), "written": rank} if exposure else None
    return {
        "language": document.scored_document.analysis.language, "phrases": len(outcome.before),
        "masked": int(document.scored_document.scored.at_least(document.limits).sum()),
        "replaced": int((outcome.edit_numbers >= 0).sum()),
        "how": _count_actions(document, outcome.edit_numbers), "unknown": document.scored_document.scored.unknown_count,
        "risk_before": look.round_risk(np.max(outcome.before, initial=0.0)),
        "risk_after": round(float(np.max(outcome.after, initial=0.0)), DIGITS),
        "above": outcome.count_above(document), **document.limits.to_dict(), "anonymity": anonymity,
    }  # fmt: skip


def _count_actions(document: Anonymized, edits: Ints) -> dict[str, int]:
    """Count phrases by what was done with them."""
    done = Counter(edit_action(document.edits[number]) for number in edits.tolist() if number >= 0)
    return {name: done[name] for name in (*ALWAYS_COUNTED, *sorted(done.keys() - set(ALWAYS_COUNTED)))}


def edit_action(edit: Edit) -> str:
    """Return what an edit does."""
    return HOW.get(edit.rung, GENERALIZED)


def _by_type(document: Anonymized, outcome: PhraseOutcomes, look: ReportVisibility) -> Iterator[dict[str, Any]]:
    unknown = np.isnan(document.scored_document.scored.risk)
    for code, name in enumerate(TYPES):
        here = document.scored_document.scored.phrases.type == code
        if here.any():
            yield {
                "type": name, "phrases": int(here.sum()), "unknown": int(unknown[here].sum()),
                "replaced": int((outcome.edit_numbers[here] >= 0).sum()), "how": _count_actions(document,
                outcome.edit_numbers[here]),
                "risk_before": look.round_risk(outcome.before[here].mean()),
                "risk_after": round(float(outcome.after[here].mean()), DIGITS),
            }  # fmt: skip


def _compare_with_rules(document: Anonymized, attackers: Attackers | None) -> Iterator[Baseline]:
    """Set what was done beside what plain rules would do; where there is a background, for its attacker as well."""
    text, scored, protected = (
        document.scored_document.analysis.document.text,
        document.scored_document.scored,
        document.scored_document.protected.entities,
    )
    target = attackers.find_target(protected[FIRST_ENTITY]) if attackers and protected else None

    def attack(read: str) -> float:
        assert attackers is not None
        assert target is not None
        return float(attackers.attack(read, target)["rank"])

    ask = attack if target is not None else None
    left = kept(word_starts(text), [(edit.start, edit.end) for edit in document.edits])
    yield Baseline(OWN, int(scored.at_least(document.limits).sum()), left, ask(document.text) if ask else None)
    yield from measure_baselines(text, scored, 1 - left if left is not None else 0.0, ask)


def edit_rows(document: Anonymized, look: ReportVisibility = DEFAULT_VISIBILITY) -> Iterator[dict[str, Any]]:
    """Return each edit with its reason."""
    # An edit may take in the word before its phrase, or several phrases: the reason is that of the riskiest.
    scored, counted = document.scored_document.scored, document.scored_document.rarity.documents
    starts, ends = scored.phrases.start, scored.phrases.end
    risks = np.nan_to_num(scored.risk, nan=1.0)
    for edit, solution in zip(document.edits, document.solutions, strict=True):
        first, last = int(np.searchsorted(ends, edit.start, side="right")), int(np.searchsorted(starts, edit.end))
        reason = explain_phrase(scored, first + int(np.argmax(risks[first:last])), counted)
        entity = entity_label(edit.entity) or ""
        above, finer = _coarser_and_finer(edit, document.climber)
        row: dict[str, Any] = {
            "at": solution.at, "to": solution.to, "type": edit.type, "entity": entity, "replacement": edit.replacement,
            "risk": look.round_risk(edit.risk), "replacement_risk": edit.replacement_risk, "rung": edit.rung,
            "how": edit_action(edit), "above": above, "why": describe_reason(reason, entity or "somebody",
            exact=not look.is_public),
        }  # fmt: skip
        if look.shows_originals:
            row |= {"finer": finer, "original": solution.original}
        yield row


def _coarser_and_finer(edit: Edit, climber: Climber | None) -> tuple[list[str], list[str]]:
    """Return what else is true wherever the chosen rung is, and what of its ladder tells more."""
    every = edit.ladder.rungs
    if edit.rung_index < 0 or climber is None:
        return [], [one.label for one in every]
    chosen = edit.ladder.harmless[edit.rung_index]
    place = next((place for place, rung in enumerate(every) if rung is chosen), len(every))
    harmless = {id(rung) for rung in edit.ladder.harmless}
    above = climber.labels_implied_by(chosen, [rung for rung in every[place + 1 :] if id(rung) in harmless])
    return list(above), [rung.label for rung in every if rung is not chosen and rung.label not in above]


def _cautions(document: Anonymized, outcome: PhraseOutcomes, attackers: Attackers | None) -> Iterator[str]:
    """Yield the cautions that a reader needs before any figures."""
    scored_document = document.scored_document
    if left := outcome.count_above(document):
        yield f"{left} of {len(outcome.after)} phrases keep a risk at or above the limit"
    if document.remaining_names:
        yield describe_remaining(document)
    if kept := int(scored_document.scored.kept_for_others(document.limits).sum()):
        yield others_caution(kept)
    if isinstance(scored_document.rarity, CorpusRarity):
        text, language = scored_document.analysis.document.text, scored_document.analysis.language
        if problem := fitness_problem(text, language, scored_document.rarity.model):
            yield f"{problem}; low risks mean little"
    if scored_document.analysis.uses_fallback:
        yield f"no tagger for {scored_document.analysis.language!r}: phrases are found by script alone"
    if unnamed := unnamed_caution(scored_document.scored):
        yield unnamed
    if attackers and not scored_document.exposure:
        yield "the background has no text about the entity: how an attacker ranks it is not known"
    if not scored_document.is_rank_reached:
        yield "the rank that was asked for is not reached"
    marks = sum(edit.rung == "suppress" and bool(edit.ladder.rungs) for edit in document.edits)
    if scored_document.scored.measured.entity is not None and marks:
        yield f"{marks} of {len(document.edits)} replacements are marks: no rung is known to be below the limit"
    for rung in dict.fromkeys(edit.rung for edit in document.edits):
        if rung in WARNING_BY_RUNG:
            yield WARNING_BY_RUNG[rung]


def unnamed_caution(scored: ScoredPhrases) -> str:
    """Return a warning of protected entities that a text does not name; nothing where it names them all."""
    names = ", ".join(f"e{number + 1}" for number in scored.unmentioned)
    return f"the text does not name {names}" if names else ""


def summary_line(numbers: Mapping[str, Any]) -> str:
    """Return a one-line summary of a document's figures."""
    done = ", ".join(f"{count:,} {name}" for name, count in numbers["how"].items() if count)
    parts = [
        f"{numbers['phrases']:,} phrases, {numbers['replaced']:,} replaced" + (f" ({done})" if done else ""),
        *([f"{numbers['unknown']:,} unknown"] if numbers["unknown"] else []),
        f"highest risk {numbers['risk_before']:.2f} before, {numbers['risk_after']:.2f} after",
    ]
    if attack := numbers["anonymity"]:
        after = attack["masked"]["rank"] if attack["written"] is None else attack["written"]
        parts.append(f"rank {attack['rank']:g} before, {after:g} after, of {attack['candidates']}")
    return "; ".join(parts)


def totals(numbers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the numbers of documents."""
    done = Counter[str]()
    for each in numbers:
        done.update(each["how"])
    added = {name: sum(one[name] for one in numbers) for name in ("phrases", "masked", "replaced", "unknown")}
    above = sum(one["above"] > 0 for one in numbers)
    highest = {name: max((one[name] for one in numbers), default=0.0) for name in ("risk_before", "risk_after")}
    return {"documents": len(numbers), **added, "how": dict(done), "above": above, **highest, "anonymity": None}


def document_settings(document: Anonymized) -> dict[str, str]:
    """Return the settings that are known of a single document."""
    return {**document.made_with, "limit": str(document.limits)}
