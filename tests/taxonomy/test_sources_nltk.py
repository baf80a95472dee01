"""WordNets through the readers of NLTK: small ones in its form, and the real one where it is there."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import nltk
import nltk.data
import pytest

from embanon.errors import ConfigError, InputError
from embanon.io import Limits
from embanon.taxonomy.build import build
from embanon.taxonomy.concept import Concept
from embanon.taxonomy.sources.nltk_wordnet import concepts
from embanon.taxonomy.store import Store, taxonomy_folder
from tests.taxonomy.wordnets import ROWS, SECRET, files, numbers, tab, translations, write, write_data, zipped

Run = Callable[..., "subprocess.CompletedProcess[str]"]
REAL = Path(__file__).parents[3] / "shared" / "data" / "wordnet"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of data that NLTK finds, and nothing else; a download fails."""
    folder = write_data(tmp_path / "nltk_data")
    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    monkeypatch.setattr(nltk, "download", None)
    return folder


def by_word(source: str | Path, *languages: str) -> dict[str, Concept]:
    return {concept.labels[0].text: concept for concept in concepts(str(source), languages) if concept.labels}


def labels(concept: Concept, language: str) -> list[str]:
    return [label.text for label in concept.labels if label.language == language]


def test_a_wordnet_by_its_name(data: Path) -> None:
    found = by_word("wordnet")
    known = numbers(files()["data.noun"])
    dog = next(concept for concept in concepts("wordnet") if concept.weight == 42)
    assert [(label.language, label.text, label.weight) for label in found["violinist"].labels] == [
        ("en", "violinist", 3.0), ("en", "fiddler", 0.0),
    ]  # fmt: skip
    assert found["violinist"].id == f"wn:{known['violinist']}-n"
    assert [(link.id, link.link) for link in found["Berlin"].broader] == [
        (f"wn:{known['region']}-n", "instance"), (f"wn:{known['Germany']}-n", "part"),
    ]  # fmt: skip
    assert {link.link for link in dog.broader} == {"subclass", "member"}
    assert labels(found["school"], "en") == ["school"]
    assert SECRET not in repr(found)


def test_weights_are_of_senses(data: Path) -> None:
    assert sorted(concept.weight for concept in concepts("wordnet") if labels(concept, "en")[0] == "dog") == [0, 42]


def test_types_and_what_is_hidden_are_as_in_the_shipped_one(data: Path) -> None:
    found = by_word("wordnet")
    types = {word: found[word].type for word in ("violinist", "Grant", "Berlin", "animal", "school", "entity")}
    assert types == {
        "violinist": "DEM", "Grant": "PERSON", "Berlin": "LOC", "animal": "MISC", "school": "ORG", "entity": "",
    }  # fmt: skip
    assert {word for word, concept in found.items() if concept.hidden} == {"entity", "object", "organism", "region"}


@pytest.mark.parametrize("source", ["wordnet", "omw-1.4", "corpora/omw-1.4", "corpora/wordnet"])
@pytest.mark.parametrize("language", ["fr", "fra", "fr-CA"])
def test_other_languages_by_either_code(
    data: Path, monkeypatch: pytest.MonkeyPatch, source: str, language: str
) -> None:
    monkeypatch.chdir(data)
    found = by_word(source, language)
    assert set(found) == {"chien", "violoniste", "musicien", "artiste interpr\u00e8te"}
    assert labels(found["chien"], "fr") == ["chien", "toutou"]  # Wiktionary's behind that of its own wordnet
    assert all(label.language == "fr" for concept in found.values() for label in concept.labels)


def test_several_languages_and_all(data: Path) -> None:
    found = next(c for c in concepts("wordnet", ["en", "fr", "it", "zh"]) if c.weight == 42)
    assert [(label.language, label.text) for label in found.labels] == [
        ("en", "dog"), ("en", "domestic dog"), ("fr", "chien"), ("fr", "toutou"), ("it", "cane"), ("zh", "\u72d7"),
    ]  # fmt: skip
    found = next(c for c in concepts("omw-1.4") if c.weight == 42)
    assert {label.language for label in found.labels} == {"fr", "it", "zh"}
    found = next(c for c in concepts("omw-1.4:it") if c.weight == 42)
    assert {label.language for label in found.labels} == {"it"}


