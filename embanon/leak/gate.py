"""The gate: documents pass or are refused by what they disclose of a policy's entities, without a ledger."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final

from embanon.config import PRESETS, Config
from embanon.document import Document
from embanon.io import STDIN, count_noun
from embanon.leak.assessor import Assessor
from embanon.leak.ledger.records import MOSTLY_UNKNOWN, EntityDisclosure
from embanon.leak.originals import NameHider
from embanon.leak.policy import Policy
from embanon.leak.sensitivity import SENSITIVE_ABOVE
from embanon.model import DEFAULT

MAX_LISTED_PHRASES: Final = 8
"""Offsets that are listed."""
STRICT_LIMIT: Final = PRESETS["strict"][0]
"""The limit by which a document is masked that is refused, unless its own is lower."""

UNKNOWN_WORDS: Final = "unknown: most of its telling words are in no list, as of another language; names alone count"


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a document is refused."""

    entity: str
    risk: float
    strength: float
    limit: float
    places: tuple[tuple[int, int], ...]
    name: str = field(default="", repr=False)
    texts: tuple[str, ...] = field(default=(), repr=False)
    is_outside_text: bool = False
    """Whether it is named outside of the text."""
    near_copy_of: str | None = None
    """A document that discloses it, of which a passage stands in this one, or nearly."""

    def row(self, *, original: bool = False) -> dict[str, Any]:
        """Return it as JSON has it; names and texts with originals alone."""
        row: dict[str, Any] = {
            "entity": self.entity, "risk": round(self.risk, 4), "strength": round(self.strength, 4),
            "limit": self.limit, "phrases": [{"start": start, "end": end} for start, end in self.places],
        }  # fmt: skip
        row |= {"besides": True} if self.is_outside_text else {}
        row |= {"near_copy_of": self.near_copy_of} if self.near_copy_of is not None else {}
        if original:
            row["name"] = self.name
            row["phrases"] = [one | {"text": text} for one, text in zip(row["phrases"], self.texts, strict=True)]
        return row

    def describe(self, *, original: bool = False) -> str:
        """Return it as a line."""
        entity = f"{self.entity} ({self.name})" if original else self.entity
        if self.is_outside_text:
            return f"{entity}: named in what is not its text, as scripts, fields and headers"
        listed = list(zip(self.places, self.texts, strict=True))[:MAX_LISTED_PHRASES]
        places = (f"{start}-{end}{f' {text!r}' if original else ''}" for (start, end), text in listed)
        more = f" and {len(self.places) - MAX_LISTED_PHRASES} more" if len(self.places) > MAX_LISTED_PHRASES else ""
        phrases = f"{count_noun(len(self.places), 'phrase')} at {', '.join(places)}{more}"
        where = f", {phrases if self.places else 'by the whole of it'}"
        where += f"; near copy of {self.near_copy_of}" if self.near_copy_of is not None else ""
        return f"{entity}: risk {self.risk:.2f}, limit {self.limit:g}, strongest phrase {self.strength:.2f}{where}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a document; it passes where there is no reason against it."""

    id: str
    reasons: tuple[Reason, ...]
    sensitivity: float | None = None
    """The probability that it is sensitive as a whole; -1 where unknown, `None` if not asked for."""
    sensitivity_limit: float = 1.0
    """The lowest sensitivity that is refused."""
    is_unknown: bool = False
    """Whether nothing can be said of what it hints at."""
    passes_unknown: bool = False
    """Whether it passes then all the same, by its names."""

    @property
    def is_sensitive(self) -> bool:
        """Return whether it is refused for its contents, whatever the entity; the unknown is refused."""
        return self.sensitivity is not None and not 0 <= self.sensitivity < self.sensitivity_limit

    @property
    def is_refused(self) -> bool:
        """Return whether something speaks against it."""
        return bool(self.reasons) or self.is_sensitive

    @property
    def passes(self) -> bool:
        """Return whether nothing speaks against it, and enough is known of it."""
        return not self.is_refused and (not self.is_unknown or self.passes_unknown)

    def row(self, left_out: Sequence[str] = (), *, original: bool = False) -> dict[str, Any]:
        """Return it as JSON has it."""
        reasons = [one.row(original=original) for one in self.reasons]
        row = {"id": self.id, "passes": self.passes and not left_out, "reasons": reasons, "left_out": list(left_out)}
        row |= {"unknown": True} if self.is_unknown else {}
        if self.sensitivity is None:
            return row
        stated = round(self.sensitivity, 4) if self.sensitivity >= 0 else None
        return {**row, "sensitivity": stated, "sensitive": self.is_sensitive}

    def describe(self, *, original: bool = False) -> tuple[str, ...]:
        """Return the reasons of a refusal, and whether it is unknown, a line each."""
        lines = tuple(one.describe(original=original) for one in self.reasons)
        lines += (UNKNOWN_WORDS,) if self.is_unknown else ()
        if not self.is_sensitive or self.sensitivity is None:
            return lines
        if self.sensitivity < 0:
            return (*lines, "sensitivity: most of its words are unknown, so that nothing can be said of it")
        return (*lines, f"sensitive by what is in it: {self.sensitivity:.2f}, limit {self.sensitivity_limit:g}")


