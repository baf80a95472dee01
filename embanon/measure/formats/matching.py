"""Match a system's masks with annotations, document by document, and refuse what does not fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from embanon.errors import InputError
from embanon.measure.annotations import DocumentPair, GoldDocument, MaskedDocument, Mention
from embanon.measure.formats import SystemOutput
from embanon.measure.formats.spans import OutputDocument, check_mentions
from embanon.replace import splice

MAX_LISTED_IDS: Final = 3
"""Ids that a message lists."""
CAUSES: Final = "take both from the same file, with its line ends and byte-order mark as they were"


@dataclass(frozen=True, slots=True)
class MatchedOutput:
    """The documents of the gold with what a system masks of each."""

    system: str
    pairs: tuple[DocumentPair, ...] = field(repr=False)
    missing_ids: tuple[str, ...] = ()
    """Ids of documents that the output lacks."""
    extra_ids: tuple[str, ...] = ()
    """Ids of documents that the gold lacks, which are left out."""
    unchanged_count: int = 0
    """Spans whose replacement is what stood there: they mask nothing, and are left out."""


def match_output(golds: Sequence[GoldDocument], system: SystemOutput, *, lenient: bool = False) -> MatchedOutput:
    """Match by id, or by order where the output has no ids; if lenient, what is missing counts as not masked."""
    marked = {one.id: one for one in _with_ids(golds, system) if one.id is not None}
    known = {gold.id for gold in golds}
    empty = tuple(gold.id for gold in golds if gold.id not in marked)
    extra = tuple(id for id in marked if id not in known)
    if len(extra) == len(marked) and marked:
        raise InputError(f"{system.name}: no document is in the gold; the output has {list_ids(extra)}")
    if empty and not lenient:
        raise InputError(
            f"{system.name}: lacks {len(empty)} of {len(golds)} documents of the gold: {list_ids(empty)}; "
            "if nothing is masked there: --missing empty"
        )
    if extra and not lenient:
        raise InputError(
            f"{system.name}: has documents that the gold lacks ({len(extra)}): {list_ids(extra)}; to leave them out: "
            "--missing empty"
        )
    whole = [_pair(gold, marked.get(gold.id), system.name) for gold in golds]
    pairs = tuple(map(_without_unchanged, whole))
    kept = sum(len(one.output.mentions) for one in whole) - sum(len(one.output.mentions) for one in pairs)
    return MatchedOutput(system.name, pairs, empty, extra, kept)


def list_ids(ids: Iterable[str]) -> str:
    """Name the first of some ids."""
    first, *rest = [repr(id) for id in ids]
    more = len(rest) + 1 - MAX_LISTED_IDS
    return ", ".join([first, *rest[: MAX_LISTED_IDS - 1]]) + (f" and {more} more" if more > 0 else "")


def _with_ids(golds: Sequence[GoldDocument], system: SystemOutput) -> Sequence[OutputDocument]:
    documents = system.documents
    if all(one.id is not None for one in documents):
        return documents
    if len(documents) != len(golds):
        raise InputError(
            f"{system.name}: its {len(documents)} documents have no ids, and the gold has {len(golds)}; "
            'write them by id: {"ID": […], …}'
        )
    return [replace(one, id=gold.id) for one, gold in zip(documents, golds, strict=True)]


def _pair(gold: GoldDocument, marked: OutputDocument | None, system: str) -> DocumentPair:
    if marked is None:
        return DocumentPair(gold, MaskedDocument(gold.id, ()))
    where = f"{system}: document {gold.id!r}"
    if marked.text is not None:
        _check_same(gold.text, marked.text, where)
    check_mentions(marked.mentions, gold.text, where)
    if marked.rewritten is not None:
        _check_rewritten(gold.text, marked.mentions, marked.rewritten, where)
    return DocumentPair(gold, MaskedDocument(gold.id, marked.mentions))


def _without_unchanged(pair: DocumentPair) -> DocumentPair:
    """Leave out replacements that are what stood there, but for case and space."""
    text = pair.gold.text
    changed = (
        mention for mention in pair.output.mentions
        if mention.replacement is None or _plain(mention.replacement) != _plain(text[mention.start : mention.end])
    )  # fmt: skip
    return replace(pair, output=MaskedDocument(pair.output.id, tuple(changed)))


def _plain(words: str) -> list[str]:
    return words.casefold().split()


def _check_same(text: str, other: str, where: str) -> None:
    if len(text) != len(other):
        raise InputError(f"{where}: its text has {len(other)} characters, that of the gold {len(text)}; {CAUSES}")
    if text != other:
        raise InputError(
            f"{where}: its text differs from that of the gold from offset {_first_difference(text, other)} on; {CAUSES}"
        )


def _check_rewritten(text: str, mentions: Sequence[Mention], rewritten: str, where: str) -> None:
    """Refuse edits that do not make the text of the output out of that of the gold."""
    edits = sorted(mentions, key=lambda one: one.start)
    for edit, other in pairwise(edits):
        if other.start < edit.end:
            raise InputError(f"{where}: the edits at {edit.start} and {other.start} overlap; write it anew")
    made = splice(text, ((edit.start, edit.end, edit.replacement or "") for edit in edits))
    if made != rewritten:
        at = _first_difference(made, rewritten)
        raise InputError(
            f"{where}: its text is not that of the gold with its edits, from offset {at} of the output on; {CAUSES}"
        )


def _first_difference(text: str, other: str) -> int:
    """Return the first offset at which texts differ."""
    return next((at for at, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
