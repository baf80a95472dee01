"""What the table of quality is made of: gold, floors and published masks."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from embanon.measure.annotations import Annotation, DocumentPair, GoldDocument, MaskedDocument, Mention
from embanon.measure.metrics.spans import word_spans
from embanon.model.shipped import DEFAULT, open_model
from eval.quality import Texts, as_many, capitals, line, opened, published, touched

TEXT = "Ada Berger, a chemist, was born in Graz in 1962. She taught the piano to Édith."


def texts(*given: str) -> Texts:
    """Return a set of texts in which the first ten characters are to be masked."""
    golds = (GoldDocument(str(n), text, (Annotation("a", (Mention(0, 10),)),), "en") for n, text in enumerate(given))
    return Texts("some", tuple(golds), ("",) * len(given), open_model(DEFAULT))


def pair(*masked: tuple[int, int]) -> DocumentPair:
    annotation = Annotation("a", (Mention(0, 10), Mention(35, 39), Mention(43, 47, identifier="NO_MASK")))
    return DocumentPair(
        GoldDocument("1", TEXT, (annotation,), "en"), MaskedDocument("1", tuple(Mention(*span) for span in masked))
    )


def test_words_with_a_capital() -> None:
    assert [TEXT[start:end] for start, end in capitals(TEXT)] == ["Ada", "Berger", "Graz", "She", "Édith"]


def test_floors_mask_as_many_words() -> None:
    some, masks = texts(TEXT, "", TEXT), [[(0, 10), (35, 39)], [], [(0, 2)]]
    found = dict(as_many(some, "x", list(masks)))
    assert list(found) == ["floor: random words, as x", "floor: rarest words, as x"]
    for floor in found.values():
        counts = [touched(word_spans(text), spans).sum() for text, spans in zip(some.texts, floor, strict=True)]
        assert counts == [3, 0, 1]
    assert dict(as_many(some, "x", list(masks))) == found
    rarest = {TEXT[start:end] for start, end in found["floor: rarest words, as x"][0]}
    assert not rarest & {"a", "was", "in", "the", "to"}


ADA = {"start_offset": 0, "end_offset": 3, "entity_id": "e", "identifier_type": "QUASI", "entity_type": "PERSON"}
SPANS = {"id": "1", "text": TEXT, "spans": [[0, 3, "PERSON"]]}
# set: its file, a row of it, whom to protect
SETS: dict[str, tuple[str, dict[str, Any], str]] = {
    "mixed": ("wikiactors/mixed", {**SPANS, "protect": "Ada Berger"}, "Ada Berger"),
    "wikibios": ("wikibios/gold",
                 {"doc_id": "Ada-Berger", "text": TEXT, "annotations": {"a": {"entity_mentions": [ADA]}}},
                 "Ada Berger"),
    "tab": ("tab/gold", SPANS, ""),
}  # fmt: skip


@pytest.mark.parametrize("name", SETS)
def test_gold_is_read_with_whom_to_protect(name: str, tmp_path: Path) -> None:
    file, row, who = SETS[name]
    path = tmp_path / f"{file}.jsonl.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    found = opened(tmp_path, name, open_model(DEFAULT))
    assert found.protect == (who,)
    assert [(one.start, one.end) for one in found.golds[0].annotations[0].mentions_to_mask] == [(0, 3)]
    assert found.golds[0].language == "en"


def test_published_masks_are_read(tmp_path: Path) -> None:
    some = texts(TEXT, TEXT)
    assert list(published(tmp_path, some)) == []
    (tmp_path / "some").mkdir()
    spans = {"1": [[3, 4, "X"]], "0": [[1, 2], [5, 6, "a word"]]}
    with gzip.open(tmp_path / "some" / "peer_masks.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"system": name, "spans": spans}) + "\n" for name in ("spacy", "NER3"))
    masks = [[(1, 2), (5, 6)], [(3, 4)]]
    assert list(published(tmp_path, some)) == [("NER3, published", masks), ("spaCy, published", masks)]


def test_a_line_has_its_columns() -> None:
    cells = line([pair((0, 10), (12, 13)), pair((0, 10))]).split()
    assert [cells[column] for column in (0, 2, 4, 6)] == ["0.800", "0.667", "0.727", "0.690"]
    assert cells[-3:] == ["-", "-", "0.962"]
