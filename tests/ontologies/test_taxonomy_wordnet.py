"""WordNet as concepts: from a tiny extract in its own format, plain and packed, as it comes from various places."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from embanon.document import TYPES
from embanon.errors import DecodingError, InputError
from embanon.taxonomy.concept import Broader, Concept, Label
from embanon.taxonomy.sources.wordnet_senses import HIDDEN, RULES, SHOWN
from ontologies.build.taxonomy_wordnet import concepts
from ontologies.build.wordnet_files import sense_counts, senses, synsets

SECRET = "Geheimnis"

# number, lexicographer file, words, links
SYNSETS = (
    ("00001740", "03", "entity", ""),
    ("00002684", "03", "object physical_object", "@ 00001740"),
    ("00004475", "03", "organism being", "@ 00002684"),
    ("00007846", "03", "person individual", "@ 00004475"),
    ("09765278", "18", "actor", "@ 00007846"),
    ("11014079", "18", "Grant Cary_Grant", "@i 09765278"),
    ("00015388", "03", "animal", "@ 00004475"),
    ("02084071", "05", "dog domestic_dog", "@ 00015388 #m 07994941"),
    ("07994941", "14", "pack", "@ 00001740"),
    ("08630985", "15", "region", "@ 00002684"),
    ("08691669", "15", "capital", "@ 08630985"),
    ("08766988", "15", "Germany FRG", "@i 08630985"),
    ("08769645", "15", "Berlin German_capital", "@i 08691669 #p 08766988 + 09748408 %p 08769836"),
    ("08008335", "14", "organization", "@ 00001740"),
    ("08276720", "14", "school", "@ 08008335"),
    ("08359949", "14", "political_unit", "@ 08008335"),
    ("15113229", "28", "time_period", "@ 00001740"),
    ("10800000", "18", "strange", "@ 00007846 @ 08630985"),
    ("14061805", "26", "ill_health", "@ 00001740"),
    ("07602650", "13", "ice", "@ 00002684 #s 02084071"),
    ("04345028", "06", "structure(p)", "@ 00002684"),
    ("04346000", "06", "Eiffel_Tower", "@i 04345028"),
)
COUNTS = {"dog": 42, "domestic_dog": 0, "actor": 7, "berlin": 6}
HEADER = (
    "  1 This software and database is being provided to you\n  2 WordNet {} Copyright 2006 by Princeton University.\n"
)
KEYS = {"region": 1}  # the sense of the table
EXTRA = {"region": "00000001 00000002 08630985"}


def lines() -> dict[str, str]:
    """Return the files of a WordNet."""
    data, index, sense = [], dict[str, list[str]](), []
    for offset, file, words, links in SYNSETS:
        pairs, pointers = links.split(), ""
        for symbol, target in zip(pairs[::2], pairs[1::2], strict=True):
            pointers += f"{symbol} {target} n 0000 "
        names = words.split()
        data.append(
            f"{offset} {file} n {len(names):02x} {' '.join(f'{name} {KEYS.get(name, 0)}' for name in names)} "
            f"{len(pairs) // 2:03} {pointers}| {SECRET}"
        )
        for name in names:
            lemma = name.lower().removesuffix("(p)")
            index.setdefault(lemma, []).append(offset)
            sense.append(f"{lemma}%1:{file}:00:: {offset} 1 {COUNTS.get(lemma, 0)}")
    sense.append("dog%2:38:00:: 02001858 1 3")
    rows = {lemma: EXTRA.get(lemma, " ".join(offsets)) for lemma, offsets in index.items()}
    rows = {lemma: f"{lemma} n {len(o.split())} 1 @ {len(o.split())} 0 {o}  " for lemma, o in rows.items()}
    return {
        "data.noun": HEADER.format("3.0") + "".join(f"{line}  \n" for line in data),
        "index.noun": HEADER.format("3.0") + "".join(f"{row}\n" for row in rows.values()),
        "index.sense": "".join(f"{line}\n" for line in sense),
    }


TABS = {
    "spa/wn-data-spa.tab": "# Multilingual\tspa\n02084071-n\tspa:lemma\tcan\n02084071-n\tspa:lemma\tperro\n"
    "02084071-v\tspa:lemma\tperrear\n02084071-n\tspa:def\tno\n09765278-n\tlemma\tactor (oficio)\n",
    "wikt/wn-wikt-spa.tab": "02084071-n\tspa:lemma\tperro\n02084071-n\tspa:lemma\tPe\xadrrito\n"
    "02084071-n\tspa:lemma\tperro, can\n02084071-n\tspa:lemma\t!\n",
    "wikt/wn-wikt-deu.tab": "02084071-n\tdeu:lemma\tHund\n02084071-n\tdeu:lemma\tHündin\n",
}


def write(folder: Path, files: dict[str, str], packed: bool = False) -> Path:
    for name, content in files.items():
        path = folder / (f"{name}.gz" if packed else name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder as NLTK's, with the translations beside it."""
    write(tmp_path / "omw-1.4", TABS)
    return write(tmp_path / "wordnet", lines())


@pytest.fixture
def found(folder: Path) -> dict[str, Concept]:
    return {concept.id: concept for concept in concepts(folder)}


