"""Readers of annotated texts and system outputs in common formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from embanon.config import ScoreSettings
from embanon.errors import ConfigError, InputError
from embanon.io import LIMITS, STDIN, Limits
from embanon.measure.annotations import GoldDocument
from embanon.measure.formats import brat, scored, standoff, tab
from embanon.measure.formats.rows import JsonRow, first_object, objects, read_rows
from embanon.measure.formats.spans import OutputDocument, unique_by_id

GoldReader = Callable[[list[JsonRow]], Iterator[tuple[str, GoldDocument]]]
OutputReader = Callable[[list[JsonRow], float | None], Iterator[tuple[str, OutputDocument]]]


@dataclass(frozen=True, slots=True)
class AnnotationFormat:
    """How a format is recognized by the first value of a file, and its readers for gold and output."""

    matches: Callable[[Any], bool]
    gold: GoldReader | None = None
    output: OutputReader | None = None


EMBANON: Final = "embanon"
FORMATS: Final[dict[str, AnnotationFormat]] = {
    "tab": AnnotationFormat(tab.is_gold, gold=tab.golds),
    "peers": AnnotationFormat(standoff.is_peers, output=standoff.peers),
    "standoff": AnnotationFormat(standoff.is_lines, standoff.golds, standoff.outputs),
    EMBANON: AnnotationFormat(scored.is_embanon, output=scored.embanon_outputs),
    "presidio": AnnotationFormat(scored.is_presidio, output=scored.presidio_outputs),
    "masks": AnnotationFormat(tab.is_output, output=tab.outputs),
}
"""Name -> how it is recognized and read; the first match counts. A folder is brat's."""
UNREADABLE: Final = {
    "items": "is of Presidio's anonymizer, which gives offsets in the new text; take the results of its analyzer",
    "text": "has texts, but no spans in them (anonymize --publish leaves edits out: write it without); spans look like "
    'this: {"id": …, "text": …, "spans": [[start, end, type], …]}',
}
"""A key of what cannot be read -> what it is."""
BRAT: Final = "brat"
GOLD_FORMATS: Final = (*(name for name, one in FORMATS.items() if one.gold), BRAT)
OUTPUT_FORMATS: Final = (*(name for name, one in FORMATS.items() if one.output), BRAT)


@dataclass(frozen=True, slots=True)
class SystemOutput:
    """What a system masks of documents."""

    name: str
    documents: tuple[OutputDocument, ...] = field(repr=False)

    @property
    def has_scores(self) -> bool:
        """Return whether a limit chooses from its spans."""
        return any(one.has_scores for one in self.documents)


def read_gold(path: str, format: str | None = None, limits: Limits = LIMITS) -> tuple[GoldDocument, ...]:
    """Read texts and what people marked in them, at least one document."""
    if _is_brat(path, format):
        documents = brat.golds(path)
    else:
        data = read_rows(path, limits)
        if not data[0].value:
            raise InputError(f"{path}: has no document")
        name = format or _detect_format(data, path, "--gold-format", GOLD_FORMATS)
        reader = _known_format(name, GOLD_FORMATS, "--gold-format").gold
        if reader is None:
            raise InputError(f"{path}: is an output ({name}), not gold; first comes the output, then the gold")
        documents = reader(data)
    golds = tuple(unique_by_id((gold.id, where, gold) for where, gold in documents))
    if not golds:
        raise InputError(f"{path}: has no document")
    return golds


def read_output(
    path: str,
    format: str | None = None,
    limit: float | None = None,
    limits: Limits = LIMITS,
    *,
    risk: float = ScoreSettings().effective_limit,
) -> tuple[SystemOutput, ...]:
    """Read what systems mask, at least one; of scores and risks, what is at or above the limit.

    Without one, that is all that has a score, and of embanon's risks what is at or above the limit that they were
    scored with, else `risk`.
    """
    if _is_brat(path, format):
        documents = brat.outputs(path)
    else:
        data = read_rows(path, limits)
        name = format or _detect_format(data, path, "--format", OUTPUT_FORMATS)
        reader = _known_format(name, OUTPUT_FORMATS, "--format").output
        if reader is None:
            raise InputError(f"{path}: is gold ({name}), not an output; first comes the output, then the gold")
        documents = scored.embanon_outputs(data, limit, risk) if name == EMBANON else reader(data, limit)
    by_system: dict[str, list[tuple[str, OutputDocument]]] = {}
    for where, document in documents:
        by_system.setdefault(document.system or _stem(path), []).append((where, document))
    if not by_system:
        raise InputError(f"{path}: has no document")
    return tuple(SystemOutput(name, _unique_documents(some)) for name, some in by_system.items())


def read_texts(path: str, limits: Limits = LIMITS) -> tuple[GoldDocument, ...] | None:
    """Read texts of JSON that have an id, annotated or not; `None` where a file is something else."""
    if path != STDIN and Path(path).is_dir():
        return read_gold(path, limits=limits)
    if not path.lower().removesuffix(".gz").endswith((".json", ".jsonl")):
        return None
    named = (
        (row.where, GoldDocument(row.get("doc_id" if "doc_id" in row.value else "id", str), row.get("text", str), ()))
        for row in objects(read_rows(path, limits))
    )
    return tuple(unique_by_id((gold.id, where, gold) for where, gold in named))


def _unique_documents(documents: list[tuple[str, OutputDocument]]) -> tuple[OutputDocument, ...]:
    named = tuple(unique_by_id((one.id, where, one) for where, one in documents if one.id is not None))
    if named and len(named) < len(documents):
        raise InputError(f"{documents[0][0]}: some documents of this file have no id, and others have; write all by id")
    return named or tuple(one for _, one in documents)


def _is_brat(path: str, format: str | None) -> bool:
    folder = path != STDIN and Path(path).is_dir()
    if format == BRAT and not folder:
        raise InputError(f"{path}: is no folder; brat has a folder of .txt and .ann files")
    if folder and format not in (None, BRAT):
        raise InputError(f"{path}: is a folder; only brat has one, name a file")
    return folder


def _detect_format(data: list[JsonRow], path: str, option: str, choices: tuple[str, ...]) -> str:
    """Return the format, recognized by the first value."""
    first = data[0].value
    for name, known in FORMATS.items():
        if known.matches(first):
            return name
    for key, reason in UNREADABLE.items():
        if key in first_object(first):
            raise InputError(f"{path}: {reason}")
    raise InputError(f"{path}: its format is not known; name it: {option} {'|'.join(choices)}")


def _known_format(name: str, choices: tuple[str, ...], option: str) -> AnnotationFormat:
    if name not in FORMATS:
        raise ConfigError(f"{option} {name!r}: no such format; known: {', '.join(choices)}")
    return FORMATS[name]


def _stem(path: str) -> str:
    return "output" if path == STDIN else Path(path).name.partition(".")[0] or path
