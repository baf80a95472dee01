from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from embanon.language import hash_text
from embeddings.build import word_classes
from embeddings.build.word_classes import DEPTH, SMALLEST, WordClusters, halve_again, main, read_sentences

SENTENCE = "1\tViu\tver\tVERB\t_\t0\troot\t_\n2\tMaria\tMaria\tPROPN\t_\t1\tobj\t_\n\n"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    files = {
        "treebanks/pt/train.conllu.gz": SENTENCE * 3,
        "treebanks/pt/test.conllu.gz": SENTENCE.replace("Viu", "Medido"),
        "ner/pt/news-train.conll.gz": "Chegou O\nLima B-PER\n\nSaiu\tO\n\n",
        "ner/pt/news-test.conll.gz": "Medido O\n\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()))
    return tmp_path


def test_vectors_that_point_alike_share_the_first_bits() -> None:
    middles = np.random.default_rng(3).normal(size=(4, 20))
    of = np.arange(400) % 4
    path = halve_again((middles[of] + np.random.default_rng(4).normal(size=(400, 20)) / 20).astype(np.float32))
    assert [len(set((path[of == number] & 3).tolist())) for number in range(4)] == [1, 1, 1, 1]
    assert len(set((path & 3).tolist())) == 4
    assert path.max() < 1 << DEPTH


def test_few_vectors_are_not_halved() -> None:
    assert not halve_again(np.eye(SMALLEST - 1, dtype=np.float32)).any()


def test_parts_to_measure_on_are_not_read(data: Path) -> None:
    assert list(read_sentences(data, "pt")) == [["viu", "maria"]] * 3 + [["chegou", "lima"], ["saiu"]]


def test_command_writes_what_is_loaded(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gensim")
    assert main(["pt", "--data", str(data), "--out", str(tmp_path)]) == 0
    monkeypatch.setattr(word_classes, "FOLDER", tmp_path)
    clusters = WordClusters.load("pt")
    assert clusters.words.tolist() == sorted(map(hash_text, ("viu", "maria")))
    assert clusters.clusters.dtype == np.int32
