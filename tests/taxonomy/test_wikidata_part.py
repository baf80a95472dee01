"""Taking from dumps just what labels need: small dumps of the real form, in which what is above may stand before."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from embanon.errors import ConfigError, InputError
from embanon.taxonomy.sources import needed_concepts

ITEMS = {
    "Q5": ("human", {"P279": ["Q215627"]}),
    "Q11424": ("film", {"P279": ["Q386724"], "P31": ["Q1792379"]}),
    "Q386724": ("work", {}),
    "Q215627": ("person", {}),
    "Q33999": ("actor", {"P279": ["Q215627"]}),
    "Q64": ("Berlin", {"P31": ["Q515"], "P131": ["Q183"]}),
    "Q183": ("Germany", {"P31": ["Q6256"], "P463": ["Q999"]}),
    "Q515": ("city", {"P279": ["Q1"]}),
    "Q1": ("settlement", {"P279": ["Q515"]}),
    "Q6256": ("country", {}),
    "Q1792379": ("art genre", {}),
    "Q999": ("union", {}),
    "Q70001": ("Ashvale Rising", {"P31": ["Q11424"]}),
    "Q70002": ("Mara Quendel", {"P31": ["Q5"], "P106": ["Q33999"]}),
}


def entity(id: str) -> str:
    label, claims = ITEMS[id]
    return json.dumps({
        "type": "item", "id": id, "labels": {"en": {"language": "en", "value": label}}, "aliases": {},
        "claims": {
            name: [
                {"mainsnak": {"snaktype": "value", "property": name, "datavalue": {
                    "value": {"entity-type": "item", "numeric-id": int(other[1:]), "id": other},
                    "type": "wikibase-entityid"}}, "type": "statement", "rank": "normal"}
                for other in others
            ]
            for name, others in claims.items()
        },
        "sitelinks": {},
    })  # fmt: skip


DUMP = "[\n" + ",\n".join(map(entity, ITEMS)) + "\n]\n"


def taken(paths: Sequence[Path], labels: Sequence[str], folder: Path) -> set[str]:
    steps: dict[str, None] = {}
    paths_named = [str(path) for path in paths]
    concepts = needed_concepts(
        paths_named, labels, ("en",), folder, lambda step, done, total: steps.update({step: None})
    )
    ids = {concept.id for concept in concepts}
    assert list(steps) == ["searching", "taking"]
    assert not list(folder.glob(".embanon-*"))
    return ids


CASES = {
    "a film": (["ashvale rising"], {"Q70001", "Q11424", "Q386724", "Q1792379"}),
    "somebody, by occupation": (["Mara Quendel"], {"Q70002", "Q5", "Q33999", "Q215627"}),
    "a place, and where it is": (["Berlin"], {"Q64", "Q515", "Q1", "Q183", "Q6256"}),
    "a class in a circle": (["CITY"], {"Q515", "Q1"}),
    "what is of something is not above it": (["Germany", "nobody", " "], {"Q183", "Q6256"}),
}


@pytest.mark.parametrize(("labels", "ids"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("ending", ["json", "json.gz", "json.bz2"])
def test_what_labels_need(ending: str, labels: list[str], ids: set[str], tmp_path: Path) -> None:
    pack = {"gz": gzip.compress, "bz2": bz2.compress}.get(ending.rpartition(".")[2], bytes)
    (tmp_path / f"d.{ending}").write_bytes(pack(DUMP.encode()))
    assert taken([tmp_path / f"d.{ending}"], labels, tmp_path) == ids


def test_tables_that_belong_together(tmp_path: Path) -> None:
    """Labels are in one file, links in another, as KGTK has them."""
    header = "id\tnode1\tlabel\tnode2\n"
    labels = "".join(f"{id}-l\t{id}\tlabel\t'{label}'@en\n" for id, (label, _) in ITEMS.items())
    links = "".join(
        f"{id}-{name}-{other}\t{id}\t{name}\t{other}\n"
        for id, (_, claims) in ITEMS.items() for name, others in claims.items() for other in others
    )  # fmt: skip
    paths = [tmp_path / "labels.tsv.gz", tmp_path / "links.tsv.gz"]
    for path, rows in zip(paths, (labels, links), strict=True):
        path.write_bytes(gzip.compress((header + rows).encode()))
    assert taken(paths, ["Mara Quendel"], tmp_path) == CASES["somebody, by occupation"][1]


BAD = {
    "truncated gzip": ("d.json.gz", gzip.compress(DUMP.encode())[:-9], "not a whole gzip"),
    "truncated bzip2": ("d.json.bz2", bz2.compress(DUMP.encode())[:-9], "not a whole bzip2"),
    "a bad line": ("d.json", (DUMP[:600] + "\n{" + DUMP[600:]).encode(), "line "),
    "a cut line": ("d.json", DUMP[:700].encode(), "line "),
    "empty": ("d.json", b"", "is empty"),
    "a page": ("d.json", b"<html>", "a page of the web"),
}


@pytest.mark.parametrize(("name", "data", "message"), BAD.values(), ids=BAD)
def test_dumps_that_are_not_whole(name: str, data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        taken([tmp_path / name], ["Berlin"], tmp_path)
    assert "Ashvale" not in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_nothing_is_called_so(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(DUMP)
    with pytest.raises(InputError, match="none of the 1 phrases of the texts names an item"):
        taken([tmp_path / "d.json"], ["Zebedee Quorn"], tmp_path)
    with pytest.raises(ConfigError, match="reads a dump twice"):
        taken([Path("-")], ["Berlin"], tmp_path)
