from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from embanon.document import FORMS
from embanon.errors import DataError
from embanon.language.lexicon import PERSON_CUES, PLACE_CUES, Cue, Lexicon
from embanon.language.normalize import key, words_of
from embanon.model.model import Model, Step
from embanon.model.shipped import open_model, shipped_folder
from embanon.storage import folder

MEASURED = """
Angelina Jolie; Arnold Schwarzenegger; Ben Stiller; Brad Pitt; Bruce Willis; Cameron Diaz; Chris Evans; Chris Hemsworth;
Daniel Radcliffe; Dwayne Johnson; Elijah Wood; Emilia Clarke; Emma Watson; Helena Bonham Carter; Hugh Jackman;
Ian McKellen; Jai Courtney; Jared Padalecki; Jennifer Aniston; Jensen Ackles; Jim Carrey; Johnny Depp;
Joseph Gordon-Levitt; Julianne Moore; Kit Harington; Lena Headey; Mark Ruffalo; Martin Freeman; Michelle Rodriguez;
Orlando Bloom; Patrick Stewart; Penélope Cruz; Peter Dinklage; Robert Downey Jr.; Robin Tunney; Sam Worthington;
Scarlett Johansson; Scott Caan; Sean Bean; Shailene Woodley; Sigourney Weaver; Simon Baker; Sylvester Stallone;
Theo James; Tom Cruise; Tom Hanks; Tommy Lee Jones; Viggo Mortensen; Will Smith; Zoe Saldana
"""
"""The persons on whose texts scoring is measured: no weight is trained on them."""


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model("default")


def test_no_measured_person_is_in_the_model(model: Model) -> None:
    names = [key(name) for name in MEASURED.split(";")]
    assert len(names) == 50
    assert (model.phrases.keys.find(names) == -1).all()
    told = [set(words_of(name)[-1:]) for name in names if words_of(name)[-1] not in ORDINARY]
    assert not [words for words in told if words & set(model.words.keys)]


ORDINARY = frozenset(
    "bean bloom caan carter clarke cruise cruz evans freeman jackman james johnson jones jr moore pitt smith stewart "
    "watson weaver willis wood baker".split()
)
"""Surnames of theirs that are words, places or other people's names as well."""


def test_no_word_is_known_as_a_name_alone(model: Model) -> None:
    flags = Lexicon.load("en").flags
    cues = [flags(word.capitalize()) for word in model.words.keys]
    assert not [word for word in cues if word & PERSON_CUES and not word & (PLACE_CUES | int(Cue.AMBIGUOUS))]


def test_persons_are_rare_among_the_occurrences(model: Model) -> None:
    for table, share in ((model.phrases, 0.1), (model.words, 0.3)):
        assert (table.persons < share * table.counts).all()
        assert table.documents.min() >= 3


def test_it_tells_nothing_of_documents(model: Model) -> None:
    assert not len(model.documents)
    assert not len(model.entities)
    assert model.card["documents"] > 10_000
    assert model.output is None
    assert model.statistics == {}


def test_it_knows_common_words(model: Model) -> None:
    found = model.find(["actor", "Film Directors", "film-director", "treaty", "Zxqwv"])
    assert found.steps.tolist() == [Step.EXACT, Step.EXACT, Step.VARIANT, Step.EXACT, Step.UNKNOWN]
    cosines, _ = model.similarity("film director", ["screenwriter", "embassy"])
    assert cosines[0] > cosines[1]
    rarity = model.rarity(model.words, model.words.keys.find(["the", "actor", "embassy"]))
    assert (np.diff(rarity) > 0).all()


def test_names_are_written_as_such(model: Model) -> None:
    assert model.phrases.forms is not None
    [paris, actor] = model.phrases.forms[model.phrases.keys.find(["paris", "actor"])]
    assert (FORMS[paris], FORMS[actor]) == ("name", "common")


def test_it_is_whole_and_small() -> None:
    path = shipped_folder("en")
    assert folder.damaged_files(path) == []
    assert sum(file.stat().st_size for file in path.iterdir()) <= 12_000_000
    with pytest.raises(DataError, match="missing"):
        shipped_folder("xx")


def test_a_folder_is_opened_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such model"):
        open_model(str(tmp_path / "default"))