def test_packed_as_they_are_downloaded(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = list(concepts("wordnet", ["en", "fr"]))
    for name in ("wordnet", "omw-1.4"):
        zipped(data / "corpora" / name)
        shutil.rmtree(data / "corpora" / name)
    assert list(concepts("wordnet", ["en", "fr"])) == plain
    monkeypatch.setattr(nltk.data, "path", [])
    assert list(concepts(str(data / "corpora" / "wordnet.zip"), ["en", "fr"])) == plain
    assert list(concepts(f"{data / 'corpora' / 'omw-1.4.zip'}:it", ["en", "fr"])) == plain


def test_a_folder_that_nltk_does_not_know(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its places are as they were, even where a reading breaks off."""
    monkeypatch.setattr(nltk.data, "path", ["/nowhere"])
    folder = write(tmp_path / "dict", files())
    assert len(list(concepts(str(folder)))) == len(list(concepts(str(data / "corpora" / "wordnet"))))
    with pytest.raises(InputError, match=r"dict: NLTK has no Open Multilingual Wordnet .* choose English"):
        list(concepts(str(folder), ["fr"]))
    assert nltk.data.path == ["/nowhere"]


def test_a_wordnet_of_other_numbers(data: Path) -> None:
    """The words of other languages follow the keys of senses to where these are."""
    other = files("3.1", (("thing", 3, "@ entity"), *ROWS))
    write(data / "corpora" / "wordnet31", other)
    found = by_word("wordnet31", "en", "fr")
    assert found["violinist"].id == f"wn3.1:{numbers(other['data.noun'])['violinist']}-n"
    assert labels(found["violinist"], "fr") == ["violoniste"]
    assert found["violinist"].type == "DEM"
    shutil.rmtree(data / "corpora" / "wordnet")
    assert by_word("wordnet31")["violinist"].id == found["violinist"].id
    with pytest.raises(InputError, match=r"numbers of WordNet 3\.0; install it as well"):
        list(concepts("wordnet31", ["fr"]))


def test_without_counts_all_senses_weigh_alike(data: Path) -> None:
    (data / "corpora" / "wordnet" / "cntlist.rev").unlink()
    assert {label.weight for concept in concepts("wordnet") for label in concept.labels} == {0.0}


# name: the source, languages, what is said
MISSING: dict[str, tuple[str, tuple[str, ...], str]] = {
    "a corpus": ("wordnet2099", (), r"has no corpus 'wordnet2099'; install it .* NLTK looked in: .*nltk_data"),
    "a folder": ("no/where", (), r"no/where: no such folder or zip, and no name of a corpus"),
    "a way out": ("../../nowhere", (), "no such folder or zip, and no name"),
    "an address": ("http://example.org/wordnet", (), "no such folder or zip, and no name"),
    "standard input": ("-", (), "no such folder or zip, and no name"),
    "a language": ("omw-1.4:de", (), r"--languages de: has no words there; known: fr it zh"),
    "another language": ("wordnet", ("en", "pt"), "--languages pt: has no words there"),
    "a language of WordNet": ("wordnet:fr", (), "is WordNet itself; name languages so: --languages fr"),
    "another corpus": ("brown", (), "brown: has neither data.noun nor files such as"),
}


@pytest.mark.parametrize("name", MISSING)
def test_what_is_not_there_is_named(data: Path, name: str) -> None:
    write(data / "corpora" / "brown", {"ca01": "The/at"})
    source, languages, message = MISSING[name]
    with pytest.raises((InputError, ConfigError), match=message):
        list(concepts(source, languages))


def test_words_without_a_wordnet(data: Path) -> None:
    shutil.rmtree(data / "corpora" / "wordnet")
    with pytest.raises(InputError, match=r"omw-1\.4 has words alone.*NLTK has no corpus 'wordnet'"):
        list(concepts("omw-1.4"))


# name: a file, its content, what is said
BAD: dict[str, tuple[str, str, str]] = {
    "no index": ("index.noun", f"{SECRET} n x\n", r"index\.noun, line 1"),
    "no senses in the index": ("index.noun", "", r"data\.noun, or another"),
    "cut synset": ("data.noun", files()["data.noun"][:-60] + "\n", r"data\.noun, or another"),
    "not a synset": ("data.noun", f"{SECRET}\n", r"data\.noun, or another"),
    "no lexnames": ("lexnames", SECRET, "or another"),
    "no count": ("cntlist.rev", f"dog%1:05:00:: 1 {SECRET}\n", "or another"),
    "links to nowhere": ("data.noun", files()["data.noun"].replace("@ 00000", "@ 77770"), "or another"),
    "no synsets": ("data.noun", "", "has no noun"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_are_not_quoted(data: Path, name: str) -> None:
    file, content, message = BAD[name]
    write(data / "corpora" / "wordnet", {file: content})
    with pytest.raises(InputError, match=message) as caught:
        list(concepts("wordnet"))
    assert SECRET not in str(caught.value)


def test_what_is_no_text_no_zip_or_not_whole(data: Path, tmp_path: Path) -> None:
    folder = data / "corpora" / "wordnet"
    (tmp_path / "broken.zip").write_bytes(b"PK\x05\x06")
    with pytest.raises(InputError, match="is no zip with a folder broken"):
        list(concepts(str(tmp_path / "broken.zip")))
    (folder / "data.noun").write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(InputError, match="is not what NLTK's reader of WordNet expects"):
        list(concepts("wordnet"))
    (folder / "adj.exc").unlink()
    with pytest.raises(InputError, match=r"wordnet: lacks adj\.exc"):
        list(concepts("wordnet"))


def test_files_that_are_too_large_are_not_opened(data: Path) -> None:
    limits = Limits(text=1024)
    with pytest.raises(InputError, match=r"wordnet: data\.noun has more than 0 MB"):
        list(concepts("wordnet", limits=limits))
    zipped(data / "corpora" / "wordnet")
    shutil.rmtree(data / "corpora" / "wordnet")
    with pytest.raises(InputError, match=r"wordnet: data\.noun has more than 0 MB"):
        list(concepts("wordnet", limits=limits))


def test_files_that_others_may_write_are_refused(data: Path) -> None:
    (data / "corpora" / "wordnet" / "data.noun").chmod(0o666)
    with pytest.raises(InputError, match=r"NLTK refuses|has no corpus"):
        list(concepts("wordnet"))


def test_the_command(data: Path, inside: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = inside("ontology", "build", "--kind", "nltk", "wordnet", "--languages", "en,fr", "-o", "w.store", "--quiet")
    assert (done.returncode, done.stdout) == (0, "w.store: 17 concepts, 31 labels, 18 links\n")
    assert inside("ontology", "climb", "violoniste", "--language", "fr", "--store", "w.store").stdout.split("\n") == [
        "musicien", "artiste interpr\u00e8te", "",
    ]  # fmt: skip
    done = inside("ontology", "build", "--kind", "nltk", "nothing", "-o", "x.store")
    assert (done.returncode, done.stdout, (tmp_path / "x.store").exists()) == (3, "", False)
    assert done.stderr.startswith("embanon: NLTK has no corpus 'nothing'; install it")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_dir(), reason="no WordNet in ../shared/data")
def test_the_real_one_is_the_shipped_one(tmp_path: Path) -> None:
    """Assembled as NLTK has it: nouns of WordNet 3.0, nothing of other words."""
    empty = {name: content for name, content in files().items() if "noun" not in name}
    folder = write(tmp_path / "corpora" / "wordnet", empty)
    for name, packed in (("data.noun", "data.noun"), ("index.noun", "index.noun"), ("noun.exc", "noun.exc"),
                         ("index.sense", "index.sense.noun")):  # fmt: skip
        (folder / name).write_bytes(gzip.decompress((REAL / f"{packed}.gz").read_bytes()))
    (folder / "lexnames").write_bytes((REAL / "lexnames").read_bytes())
    rows = [line.split() for line in (folder / "index.sense").read_text().splitlines()]
    counted = sorted((key, number, count) for key, _, number, count in rows if count != "0")
    (folder / "cntlist.rev").write_text("".join(" ".join(row) + "\n" for row in counted))
    spanish = gzip.decompress((REAL / "omw.wn-data-spa.noun.tab.gz").read_bytes()).decode()
    write(tmp_path / "corpora" / "omw-1.4", {"spa/wn-data-spa.tab": spanish})
    build(concepts(str(folder), ["en", "es"]), tmp_path / "store", {})
    ours, shipped = Store.open(tmp_path / "store"), Store.open(taxonomy_folder("wordnet"))
    assert (ours.card["concepts"], ours.card["links"]) == (shipped.card["concepts"], shipped.card["links"])
    for mine, theirs in zip(ours.concepts(), shipped.concepts(), strict=True):
        assert (mine.id, mine.type, mine.hidden, mine.broader) == (
            theirs.id, theirs.type, theirs.hidden, theirs.broader,
        )  # fmt: skip
        assert mine.weight == pytest.approx(theirs.weight, abs=60)
        assert set(labels(mine, "es")) <= set(labels(theirs, "es"))


def test_a_translation_without_a_sense_is_left_out(data: Path) -> None:
    known = numbers(files()["data.noun"])
    write(data / "corpora" / "omw-1.4", translations(known) | {"fra/wn-data-fra.tab": tab("fra", {}, known)})
    assert set(by_word("wordnet", "fr")) == {"toutou"}
