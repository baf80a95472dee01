"""List the phrases of texts that have no ladder yet: what a taxonomy for them must know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from embanon.language import key
from embanon.taxonomy.climb import COMPUTED_ONLY_TYPES, PERSON, Climber
from embanon.taxonomy.ladders import Context
from embanon.text import Analysis


@dataclass(slots=True)
class MissingLabel:
    """What texts call something of which nothing is known, how often, and of which types it was taken to be."""

    language: str
    spellings: Counter[str] = field(default_factory=Counter, repr=False)
    types: Counter[str] = field(default_factory=Counter)
    forms: dict[str, None] = field(default_factory=dict, repr=False)
    """As a taxonomy may have it: as written, and of a description in the singular and without what is added."""

    @property
    def label(self) -> str:
        """Return how it is written most often."""
        return self.spellings.most_common(1)[0][0]

    @property
    def count(self) -> int:
        """Return how often the texts have it."""
        return self.types.total()


def missing_labels(analyses: Iterable[Analysis], climber_of: Callable[[str], Climber]) -> list[MissingLabel]:
    """Return the phrases whose ladder has no rung but a type, the most frequent first.

    Dates, numbers and codes are left out: their ladders are computed.
    """
    missing: dict[tuple[str, str], MissingLabel] = {}
    for analysis in analyses:
        climber = climber_of(analysis.language)
        for written, type, form, head in _without_rung(analysis, climber):
            label = missing.setdefault((analysis.language, key(written)), MissingLabel(analysis.language))
            label.spellings[written] += 1
            label.types[type] += 1
            label.forms.update(dict.fromkeys(climber.forms(written, type, form, head)))
    return sorted(missing.values(), key=lambda label: (-label.count, label.language, key(label.label)))


def _without_rung(analysis: Analysis, climber: Climber) -> Iterator[tuple[str, str, str, str]]:
    """Yield phrase, type, form and head."""
    text = analysis.document.text
    for phrase in analysis.phrases:
        written = " ".join(text[phrase.start : phrase.end].split())
        if phrase.type in COMPUTED_ONLY_TYPES or not any(map(str.isalpha, written)):
            continue
        head = text[phrase.head_start : phrase.head_end]
        context = Context.of_line(text, phrase.start, phrase.end, head)
        ladder = climber.climb(written, phrase.type, phrase.kind, phrase.form, context)
        if all(rung.is_bare or rung.kind == PERSON for rung in ladder.rungs):
            yield written, phrase.type, phrase.form, head