def test_labels_stand_in_order_with_their_counts(found: dict[str, Concept]) -> None:
    assert found["wn:02084071-n"].labels == (
        Label("en", "dog", 42), Label("en", "domestic dog"), Label("es", "perro"), Label("es", "can"),
        Label("es", "Perrito"), Label("de", "Hund"), Label("de", "Hündin"),
    )  # fmt: skip
    assert found["wn:11014079-n"].labels == (Label("en", "Grant"), Label("en", "Cary Grant"))
    assert found["wn:09765278-n"].labels == (Label("en", "actor", 7), Label("es", "actor"))
    assert found["wn:04345028-n"].labels == (Label("en", "structure"),)


def test_links_say_their_kind(found: dict[str, Concept]) -> None:
    assert found["wn:08769645-n"].broader == (
        Broader("wn:08691669-n", "instance"), Broader("wn:08766988-n", "part"),
    )  # fmt: skip
    assert found["wn:02084071-n"].broader == (
        Broader("wn:00015388-n", "subclass"), Broader("wn:07994941-n", "member"),
    )  # fmt: skip
    assert found["wn:07602650-n"].broader[1] == Broader("wn:02084071-n", "part")


@pytest.mark.parametrize(
    ("offset", "type"),
    {
        "09765278": "DEM", "11014079": "PERSON", "00007846": "DEM", "02084071": "MISC", "08769645": "LOC",
        "08691669": "LOC", "08276720": "ORG", "08359949": "", "15113229": "DATETIME", "14061805": "DEM", "10800000": "",
        "00001740": "", "04345028": "", "04346000": "LOC", "07994941": "",
    }.items(),
)  # fmt: skip
def test_types_are_of_the_nearest_row(found: dict[str, Concept], offset: str, type: str) -> None:
    assert found[f"wn:{offset}-n"].type == type


def test_tops_are_hidden(found: dict[str, Concept]) -> None:
    hidden = {concept.labels[0].text for concept in found.values() if concept.hidden}
    assert hidden == {"entity", "object", "organism"}


def test_nothing_of_a_gloss_is_given(found: dict[str, Concept]) -> None:
    assert SECRET not in repr(found)


def test_packed_files_and_all_names_are_read(tmp_path: Path, found: dict[str, Concept]) -> None:
    files = lines()
    files["index.sense.noun"] = files.pop("index.sense")
    write(tmp_path / "packed", files, packed=True)
    names = {f"omw.{Path(name).stem}.noun.tab": content for name, content in TABS.items()}
    write(tmp_path / "packed", names, packed=True)
    assert {concept.id: concept for concept in concepts(tmp_path / "packed")} == found


def test_languages_that_are_not_there_have_no_labels(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain", lines())
    assert {label.language for concept in concepts(plain) for label in concept.labels} == {"en"}


def test_the_tables_are_consistent() -> None:
    assert {rule.kinds for rule in RULES} | {rule.instances for rule in RULES} <= {*TYPES, ""}
    named = [key for rule in RULES for key in rule.senses]
    assert len(named) == len(set(named)) > 100
    assert all(re.fullmatch(r"[a-z_]+%\d\d:\d\d", key) for key in (*named, *HIDDEN, *SHOWN))
    assert not HIDDEN & SHOWN


# name of a file: its content, what is said
BAD: dict[str, tuple[str, bytes, str]] = {
    "other version": ("data.noun", HEADER.format("3.1").encode(), "is of WordNet 3.1"),
    "no synset": ("data.noun", f"{SECRET} n\n".encode(), "line 1: is no line of WordNet's data.noun"),
    "cut synset": ("data.noun", lines()["data.noun"].encode()[:-25], "line 24: is no line"),
    "binary": ("data.noun", b"\xff\xfe\x00", "line 1: byte 0 is not UTF-8"),
    "no index": ("index.noun", f"{SECRET} n x\n".encode(), "line 1: is no line of WordNet's index.noun"),
    "no senses": ("index.sense", SECRET.encode(), "line 1: is no line of WordNet's index.sense"),
    "no count": ("index.sense", b"dog%1:05:00:: 02084071 1 many\n", "line 1: is no line of WordNet's index.sense"),
    "no translation": ("../omw-1.4/wikt/wn-wikt-deu.tab", f"{SECRET}\n".encode(), "line 1: is no line of the Open"),
}


def read_all(folder: Path) -> None:
    list(concepts(folder))
    senses(folder)


@pytest.mark.parametrize("case", BAD.values(), ids=BAD.keys())
def test_bad_files_are_named(folder: Path, case: tuple[str, bytes, str]) -> None:
    name, content, message = case
    (folder / name).write_bytes(content)
    with pytest.raises((InputError, DecodingError)) as caught:
        read_all(folder)
    assert message in str(caught.value)
    assert SECRET not in str(caught.value)


def test_missing_and_cut_files_are_named(folder: Path, tmp_path: Path) -> None:
    (folder / "index.sense").unlink()
    with pytest.raises(InputError, match=r"has no index.sense.noun or index.sense"):
        list(concepts(folder))
    with pytest.raises(InputError, match=r"has no data.noun; name a folder"):
        list(concepts(tmp_path))
    (tmp_path / "zipped.zip").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"unpack .*zipped.zip first"):
        list(concepts(tmp_path / "zipped"))
    (folder / "index.sense.gz").write_bytes(gzip.compress(lines()["index.sense"].encode())[:-20])
    with pytest.raises(InputError, match="is not a whole gzip file"):
        list(concepts(folder))


def test_files_are_read_apart(folder: Path) -> None:
    assert len(list(synsets(folder))) == len(SYNSETS)
    assert sense_counts(folder)["dog", "02084071"] == 42
    assert ("dog", "02001858") not in sense_counts(folder)
    assert senses(folder)["region"] == ("00000001", "00000002", "08630985")
