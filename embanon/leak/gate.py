"""Let documents pass, or refuse them: by what they disclose of a policy's entities, without any ledger."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any, Final

from embanon.config.settings import PRESETS, Config
from embanon.document import Document
from embanon.io.read import STDIN
from embanon.leak.assessing import Assessor
from embanon.leak.ledger.rows import UNTOLD, Disclosed
from embanon.leak.near import Hinted
from embanon.leak.policy import Policy
from embanon.leak.sensitivity import SENSITIVE, Sensitivity
from embanon.model.shipped import DEFAULT, open_model

LISTED: Final = 8
"""Offsets that are listed."""
STRICT: Final = PRESETS["strict"][0]
"""The limit by which a document is masked that is refused, unless its own is lower."""

UNKNOWN_WORDS: Final = "most of its words are unknown, as of another language: nothing can be said of what it hints at"


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
    besides: bool = False
    """Whether it is named outside of the text."""

    def row(self, *, original: bool = False) -> dict[str, Any]:
        """Give it as JSON has it; names and texts with originals alone."""
        row: dict[str, Any] = {
            "entity": self.entity, "risk": round(self.risk, 4), "strength": round(self.strength, 4),
            "limit": self.limit, "phrases": [{"start": start, "end": end} for start, end in self.places],
        }  # fmt: skip
        row |= {"besides": True} if self.besides else {}
        if original:
            row["name"] = self.name
            row["phrases"] = [one | {"text": text} for one, text in zip(row["phrases"], self.texts, strict=True)]
        return row

    def said(self, *, original: bool = False) -> str:
        """Say it in a line."""
        entity = f"{self.entity} ({self.name})" if original else self.entity
        if self.besides:
            return f"{entity}: named in what is not its text, as scripts, fields and headers"
        places = (
            f"{start}-{end}{f' {text!r}' if original else ''}"
            for (start, end), text in zip(self.places[:LISTED], self.texts[:LISTED], strict=True)
        )
        more = f" and {len(self.places) - LISTED} more" if len(self.places) > LISTED else ""
        count = f"{len(self.places)} {'phrase' if len(self.places) == 1 else 'phrases'}"
        where = f", {count} at {', '.join(places)}{more}" if self.places else ", by the whole of it"
        return f"{entity}: risk {self.risk:.2f}, limit {self.limit:g}, strongest phrase {self.strength:.2f}{where}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said of a document; it passes where there is no reason against it."""

    id: str
    reasons: tuple[Reason, ...]
    sensitivity: float | None = None
    """How likely it is sensitive, whatever it is about; -1 where that cannot be told, `None` if nobody asks."""
    above: float = 1.0
    """The lowest sensitivity that is refused."""
    untold: bool = False
    """Whether nothing can be said of what it hints at; what cannot be told is not let pass."""

    @property
    def sensitive(self) -> bool:
        """Say whether it is refused for what is in it, of whatever entity; what cannot be told is not let pass."""
        return self.sensitivity is not None and not 0 <= self.sensitivity < self.above

    @property
    def passes(self) -> bool:
        """Say whether nothing speaks against it."""
        return not (self.reasons or self.sensitive or self.untold)

    def row(self, left_out: Sequence[str] = (), *, original: bool = False) -> dict[str, Any]:
        """Give it as JSON has it."""
        reasons = [one.row(original=original) for one in self.reasons]
        row = {"id": self.id, "passes": self.passes and not left_out, "reasons": reasons, "left_out": list(left_out)}
        row |= {"untold": True} if self.untold else {}
        if self.sensitivity is None:
            return row
        stated = round(self.sensitivity, 4) if self.sensitivity >= 0 else None
        return {**row, "sensitivity": stated, "sensitive": self.sensitive}

    def said(self, *, original: bool = False) -> tuple[str, ...]:
        """Say in a line each why it is refused."""
        lines = tuple(one.said(original=original) for one in self.reasons)
        lines += (UNKNOWN_WORDS,) if self.untold else ()
        if not self.sensitive or self.sensitivity is None:
            return lines
        if self.sensitivity < 0:
            return (*lines, "sensitivity: most of its words are unknown, so that nothing can be said of it")
        return (*lines, f"sensitive by what is in it: {self.sensitivity:.2f}, limit {self.above:g}")


