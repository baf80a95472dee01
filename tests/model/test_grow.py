"""Growing a model: counts are sums, old neighbors survive, and what fails leaves the model as it was."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.config.settings import Config, TrainingSettings
from embanon.document import Document
from embanon.errors import ConfigError, DataError, EmbanonError, InputError, OutputError
from embanon.io.read.corpus import CorpusDocument
from embanon.model.convert import ExportOptions, convert, export
from embanon.model.foreign import ForeignEmbeddings
from embanon.model.model import Model, Step
from embanon.model.train import train
from embanon.model.vectors import unit_rows
from embanon.storage import folder
from embanon.storage.folder import load

SMALL = TrainingSettings(dimensions=16, epochs=4, threads=1, sample=0.0)
WORLDS = {
    "medicine": ("asthma bronchitis eczema", "hospital clinic ward", "doctor nurse surgeon"),
    "law": ("fraud theft arson", "court prison tribunal", "judge lawyer clerk"),
    "music": ("sonata opera waltz", "theater conservatory stage", "violinist pianist conductor"),
}


def written(worlds: dict[str, tuple[str, str, str]], number: int, seed: int = 1) -> list[CorpusDocument]:
    """Write documents of several worlds, with names of their own, each about a person."""
    chance = np.random.default_rng(seed)
    found = []
    for n in range(number):
        name = list(worlds)[n % len(worlds)]
        what, where, who = ([str(word) for word in chance.permutation(row.split())] for row in worlds[name])
        text = f"The {who[0]} met the {what[0]} at the {where[0]}. The {what[1]} and the {what[0]} came to the {who[1]}"
        about = f"Ada {name.title()}"
        document = Document(f"d{n}", f"{text} and the {where[1]}. {about} saw case {seed}{n:04} and the {where[0]}.")
        found.append(CorpusDocument(document, about))
    return found


OLD = written(WORLDS, 240)
NEW = [
    *written(
        WORLDS | {"space": ("comet nebula quasar", "observatory orbit planet", "astronomer pilot engineer")}, 60, 2
    ),
    *[
        CorpusDocument(Document(f"x{n}", f"The doctor treats the leukemia {n} at the hospital, as the asthma."))
        for n in range(30)
    ],
]


def grown(tmp_path: Path, new: list[CorpusDocument] = NEW, **options: Any) -> tuple[Model, Model]:
    """Return a model and what it has grown to."""
    config = Config(train=replace(SMALL, **options))
    train(OLD, tmp_path / "old", config=config)
    train(new, tmp_path / "new", config=config, update=tmp_path / "old")
    return Model.open(tmp_path / "old"), Model.open(tmp_path / "new")


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def overlap(old: Model, new: Model) -> float:
    """Return the mean share of the ten nearest of the most frequent phrases that stay, among those that both know."""
    known, shares = set(old.phrases.keys), []
    for name in old.phrases.keys[:50]:
        before = {near for near, _ in old.neighbors(name, 10)}
        after = [near for near, _ in new.neighbors(name, len(new.phrases)) if near in known][:10]
        shares.append(len(before & set(after)) / 10)
    return float(np.mean(shares))


def test_old_neighbors_survive_and_new_phrases_find_theirs(tmp_path: Path) -> None:
    old, new = grown(tmp_path)
    train([*OLD, *NEW], tmp_path / "anew", config=Config(train=SMALL))
    # By a third more documents, of which half are of an old world, nine of ten stay; trained anew, one of four.
    assert overlap(old, new) >= 0.8
    assert overlap(old, Model.open(tmp_path / "anew")) < 0.5
    near, law, music = new.similarity("leukemia", ["asthma", "fraud", "sonata"])[0]
    assert near > max(law, music)
    assert new.find(["leukemia", "nebula"]).steps.tolist() == [Step.EXACT] * 2
    assert np.isfinite(new.find(["leukemia", "nebula"]).vectors).all()


@pytest.mark.parametrize("backend", ["fasttext-library", "fasttext-gensim"])
def test_models_with_parts_of_words_grow(backend: str, tmp_path: Path) -> None:
    parts = {"backend": backend, "buckets": 2000, "epochs": 8, "entity_vectors": True}
    old, new = grown(tmp_path, **parts)
    assert overlap(old, new) >= 0.8
    near, law, music = new.similarity("leukemia", ["asthma", "fraud", "sonata"])[0]
    assert near > max(law, music)
    assert new.find(["leukemai", "nebula"]).steps.tolist() == [Step.SUBWORDS, Step.EXACT]
    assert new.card["subwords"] == old.card["subwords"]
    quiet = [name for name in old.phrases.keys if name.startswith("10")][:20]  # numbers of old cases
    before, after = (unit_rows(model.find(quiet).vectors) for model in (old, new))
    assert len(quiet) == 20
    assert (before * after).sum(axis=1).min() > 0.97


def test_counts_are_sums(tmp_path: Path) -> None:
    old, new = grown(tmp_path)
    train([*OLD, *NEW], tmp_path / "whole", config=Config(train=SMALL))
    whole = Model.open(tmp_path / "whole")
    assert new.phrases.keys[: len(old.phrases)] == list(old.phrases.keys)
    assert set(new.phrases.keys) == set(whole.phrases.keys)
    assert set(new.words.keys) == set(whole.words.keys)
    for mine, all in ((new.phrases, whole.phrases), (new.words, whole.words)):
        places = all.keys.find(list(mine.keys))
        for column in ("counts", "documents", "persons"):
            assert getattr(mine, column).tolist() == getattr(all, column)[places].tolist()
    places = whole.phrases.keys.find(list(new.phrases.keys))
    assert new.phrases.capitals is not None
    assert whole.phrases.capitals is not None
    assert new.phrases.capitals.tolist() == whole.phrases.capitals[places].tolist()
    assert [new.documents_with(n).tolist() for n in range(len(new.phrases))] == [
        whole.documents_with(n).tolist() for n in places
    ]
    for name in ("digests", "entities"):
        assert getattr(new.documents, name).tolist() == getattr(whole.documents, name).tolist()
    assert list(new.entities) == list(whole.entities)
    for column in ("units", "phrases", "words", "documents", "entities", "language", "languages"):
        assert new.card[column] == whole.card[column]
    assert new.card["corpus"]["checksum"] == whole.card["corpus"]["checksum"]
    assert (old.card["grown"], new.card["grown"]) == (0, 1)
    for source in (OLD[3], NEW[3]):
        assert set(whole.near_duplicates(source.document.text)) & set(new.near_duplicates(source.document.text))
    assert len(set(new.documents.ids)) == len(OLD) + len(NEW)
    assert "d3#2" in new.documents.ids


def test_what_is_there_already_changes_nothing(tmp_path: Path) -> None:
    config = Config(train=SMALL)
    train(OLD, tmp_path / "m", config=config)
    before = contents(tmp_path / "m")
    for target in ("m", "other"):
        with pytest.raises(InputError, match=f"has all {len(OLD)} documents of the corpus already; it stays as it is"):
            train(OLD, tmp_path / target, config=config, update=tmp_path / "m")
    with pytest.raises(InputError, match="no phrase to learn from"):
        train([OLD[0], CorpusDocument(Document("1", "of the"))], tmp_path / "m", config=config, update=tmp_path / "m")
    assert contents(tmp_path / "m") == before
    assert [path.name for path in tmp_path.iterdir()] == ["m"]


def test_what_is_there_in_part_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _, new = grown(tmp_path, [*OLD[:5], *NEW])
    assert new.card["corpus"]["repeated"] == 5
    assert "5 documents that the corpus or the model has already, counted once" in caplog.text


def test_growing_twice_in_place(tmp_path: Path) -> None:
    config = Config(train=SMALL)
    train(OLD, tmp_path / "m", config=config)
    for part in (NEW[:40], NEW[40:]):
        train(part, tmp_path / "m", config=config, update=tmp_path / "m")
    _, once = grown(tmp_path)
    twice = Model.open(tmp_path / "m")
    assert twice.card["grown"] == 2
    assert twice.card["units"] == once.card["units"]
    assert set(twice.phrases.keys) == set(once.phrases.keys)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["m", "new", "old"]
    assert not folder.damaged_files(tmp_path / "m")


def test_vectors_of_entities_stay_with_their_entities(tmp_path: Path) -> None:
    lone = [CorpusDocument(Document("1", "Ada Medicine met the shiny astronomer and the waltz."), "Zed Newman")]
    old, new = grown(tmp_path, lone, entity_vectors=True)
    before, after = (load(tmp_path / name)[1] for name in ("old", "new"))
    assert list(new.entities) == [*old.entities, "zed newman"]
    rows = after["entities.vectors.data"]
    # Those that no new document is about do not move: each is what it was, though phrases came between.
    np.testing.assert_array_equal(rows[: len(old.entities)], before["entities.vectors.data"])
    assert np.abs(rows[-1].astype(float)).sum() > 0
    assert len(after["entities.output"]) == len(new.entities)
    moved = np.linalg.norm(after["entities.output"][:3].astype(float) - before["entities.output"][:3], axis=1)
    assert (moved < 0.5 * np.linalg.norm(before["entities.output"][:3].astype(float), axis=1)).all()


def test_statistics_grow(tmp_path: Path) -> None:
    more = [
        CorpusDocument(Document(f"g{n}", f"Der Arzt Nr. {n} sah das Haus und die Stadt.", "de"), None)
        for n in range(12)
    ]
    old, new = grown(tmp_path, more)
    assert set(old.statistics) == {"en"}
    assert set(new.statistics) == {"de", "en"}
    for word, share in old.statistics["en"].capitalized_share.items():
        assert new.statistics["en"].capitalized_share[word] == pytest.approx(share)
    assert set(old.statistics["en"].joined_names) <= set(new.statistics["en"].joined_names)
    # The model keeps its language, by which spellings are found again.
    assert new.card["language"] == "en"
    assert new.find(["hospitals"]).steps.tolist() == [Step.VARIANT]
    again = grown(tmp_path, NEW)[1]
    assert set(again.statistics["en"].capitalized_share) >= set(old.statistics["en"].capitalized_share)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"grow": False}, "--no-grow"), ({"grow": False, "backend": "fasttext", "buckets": 100}, "--no-grow")],
    ids=["no grow", "fasttext"],
)
def test_models_that_cannot_grow(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"old: cannot grow: .*{message}.*; train a new model on both corpora"):
        grown(tmp_path, **options)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_a_converted_or_public_model_cannot_grow(tmp_path: Path) -> None:
    rows = np.eye(2, dtype=np.float32)
    convert(ForeignEmbeddings("glove", ["a", "b"], rows, None, None, None), tmp_path / "m")
    with pytest.raises(ConfigError, match="cannot grow: it was read from a file"):
        train(NEW, tmp_path / "m", config=Config(train=SMALL), update=tmp_path / "m")
    train(OLD, tmp_path / "old", config=Config(train=SMALL))
    export(Model.open(tmp_path / "old"), tmp_path / "public", ExportOptions(min_documents=2))
    with pytest.raises(ConfigError, match="cannot grow"):
        train(NEW, tmp_path / "public", config=Config(train=SMALL), update=tmp_path / "public")


def test_settings_that_cannot_change(tmp_path: Path) -> None:
    train(OLD, tmp_path / "m", config=Config(train=SMALL))
    other = TrainingSettings(dimensions=99, window=3, dtype="int8", backend="fasttext", epochs=1, threads=1, grow=False)
    card = train(NEW, tmp_path / "m", config=Config(train=other), update=tmp_path / "m")
    kept = card["training"]
    assert (kept["dimensions"], kept["window"], kept["dtype"], kept["backend"]) == (16, 10, "float16", "word2vec")
    assert (kept["epochs"], kept["grow"]) == (1, False)
    with pytest.raises(ConfigError, match="--no-grow"):
        train(OLD, tmp_path / "m", config=Config(train=SMALL), update=tmp_path / "m")


CARDS = {
    "no table": (r"(?s)\[training\].*?\n\n", ""),
    "no window": (r"window = 10\n", ""),
    "no number": (r"window = 10\n", 'window = "ten"\n'),
    "out of bounds": (r"negative = 5\n", "negative = 0\n"),
    "another size": (r"dimensions = 16\nwindow", "dimensions = 17\nwindow"),
}


@pytest.mark.parametrize("name", CARDS)
def test_cards_that_do_not_tell(name: str, tmp_path: Path) -> None:
    train(OLD, tmp_path / "m", config=Config(train=SMALL))
    path = tmp_path / "m" / "model.toml"
    changed = re.sub(CARDS[name][0], CARDS[name][1], path.read_text())
    assert changed != path.read_text()
    path.write_text(changed)
    before = contents(tmp_path / "m")
    with pytest.raises(DataError, match="run: embanon model verify"):
        train(NEW, tmp_path / "m", config=Config(train=SMALL), update=tmp_path / "m")
    assert contents(tmp_path / "m") == before


@pytest.mark.skipif(sys.platform != "linux", reason="/proc tells which files are mapped")
def test_nothing_of_the_old_model_is_mapped_when_it_is_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows replaces no file that is in use."""
    train(OLD, tmp_path / "m", config=Config(train=replace(SMALL, entity_vectors=True)))
    mapped: list[str] = []
    save = folder.save

    def listening(*given: Any) -> None:
        mapped.extend(line for line in Path("/proc/self/maps").read_text().splitlines() if str(tmp_path) in line)
        save(*given)

    monkeypatch.setattr(folder, "save", listening)
    train(NEW, tmp_path / "m", config=Config(train=SMALL), update=tmp_path / "m")
    assert mapped == []


@pytest.mark.parametrize("step", ["statistics", "phrases", "training", "vectors", "saving"])
def test_what_fails_leaves_the_model_as_it_was(step: str, tmp_path: Path) -> None:
    train(OLD, tmp_path / "m", config=Config(train=SMALL))
    before = contents(tmp_path / "m")

    def fail(at: str, _done: float, _of: float) -> None:
        if at == step:
            raise OutputError("stopped")

    with pytest.raises(EmbanonError, match="stopped"):
        train(NEW, tmp_path / "m", config=Config(train=SMALL), progress=fail, update=tmp_path / "m")
    assert contents(tmp_path / "m") == before
    assert [path.name for path in tmp_path.iterdir()] == ["m"]
