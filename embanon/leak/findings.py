"""The findings of a ledger report, and its heat map of entities × folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from embanon.leak.alerts import Alert
from embanon.leak.ledger.lookups import SensitivitySummary
from embanon.leak.ledger.report import DocumentChange, EntityKnowledge, HeatCell, LedgerSummary, UserHistory


@dataclass(frozen=True, slots=True)
class QuotedPhrase:
    """A phrase in a document, as half-open code points."""

    start: int
    end: int
    risk: float
    text: str | None = field(default=None, repr=False)
    """As it is written, where that can be known."""


@dataclass(frozen=True, slots=True)
class LearnedPhrase:
    """A phrase that somebody knows, since when and from where."""

    document: str
    entity: str
    day: int
    risk: float
    text: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What a document discloses of an entity."""

    number: int
    """Of the entity, in the ledger."""
    entity: str
    risk: float
    strength: float
    phrases: int
    worth: float
    allowed: bool
    above: bool
    """Whether the risk is at or above the threshold."""
    places: tuple[QuotedPhrase, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedDocument:
    """A document, what it would cost if it got out, and why: what costs most first."""

    version: int
    document: str
    folder: str
    label: str | None
    worth: float
    told: tuple[Disclosure, ...]
    sensitivity: float | None = None
    """How likely it is sensitive as a whole; `None` where that is not known."""
    near_copy_of: str | None = None
    """A document that it, or a passage of it, nearly repeats."""

    @property
    def title(self) -> str:
        """Return what it is called, with what it nearly repeats."""
        return self.document + (f" (near copy of {self.near_copy_of})" if self.near_copy_of else "")

    @property
    def disallowed(self) -> tuple[Disclosure, ...]:
        """Return what it discloses where it may not."""
        return tuple(one for one in self.told if one.above and not one.allowed)


@dataclass(frozen=True, slots=True)
class ScanChanges:
    """What a scan, or all from a day on, found otherwise than before."""

    at: int | None = None
    """When it began, in milliseconds since 1970; `None` without any scan."""
    ended: bool = True
    first: bool = False
    """Whether there was none before, so that everything is new."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Documents that are new, changed and gone, and whose risk is up and down."""
    rows: tuple[DocumentChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedEntity:
    """An entity of the policy, or one that only the ledger knows by now."""

    label: str
    name: str | None = field(repr=False)
    value: float
    threshold: float
    gone: bool = False
    """Whether the policy no longer has it."""


@dataclass(frozen=True, slots=True)
class ExplainedAlert:
    """An alert, its user, and what that user learnt."""

    alert: Alert
    user: str
    entity: str
    evidence: tuple[LearnedPhrase, ...]
    sentence: str


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a report says."""

    summary: LedgerSummary
    entities: tuple[ReportedEntity, ...]
    """Names only with originals."""
    top: tuple[ReportedDocument, ...]
    outside: tuple[ReportedDocument, ...]
    """Documents that disclose where they may not."""
    all_looked_through: bool
    """Whether those were sought among all documents, or among those worth most."""
    heat: tuple[HeatCell, ...]
    examples: Mapping[tuple[str, str], tuple[ReportedDocument, ...]] = field(repr=False)
    """Of cells, by folder and entity: documents that cost most; only with originals."""
    people: tuple[UserHistory, ...]
    learnt: Mapping[str, tuple[LearnedPhrase, ...]] = field(repr=False)
    """Of people: the most telling phrases that they know; only with originals."""
    knowers: tuple[EntityKnowledge, ...]
    alerts: int
    alarms: tuple[ExplainedAlert, ...]
    """The last ones of the alerts."""
    since: int
    """The day from which alerts are sought."""
    changes: ScanChanges
    currency: str = ""
    original: bool = False
    faults: int | None = None
    """How much in the ledger is not as it was written; `None`: nobody has looked."""
    opinions: SensitivitySummary = field(default_factory=SensitivitySummary)
    """How sensitive whole documents are, beside entities."""

    @property
    def violation_count(self) -> int:
        """Return how often a document discloses an entity where it may not."""
        return sum(cell.above for cell in self.heat)


# The heat map

MAX_FOLDERS: Final = 40
"""Rows of a heat map; the others are in the CSV."""
MAX_ENTITIES: Final = 12
"""Columns of it."""
MAX_EXAMPLES: Final = 2
"""Documents to which a cell opens."""


def mask_names(
    cells: Iterable[HeatCell], labels: Mapping[str, str], hide: Callable[[str], str]
) -> tuple[HeatCell, ...]:
    """Return the heat map by what stands for entities; folders whose names differ by what is hidden are one."""
    masked = dict[tuple[str, str], HeatCell]()
    for cell in cells:
        shown = replace(cell, entity=labels[cell.entity], folder=hide(cell.folder))
        other = masked.get((shown.folder, shown.entity))
        if other:
            bands = tuple(sum(both) for both in zip(shown.bands, other.bands, strict=True))
            shown = replace(shown, documents=sum(bands), above=shown.above + other.above, bands=bands)
        masked[shown.folder, shown.entity] = shown
    return tuple(masked.values())


def top_names(cells: Sequence[HeatCell], axis: str, most: int) -> list[str]:
    """Return the folders, or entities, that disclose most."""
    sums = defaultdict[str, list[int]](lambda: [0, 0])
    for cell in cells:
        counts = sums[getattr(cell, axis)]
        counts[0] += cell.above
        counts[1] += cell.documents
    return sorted(sums, key=lambda one: (-sums[one][0], -sums[one][1], one))[:most]


def pick_examples(
    cells: Sequence[HeatCell], documents: Iterable[ReportedDocument]
) -> dict[tuple[str, str], list[ReportedDocument]]:
    """Return documents for the cells that are shown; those that cost most come first."""
    folders, entities = set(top_names(cells, "folder", MAX_FOLDERS)), set(top_names(cells, "entity", MAX_ENTITIES))
    examples = defaultdict[tuple[str, str], list[ReportedDocument]](list)
    for document in documents:
        for disclosure in document.told:
            if document.folder in folders and disclosure.entity in entities and not disclosure.allowed:
                cell = examples[document.folder, disclosure.entity]
                if len(cell) < MAX_EXAMPLES:
                    cell.append(replace(document, told=(disclosure,)))
    return examples
