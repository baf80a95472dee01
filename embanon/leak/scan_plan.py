"""By what documents are scanned, and what became of them."""

from __future__ import annotations

from dataclasses import astuple, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final

from embanon.config import Config
from embanon.entities import Entity
from embanon.io import ReadOptions
from embanon.leak.assessor import Assessor
from embanon.leak.hint_scorer import PolicyHints
from embanon.leak.policy import Policy
from embanon.leak.sensitivity import SensitivityModel
from embanon.model import model_folder, open_model
from embanon.provenance import describe_provenance

VERSION: Final = 2
"""Of how risks are found: with another, all documents are scanned again."""


@dataclass(frozen=True, slots=True)
class ScanFile:
    """A file to scan."""

    path: str
    size: int = 0


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """By what documents are scanned; processes open it for themselves."""

    policy: Policy = field(repr=False)
    folder: Path
    """Of the policy, where its samples lie."""
    config: Config
    model: str | None = None
    reading: ReadOptions = field(default_factory=ReadOptions)
    format: str | None = None
    label_field: str | None = None
    """The field of JSON Lines, or the column, that says how a document is marked."""
    hints: Path | None = None
    """What hints at entities; learnt from the documents where it is not there."""
    relearn_hints: bool = False
    """Whether it is learnt again."""
    jobs: int = 1
    sensitivity: Path | None = None
    """What is sensitive as a whole, whatever it is about; without it nobody asks."""

    @property
    def language(self) -> str:
        """Return the language of names and hints."""
        return self.config.phrases.default_language if self.config.language == "auto" else self.config.language

    def entities(self) -> tuple[Entity, ...]:
        """Return the entities as texts are scored by them."""
        return tuple(item.entity(self.folder) for item in self.policy.entities)

    def assessor(self) -> Assessor:
        """Open what assesses documents."""
        entities, model = self.entities(), open_model(self.model) if self.model else None
        near = PolicyHints.load(self.hints, entities, self.language) if self.hints else None
        opinion = SensitivityModel.load(self.sensitivity) if self.sensitivity else None
        return Assessor(entities, self.policy.least, self.config, model, near, opinion)

    def fingerprint(self) -> bytes:
        """Return what all risks depend on."""
        made = describe_provenance(self.config, model_folder(self.model) if self.model else None, ())
        about = [(astuple(one), item.folders, item.labels)
                 for one, item in zip(self.entities(), self.policy.entities, strict=True)]  # fmt: skip
        hints = sha256(self.hints.read_bytes()).digest() if self.hints else b""
        opinion = [sha256(self.sensitivity.read_bytes()).digest()] if self.sensitivity else []
        told = repr(
            (VERSION, made["config"], made["model"], self.policy.least, about, self.label_field, hints, *opinion)
        )
        return sha256(told.encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True)
class ScanSummary:
    """What became of documents."""

    documents: int = 0
    scored: int = 0
    unchanged: int = 0
    copies: int = 0
    """That say word for word what another does."""
    near: int = 0
    """That nearly repeat another."""
    partial: int = 0
    """Of which a part cannot be read, as attachments."""
    gone: int = 0
    settled: int = 0
    """Accesses of before, to documents that were unknown until now."""
    left_out: list[str] = field(default_factory=list)
    """Files that could not be read, and why."""
    notes: list[str] = field(default_factory=list)
    faults: list[Exception] = field(default_factory=list, repr=False)
    """Of ours: documents that could not be scored."""
    names: set[str] = field(default_factory=set, repr=False)

    def counts(self) -> dict[str, int]:
        """Return what is written down of it."""
        return {
            "documents": self.documents, "scored": self.scored, "unchanged": self.unchanged, "copies": self.copies,
            "near": self.near, "partial": self.partial, "gone": self.gone,
            "left_out": len(self.left_out) + len(self.faults),
        }  # fmt: skip