@dataclass(frozen=True, slots=True)
class Gate:
    """Judges whether documents may pass."""

    policy: Policy = field(repr=False)
    assessor: Assessor = field(repr=False)
    limit: float | None = None
    label: str | None = None
    leaving: bool = False
    """Whether documents leave the company, so that no folder and no label allows anything."""
    sensitivity_limit: float = SENSITIVE_ABOVE
    """The lowest sensitivity that is refused, where that is asked."""
    passes_unknown: bool = False
    """Whether documents with mostly unknown words pass if they name nobody."""

    @classmethod
    def open(
        cls, policy: Policy, folder: Path, config: Config, model: str | None = None, hints: Path | None = None, *,
        limit: float | None = None, label: str | None = None, leaving: bool = False, sensitivity: Path | None = None,
        above: float = SENSITIVE_ABOVE, pass_unknown: bool = False, copies: Path | None = None,
    ) -> Gate:  # fmt: skip
        """Open what documents are assessed by; `folder` is that of the policy, where its samples lie."""
        limit = policy.gate.limit if limit is None and policy.gate.limit != -1 else limit
        least = policy.least if limit is None else min(policy.least, limit)
        assessor = Assessor.open(policy, folder, config, model, hints, sensitivity, least, copies)
        return cls(policy, assessor, limit, label, leaving, above, pass_unknown or policy.gate.unknown == "warn")

    def judge(self, document: Document, path: str, besides: str = "") -> Verdict:
        """Return whether a document of a file may pass, with what is said `besides` its text."""
        assessed = self.assessor.assess([document])[0]
        refusals = (self._find_reason(number, told, path) for number, told in assessed.disclosed)
        reasons = (*filter(None, refusals), *self._check_outside_text(document, path, besides))
        reasons = tuple(sorted(reasons, key=lambda one: (one.is_outside_text, one.limit - one.risk, one.entity)))
        unknown = assessed.unknown == MOSTLY_UNKNOWN
        return Verdict(document.id, reasons, assessed.sensitivity, self.sensitivity_limit, unknown, self.passes_unknown)

    def _check_outside_text(self, document: Document, path: str, text: str) -> Iterator[Reason]:
        """Return who is named outside of the text, whatever hints at anybody there."""
        if not text.strip():
            return
        (assessed,) = self.assessor.assess([Document(document.id, text, document.language)], names_alone=True)
        for number, disclosure in assessed.disclosed:
            if disclosure.strength == 1.0 and (reason := self._find_reason(number, disclosure, path)):
                yield replace(reason, places=(), texts=(), is_outside_text=True)

    def _find_reason(self, number: int, disclosure: EntityDisclosure, path: str) -> Reason | None:
        item = self.policy.entities[number]
        limit = self.policy.threshold_of(item) if self.limit is None else self.limit
        labels = () if self.label is None else (self.label,)
        where = "" if path == STDIN else PurePath(path).as_posix()
        if disclosure.risk < limit or (not self.leaving and item.allows(where, labels)):
            return None
        seen = sorted(disclosure.phrases, key=lambda one: one.start)
        places = tuple((one.start, one.end) for one in seen)
        texts = tuple(str(one.phrase) for one in seen)
        source = disclosure.near_copy_of and NameHider.from_policy(self.policy)(disclosure.near_copy_of)
        return Reason(
            f"e{number + 1}", disclosure.risk, disclosure.strength, limit, places, item.name, texts, near_copy_of=source
        )


def masking_command(
    verdicts: Sequence[Verdict], path: str, policy: str, *, model: str | None = None, format: str | None = None
) -> str:  # fmt: skip
    """Return the command that masks what tells in a file: names go through a pipe, never on the command line."""
    entities = sorted({one.entity for verdict in verdicts for one in verdict.reasons}, key=lambda one: int(one[1:]))
    model = None if model == DEFAULT else model  # which knows no topics
    known = PurePath("message.eml" if format == "eml" else "text.txt") if path == STDIN else PurePath(path)
    out = known.with_name(f"{known.stem}.anonymized{known.suffix}")
    limit = min([STRICT_LIMIT, *(one.limit for verdict in verdicts for one in verdict.reasons)])
    names = ["embanon", "leak", "entities", *entities, "--policy", policy, *([] if model else ["--names"])]
    words = ["embanon", "anonymize", _escape_file_name(str(known)), "--entities", "-", "--method", "suppress"]
    words += ["--limit", f"{limit:g}"]
    words += ["--model", model] if model else []
    words += ["--format", format] if format and path != STDIN else []
    return f"{shlex.join(names)} | {shlex.join([*words, '-o', _escape_file_name(str(out))])}"


def _escape_file_name(name: str) -> str:
    """Return a file as no command takes for an option."""
    return f"./{name}" if name.startswith("-") else name
