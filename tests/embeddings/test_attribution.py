"""Learning of whom sentences speak: joined texts, and a whole run on a corpus made up."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from embanon.errors import DataError
from embanon.risk.attribution import INITIAL_PARAMETERS, AttributionParameters
from embanon.text.find import NO_STATISTICS
from embeddings.build.attribution import (
    build_cases,
    documents,
    interleave,
    join_sentences,
    loss,
    main,
    make_texts,
    share_right,
    split_sentences,
)

SURNAMES = ("Velland", "Tolland", "Orrin", "Tarn", "Berger", "Haka", "Marsk", "Lindqvar")
PEOPLE = [f"{given} {name}" for name in SURNAMES for given in ("Peter", "Anna")]


def life(number: int) -> str:
    name, other = PEOPLE[number], PEOPLE[(number + 5) % len(PEOPLE)]
    he, his = ("She", "her") if name.startswith("Anna") else ("He", "his")
    surname = name.partition(" ")[2]
    return (
        f"{name} (born {1950 + number}) is a painter. {he} grew up in a small town. {surname} met {other} at school. "
        f"{he} left {his} work in {1980 + number}. In {1990 + number} {surname} won a prize. {he} lives by the sea. "
        f"{surname} has written two books."
    )


CORPUS = [(name, life(number)) for number, name in enumerate(PEOPLE)]


def written(folder: Path, rows: Sequence[tuple[str, str]] = CORPUS) -> Path:
    path = folder / "corpus.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps({"title": title, "text": text}) + "\n" for title, text in rows)
    return path


def test_sentences_are_cut_simply() -> None:
    assert split_sentences(" One here. Two there! He said 3.5 and. no more. ") == [
        "One here.", "Two there!", "He said 3.5 and. no more.",
    ]  # fmt: skip
    assert split_sentences("") == [""]


def test_sentences_know_where_they_begin_and_whose_they_are() -> None:
    text = join_sentences(list(interleave(["A one.", "A two.", "A three."], ["B one."])), ("A", "B"), "joined")
    assert text.text == "A one. B one. A two. A three."
    assert text.owners == (0, 1, 0, 0)
    assert ["AB"[owner] for owner in text.owners] == [text.text[begin] for begin in text.sentence_starts]
    assert "one" not in repr(text)


def test_texts_are_joined_linked_and_single() -> None:
    made = make_texts(CORPUS, 16, 1)
    assert [one.kind for one in made] == [
        "joined",
        "joined",
        "linked",
        "linked",
        "joined",
        "joined",
        "single",
        "single",
    ] * 2
    for one in made:
        own = [
            one.text[begin:end]
            for begin, end in zip(one.sentence_starts, (*one.sentence_starts[1:], None), strict=True)
        ]
        lives = [split_sentences(dict(CORPUS)[name]) for name in one.names]
        assert all(sentence.strip() in lives[owner] for sentence, owner in zip(own, one.owners, strict=True))
        if one.kind != "joined":
            assert one.names[1] in " ".join(lives[0])
        if one.kind == "single":
            assert set(one.owners) == {0}
    assert {one.owners[:2] for one in made if one.kind == "joined"} == {(0, 0), (0, 1)}
    assert make_texts(CORPUS, 16, 1) == made != make_texts(CORPUS, 16, 2)


def test_too_short_documents_are_named() -> None:
    with pytest.raises(DataError, match="sentences"):
        make_texts([("Peter Velland", "He came."), ("Anna Tarn", "")], 4, 1)


@pytest.mark.parametrize("without", ["anna tarn", "ANNA TARN", "  Anna  Tarn ", "Anna Tarn (painter)"])
def test_names_are_left_out_whatever_their_case(tmp_path: Path, without: str) -> None:
    path = written(tmp_path, [("Anna Tarn (writer)", "a"), ("ANNA TARN", "b"), ("Peter Tarn", "c"), ("Tarn", "d")])
    assert documents(path, [without]) == [("Peter Tarn", "c")]
    assert len(documents(path)) == 3


def test_cases_say_who_is_right() -> None:
    some = list(build_cases(make_texts(CORPUS, 8, 1), NO_STATISTICS))
    assert {case.kind for case in some} >= {"joined", "linked"}
    for case in some:
        assert case.owners.shape == case.seen.first_gender.shape
        assert np.all(case.owners < case.seen.features.shape[2])
    assert share_right([], INITIAL_PARAMETERS) == 0
    assert share_right(some, INITIAL_PARAMETERS) > 0.8
    assert 0 <= share_right(some, INITIAL_PARAMETERS, passing=True) <= 1
    start = INITIAL_PARAMETERS.to_vector()
    assert 0 < loss(start, some, start) < loss(start * 0, some, start)


def test_a_run_writes_parameters_that_read_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, out = tmp_path / "names.txt", tmp_path / "new" / "en.toml"
    names.write_text("ANNA TARN\n", "utf-8")
    done = main(["--corpus", str(written(tmp_path)), "--without", str(names), "--texts", "4", "--out", str(out)])
    assert done == 0
    read = AttributionParameters.from_toml(out.read_text("utf-8"))
    assert read.to_toml() == out.read_text("utf-8")
    assert np.isfinite(read.to_vector()).all()
    assert "loss" in capsys.readouterr().out