@dataclass(frozen=True, slots=True)
class Gate:
    """What lets documents pass."""

    policy: Policy = field(repr=False)
    assessor: Assessor = field(repr=False)
    limit: float | None = None
    label: str | None = None
    leaving: bool = False
    """That no folder and no label allows anything: the documents leave the company."""
    above: float = SENSITIVE
    """The lowest sensitivity that is refused, where that is asked."""
    skip_untold: bool = False
    """That documents of which hints can say nothing pass by their names."""

    @classmethod
    def of(
        cls, policy: Policy, folder: Path, config: Config, model: str | None = None, hints: Path | None = None, *,
        limit: float | None = None, label: str | None = None, leaving: bool = False, sensitivity: Path | None = None,
        above: float = SENSITIVE, skip_untold: bool = False,
    ) -> Gate:  # fmt: skip
        """Open what documents are assessed by; `folder` is that of the policy, where its samples lie."""
        entities = tuple(item.entity(folder) for item in policy.entities)
        language = config.phrases.default_language if config.language == "auto" else config.language
        near = Hinted.load(hints, entities, language) if hints else None
        least = policy.least if limit is None else min(policy.least, limit)
        opened = open_model(model) if model else None
        opinion = Sensitivity.load(sensitivity) if sensitivity else None
        assessor = Assessor(entities, least, config, opened, near, opinion)
        return cls(policy, assessor, limit, label, leaving, above, skip_untold)

    def judge(self, document: Document, path: str, besides: str = "") -> Verdict:
        """Say whether a document of a file may pass, with what is said `besides` its text."""
        assessed = self.assessor.assess([document])[0]
        found = (self._reason(number, told, path) for number, told in assessed.disclosed)
        reasons = (*filter(None, found), *self._besides(document, path, besides))
        reasons = tuple(sorted(reasons, key=lambda one: (one.besides, one.limit - one.risk, one.entity)))
        untold = assessed.unknown == UNTOLD and not self.skip_untold
        return Verdict(document.id, reasons, assessed.sensitivity, self.above, untold)

    def _besides(self, document: Document, path: str, text: str) -> Iterator[Reason]:
        """Give who is named outside of the text, whatever hints at anybody there."""
        if not text.strip():
            return
        (assessed,) = self.assessor.assess([Document(document.id, text, document.language)], names_alone=True)
        for number, told in assessed.disclosed:
            if told.strength == 1.0 and (reason := self._reason(number, told, path)):
                yield replace(reason, places=(), texts=(), besides=True)

    def _reason(self, number: int, told: Disclosed, path: str) -> Reason | None:
        item = self.policy.entities[number]
        limit = self.policy.threshold_of(item) if self.limit is None else self.limit
        labels = () if self.label is None else (self.label,)
        where = "" if path == STDIN else PurePath(path).as_posix()
        if told.risk < limit or (not self.leaving and item.allows(where, labels)):
            return None
        seen = sorted(told.phrases, key=lambda one: one.start)
        places = tuple((one.start, one.end) for one in seen)
        texts = tuple(str(one.phrase) for one in seen)
        return Reason(f"e{number + 1}", told.risk, told.strength, limit, places, item.name, texts)


def fix(
    verdicts: Sequence[Verdict], path: str, policy: str, *, model: str | None = None, format: str | None = None
) -> str:  # fmt: skip
    """Give the command that masks what tells in a file: names go through a pipe, never on the command line."""
    entities = sorted({one.entity for verdict in verdicts for one in verdict.reasons}, key=lambda one: int(one[1:]))
    model = None if model == DEFAULT else model  # which knows no topics
    known = PurePath("message.eml" if format == "eml" else "text.txt") if path == STDIN else PurePath(path)
    out = known.with_name(f"{known.stem}.anonymized{known.suffix}")
    limit = min([STRICT, *(one.limit for verdict in verdicts for one in verdict.reasons)])
    names = ["embanon", "leak", "entities", *entities, "--policy", policy, *([] if model else ["--names"])]
    words = ["embanon", "anonymize", _file(str(known)), "--entities", "-", "--method", "suppress"]
    words += ["--limit", f"{limit:g}"]
    words += ["--model", model] if model else []
    words += ["--format", format] if format and path != STDIN else []
    return f"{shlex.join(names)} | {shlex.join([*words, '-o', _file(str(out))])}"


def _file(name: str) -> str:
    """Give a file as no command takes for an option."""
    return f"./{name}" if name.startswith("-") else name
