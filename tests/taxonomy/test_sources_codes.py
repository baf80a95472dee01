"""Releases of SNOMED CT and ICD-10 as they are published: RF2, tables of codes, ClaML."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from embanon.errors import EmbanonError, InputError
from embanon.io import Limits
from embanon.taxonomy import Climber, Store, build
from embanon.taxonomy.sources import icd10, read_concepts, rf2
from embanon.taxonomy.sources.release import ReleaseFile

DATE, CORE, INT = "20240101", "900000000000207008", "900000000000074008"
FSN, SYNONYM = "900000000000003001", "900000000000013009"
INSENSITIVE, SENSITIVE = "900000000000448009", "900000000000017005"
CONCEPT_HEADER = "id effectiveTime active moduleId definitionStatusId"
DESCRIPTION_HEADER = "id effectiveTime active moduleId conceptId languageCode typeId term caseSignificanceId"
RELATIONSHIP_HEADER = (
    "id effectiveTime active moduleId sourceId destinationId relationshipGroup typeId characteristicTypeId modifierId"
)
LANGUAGE_HEADER = "id effectiveTime active moduleId refsetId referencedComponentId acceptabilityId"
ROOT, DISORDER, HEART, INFARCTION, RETIRED, PARKINSON = (
    "138875005", "64572001", "56265001", "22298006", "99999003", "49049000",
)  # fmt: skip


def table(header: str, rows: Sequence[Sequence[str]]) -> str:
    return "\r\n".join("\t".join(row) for row in [header.split(), *rows]) + "\r\n"


def description(number: int, concept: str, language: str, kind: str, term: str, *, active: str = "1",
                case: str = INSENSITIVE) -> list[str]:  # fmt: skip
    return [f"{number}", DATE, active, CORE, concept, language, kind, term, case]


def is_a(number: int, narrow: str, broad: str, *, active: str = "1", kind: str = "116680003") -> list[str]:
    return [f"{number}", DATE, active, CORE, narrow, broad, "0", kind, "900000000000011006", "900000000000451002"]


def write_release(folder: Path) -> Path:
    """Write a release in its own layout: a Snapshot, a Full that says otherwise, and refsets."""
    terms = folder / "Snapshot" / "Terminology"
    refsets = folder / "Snapshot" / "Refset" / "Language"
    full = folder / "Full" / "Terminology"
    for each in (terms, refsets, full):
        each.mkdir(parents=True)
    known = [[one, DATE, "0" if one == RETIRED else "1", CORE, INT]
             for one in (ROOT, DISORDER, HEART, INFARCTION, RETIRED, PARKINSON)]  # fmt: skip
    (terms / f"sct2_Concept_Snapshot_INT_{DATE}.txt").write_text(table(CONCEPT_HEADER, known))
    english = [
        description(1, INFARCTION, "en", FSN, "Myocardial infarction (disorder)"),
        description(2, INFARCTION, "en", SYNONYM, "Cardiac infarction"),
        description(3, INFARCTION, "en", SYNONYM, "Heart attack"),
        description(4, INFARCTION, "en", SYNONYM, "Coronary", active="0"),
        description(5, HEART, "en", FSN, "Heart disease (disorder)"),
        description(6, DISORDER, "en", FSN, "Disease (disorder)"),
        description(7, ROOT, "en", FSN, "SNOMED CT Concept (SNOMED RT+CTV3)"),
        description(8, RETIRED, "en", FSN, "Heart trouble (disorder)"),
        description(9, PARKINSON, "en", FSN, 'Parkinson\'s "shaking" disease (disorder)', case=SENSITIVE),
    ]
    (terms / f"sct2_Description_Snapshot-en_INT_{DATE}.txt").write_text(table(DESCRIPTION_HEADER, english))
    spanish = [
        description(11, INFARCTION, "es", SYNONYM, "Infarto de miocardio"),
        description(12, HEART, "es", SYNONYM, "Enfermedad cardíaca"),
    ]
    name = f"sct2_Description_SpanishExtensionSnapshot-es_INT_{DATE}.txt"
    (terms / name).write_text(table(DESCRIPTION_HEADER, spanish), encoding="utf-8")
    german = [
        description(21, INFARCTION, "de", SYNONYM, "Herzinfarkt"),
        description(22, HEART, "de", SYNONYM, "Herzkrankheit"),
    ]
    (terms / f"sct2_Description_Snapshot-de_AT_{DATE}.txt").write_text(table(DESCRIPTION_HEADER, german))
    links = [
        is_a(31, INFARCTION, HEART), is_a(32, HEART, DISORDER), is_a(33, DISORDER, ROOT), is_a(34, PARKINSON, DISORDER),
        is_a(35, INFARCTION, RETIRED), is_a(36, INFARCTION, PARKINSON, active="0"),
        is_a(37, INFARCTION, PARKINSON, kind="363698007"),
    ]  # fmt: skip
    (terms / f"sct2_Relationship_Snapshot_INT_{DATE}.txt").write_text(table(RELATIONSHIP_HEADER, links))
    (full / f"sct2_Concept_Full_INT_{DATE}.txt").write_text(table(CONCEPT_HEADER, [[RETIRED, DATE, "1", CORE, INT]]))
    preferred = [["80000517-8513-5ca0-a44c-dc66f3c3a1c6", DATE, "1", CORE, "900000000000509007", "3",
                  "900000000000548007"]]  # fmt: skip
    (refsets / f"der2_cRefset_LanguageSnapshot-en_INT_{DATE}.txt").write_text(table(LANGUAGE_HEADER, preferred))
    (folder / "release_package_information.json").write_text("{}")
    return folder


def climb(tmp_path: Path, kind: str, paths: Sequence[Path], phrase: str, language: str, codes: str = "") -> list[str]:
    languages = tuple(filter(None, codes.split(",")))
    build(read_concepts([str(path) for path in paths], kind, languages), tmp_path / "store", {"kinds": [kind]})
    store = Store.open(tmp_path / "store")
    rungs = Climber({"codes": store}, language, ("codes",)).climb_entries(phrase, "DEM").rungs
    assert all(rung.is_own and rung.source == "codes" for rung in rungs)
    return [rung.label for rung in rungs]


@pytest.mark.parametrize(
    ("phrase", "language", "wanted"),
    [
        pytest.param("heart attack", "en", ["heart disease", "disease"], id="synonym"),
        pytest.param("Myocardial infarction", "en", ["heart disease", "disease"], id="full-name-without-its-kind"),
        pytest.param("coronary", "en", [], id="inactive-description"),
        pytest.param("heart trouble", "en", [], id="inactive-concept"),
        pytest.param("infarto de miocardio", "es", ["enfermedad cardíaca"], id="spanish"),
        pytest.param("Herzinfarkt", "de", ["Herzkrankheit"], id="german-nouns-keep-their-capital"),
        pytest.param('parkinson\'s "shaking" disease', "en", ["disease"], id="quotes-are-letters"),
    ],
)
def test_snomed_is_read_from_its_release(tmp_path: Path, phrase: str, language: str, wanted: list[str]) -> None:
    assert climb(tmp_path, "rf2", [write_release(tmp_path / "release")], phrase, language) == wanted


def test_the_preferred_synonym_is_shown(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    build(rf2.concepts([str(folder)]), tmp_path / "store", {})
    store = Store.open(tmp_path / "store")
    places = {id: store.find(f"sct:{id}") for id in (INFARCTION, PARKINSON, ROOT)}
    labels = {id: store.label(place, "en") for id, place in places.items() if place is not None and id != ROOT}
    assert labels == {INFARCTION: "heart attack", PARKINSON: 'Parkinson\'s "shaking" disease'}
    assert [id for id, place in places.items() if place is not None and store.hidden(place)] == [ROOT]


def test_a_zip_and_named_files_are_the_same(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release")
    with zipfile.ZipFile(tmp_path / "release.zip", "w", zipfile.ZIP_DEFLATED) as pack:
        for file in folder.rglob("*.txt"):
            pack.write(file, file.relative_to(folder))
    snapshot = [str(file) for file in sorted((folder / "Snapshot").rglob("*.txt"))]
    whole = list(rf2.concepts([str(folder)]))
    assert list(rf2.concepts([str(tmp_path / "release.zip")])) == whole
    assert sorted(map(str, rf2.concepts(snapshot))) == sorted(map(str, whole))
    assert {label.language for one in rf2.concepts([str(folder)], ["es"]) for label in one.labels} == {"es"}


@pytest.mark.parametrize("name", ["Full_2024", "rel/Full", "Delta/rel_Delta-en_2"])
def test_where_a_release_lies_does_not_matter(name: str, tmp_path: Path) -> None:
    folder = write_release(tmp_path / name)
    (folder / "Readme_de.txt").write_bytes("Größe\r\n".encode("latin-1"))
    (folder / "Lizenz.txt").write_bytes(b"\0\0")
    concept = next(folder.rglob("sct2_Concept_Snap*"))
    concept.write_bytes(b"\xef\xbb\xbf" + concept.read_bytes())
    whole = list(rf2.concepts([str(folder)]))
    assert f"sct:{INFARCTION}" in {concept.id for concept in whole}
    assert f"sct:{RETIRED}" not in {concept.id for concept in whole}
    with zipfile.ZipFile(tmp_path / "Full_2024.zip", "w") as pack:
        for file in folder.rglob("*.txt"):
            pack.write(file, Path("Full_2024", file.relative_to(folder)))
    assert list(rf2.concepts([str(tmp_path / "Full_2024.zip")])) == whole


def broken(folder: Path, name: str, content: str | bytes) -> Path:
    file = next(folder.rglob(name))
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("sct2_Relationship_*", "nothing\n", "no table of relationships", id="another-table"),
        pytest.param("sct2_Concept_Snap*", CONCEPT_HEADER.replace(" ", "\t") + "\n", "no active concept", id="empty"),
        pytest.param(
            "sct2_Concept_Snap*", CONCEPT_HEADER.replace(" ", "\t") + "\nx\t1\n", "line 2: is no row", id="row"
        ),
        pytest.param(
            "sct2_Concept_Snap*",
            table(CONCEPT_HEADER, [["1" * 5000, DATE, "1", CORE, INT]]),
            "line 2: is no row",
            id="5000-digits",
        ),
        pytest.param("sct2_Description_Snapshot-en*", b"\xff\xfe\x00", "sct2_Description", id="bytes"),
        pytest.param(
            "sct2_Description_Snapshot-en*",
            DESCRIPTION_HEADER.replace(" ", "\t").encode()
            + b"\n1\t20240101\t1\t1\t22298006\ten\t900000000000013009\tinfarction \xe9\t1\n",
            "sct2_Description",
            id="latin-1",
        ),
        pytest.param(
            "sct2_Concept_Snap*", CONCEPT_HEADER.replace(" ", "\t") + "\n" + "1" * (1 << 25), "line 2", id="huge"
        ),
    ],
)
def test_a_release_that_is_broken_is_refused(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    folder = broken(write_release(tmp_path / "release"), name, content)
    with pytest.raises(EmbanonError, match=message) as caught:
        list(rf2.concepts([str(folder)]))
    assert "infarction" not in str(caught.value).lower()
    assert "\n" not in str(caught.value)


def test_kinds_that_are_kinds_of_each_other_end(tmp_path: Path) -> None:
    """A heart disease is an infarction here as well, and an infarction one of itself."""
    folder = write_release(tmp_path / "release")
    file = next(folder.rglob("sct2_Relationship_Snapshot*"))
    rows = [is_a(90, HEART, INFARCTION), is_a(91, INFARCTION, INFARCTION), is_a(92, DISORDER, HEART)]
    file.write_text(file.read_text() + "".join("\t".join(row) + "\r\n" for row in rows))
    assert climb(tmp_path, "rf2", [folder], "heart attack", "en") == ["heart disease", "disease"]


def test_what_unpacks_beyond_measure_is_refused(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as pack:
        for number, header in enumerate((CONCEPT_HEADER, DESCRIPTION_HEADER, RELATIONSHIP_HEADER)):
            pack.writestr(f"sct2_{number}_Snapshot_INT.txt", header.replace(" ", "\t") + "\n" + "1" * 5_000_000)
    with pytest.raises(InputError, match="unpacks to more than 1 MB"):
        list(rf2.concepts([str(tmp_path / "bomb.zip")], limits=Limits(total=1 << 20)))
    (tmp_path / "no.zip").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(InputError, match="is no whole zip"):
        list(ReleaseFile("no.zip", str(tmp_path / "no.zip"), "a").lines())


GM = {
    "icd10gm2024syst_kodes.txt": (
        "3;N;X;06;G35;G35.-;G35;G35;Multiple Sklerose [Encephalomyelitis disseminata];Multiple Sklerose;;\n"
        "4;T;X;06;G35;G35.0;G35.0;G350;Erstmanifestation einer multiplen Sklerose;Multiple Sklerose;Erst;\n"
        "5;T;X;06;G35;G35.10;G35.10;G3510;Multiple Sklerose mit vorherrschend schubförmigem Verlauf;;;\n"
        "3;T;X;04;E10;E10.-;E10;E10;Diabetes mellitus, Typ 1;Diabetes;;\n"
    ),
    "icd10gm2024syst_gruppen.txt": (
        "G35;G37;06;Demyelinisierende Krankheiten des Zentralnervensystems\nE10;E14;04;Diabetes mellitus\n"
    ),
    "icd10gm2024syst_kapitel.txt": (
        "04;Endokrine, Ernährungs- und Stoffwechselkrankheiten\n06;Krankheiten des Nervensystems\n"
    ),
}
WHO = {
    "icd102019syst_codes.txt": "3;N;X;09;I10;I10.-;I10;I10;Essential (primary) hypertension;Essential;;;001;4-002\n",
    "icd102019syst_groups.txt": "I10;I15;09;Hypertensive diseases\n",
    "icd102019syst_chapters.txt": "09;Diseases of the circulatory system\n",
}
CDC = {
    "icd10cm_order_2024.txt": (
        "00001 A00     0 Cholera                                                      Cholera\n"
        "00002 A000    1 Cholera due to Vibrio cholerae 01, biovar cholerae           "
        "Cholera due to Vibrio cholerae 01, biovar cholerae\n"
    )
}
LISTED = {"icd10cm_codes_2024.txt": "A00     Cholera\nA000    Cholera due to Vibrio cholerae 01\n"}
TABLE = {
    "ours.csv": (
        'code,title\nG30-G32,Other diseases\nG30,"Alzheimer disease, all"\n'
        'G30.1,"Alzheimer disease, late"\nF00,Dementia in Alzheimer disease\n'
    )
}
WHO_ABOVE = ["hypertensive diseases", "diseases of the circulatory system"]
CLAML = {
    "icd.xml": """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE ClaML SYSTEM "ClaML.dtd">
<ClaML version="2.0.0"><Title name="ICD-10-WHO">ICD-10</Title>
<Class code="IX" kind="chapter"><SubClass code="I10-I15"/>
  <Rubric kind="preferred"><Label xml:lang="en">Diseases of the circulatory system</Label></Rubric></Class>
<Class code="I10-I15" kind="block"><SuperClass code="IX"/><SubClass code="I10"/>
  <Rubric kind="preferred"><Label xml:lang="en">Hypertensive diseases</Label></Rubric>
  <Rubric kind="exclusion"><Label xml:lang="en">neonatal <Reference>P29.2</Reference></Label></Rubric></Class>
<Class code="I10" kind="category"><SuperClass code="I10-I15"/>
  <Rubric kind="preferred"><Label xml:lang="en">Essential <Fragment>hypertension</Fragment> <Reference>(I15)</Reference>
  </Label></Rubric><Rubric kind="inclusion"><Label xml:lang="en">High blood pressure</Label></Rubric></Class>
</ClaML>"""
}


@pytest.mark.parametrize(
    ("files", "codes", "phrase", "wanted"),
    [
        pytest.param(GM, "de", "G35.10", ["Multiple Sklerose [Encephalomyelitis disseminata]",
                     "Demyelinisierende Krankheiten des Zentralnervensystems", "Krankheiten des Nervensystems"],
                     id="german-code"),
        pytest.param(GM, "de", "Diabetes mellitus, Typ 1",
                     ["Diabetes mellitus", "Endokrine, Ernährungs- und Stoffwechselkrankheiten"], id="german-title"),
        pytest.param(WHO, "en", "I10", WHO_ABOVE, id="who"),
        pytest.param(CDC, "en", "A00.0", ["cholera"], id="cdc-order"),
        pytest.param(LISTED, "en", "A000", ["cholera"], id="cdc-codes-without-point"),
        pytest.param(TABLE, "en", "G30.1", ["Alzheimer disease, all", "other diseases"], id="table"),
        pytest.param(CLAML, "", "I10", WHO_ABOVE, id="claml-code"),
        pytest.param(CLAML, "", "essential hypertension", WHO_ABOVE, id="claml-title"),
    ],
)  # fmt: skip
def test_icd_is_read_as_it_is_published(
    tmp_path: Path, files: dict[str, str], codes: str, phrase: str, wanted: list[str]
) -> None:
    paths = [tmp_path / name for name in files]
    for path in paths:
        path.write_text(files[path.name], encoding="utf-8")
    assert climb(tmp_path, "icd10", paths, phrase, codes or "en", codes) == wanted


@pytest.mark.parametrize(
    ("codes", "code", "wanted"),
    [
        pytest.param(("A00-B99", "A00-A09", "A20-A28"), "A01", "A00-A09", id="narrowest"),
        pytest.param(("A00-B99", "A00-A09", "A20-A28"), "A10", "A00-B99", id="between"),
        pytest.param(("A00-B99", "A00-A09", "A20-A28"), "A00-A09", "A00-B99", id="block"),
        pytest.param(("A00-B99", "A00-A09", "A20-A28"), "A00-B99", None, id="widest"),
        pytest.param(("A00-A05", "A03-A09"), "A04", "A03-A09", id="overlapping"),
        pytest.param(("A00-A05", "A03-A09"), "A02", "A00-A05", id="before-it"),
        pytest.param(("A00-A09.5",), "A09", "A00-A09.5", id="with-a-point"),
        pytest.param(("A00-A09",), "C50", None, id="in-none"),
        pytest.param(
            [f"A00-{letter}{number:02}" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" for number in range(100)],
            "B50", "A00-B50", id="thousands",
        ),
    ],
)  # fmt: skip
def test_a_code_lies_in_the_narrowest_block(codes: Sequence[str], code: str, wanted: str | None) -> None:
    assert icd10.enclosing_blocks(dict.fromkeys((*codes, code))).get(code) == wanted


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("a.csv", "violinist,musician\n", "has no code of ICD-10", id="no-codes"),
        pytest.param("a.xml", '<!DOCTYPE x [<!ENTITY a "aaa">]><ClaML>&a;</ClaML>', "has entities", id="entities"),
        pytest.param("a.xml", "<ClaML><Class", "is no XML", id="broken"),
        pytest.param("a.csv", "G29,Other\nG30,Alz\rheimer\n", "a.csv, line 2: has a line break", id="line-break"),
        pytest.param(
            "a.xml", CLAML["icd.xml"].replace('"IX"', f'"{"1" * 5000}"'), "a.xml, line 4: its code", id="digits"
        ),
        *(
            pytest.param("a.xml", CLAML["icd.xml"].replace("UTF-8", each), "a.xml, line 1: is in an encoding", id=each)
            for each in ("Shift_JIS", "gb2312", "utf-99", "base64")
        ),
        pytest.param("a.csv", "A00;" + "x" * 5000, "longer than titles", id="long"),
        pytest.param("a.csv", "A00;" + "x" * (1 << 25), "longer than", id="huge"),
        pytest.param("a.csv", b"A00;Cholera\nA01;Fi\xe8vre\n", "a.csv", id="latin-1"),
        pytest.param("a.csv", b"\xff\xfeA\x000\x00", "a.csv", id="utf-16"),
        pytest.param("a.csv", "", "a.csv", id="empty"),
        pytest.param("a.csv", "A00\nA01\n", "a.csv", id="codes-alone"),
    ],
)
def test_what_is_no_classification_is_refused(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(EmbanonError, match=message) as caught:
        list(icd10.concepts([str(tmp_path / name)]))
    assert "\n" not in str(caught.value)


def test_codes_above_each_other_end(tmp_path: Path) -> None:
    pages = {
        "icd.xml": CLAML["icd.xml"].replace("</ClaML>", """<Class code="I9" kind="category"><SuperClass code="I8"/>
<Rubric kind="preferred"><Label xml:lang="en">Inner</Label></Rubric></Class><Class code="I8" kind="category">
<SuperClass code="I9"/><Rubric kind="preferred"><Label xml:lang="en">Outer</Label></Rubric></Class></ClaML>""")
    }  # fmt: skip
    (tmp_path / "icd.xml").write_text(pages["icd.xml"])
    assert climb(tmp_path, "icd10", [tmp_path / "icd.xml"], "inner", "en", "") == ["outer"]


def test_rows_that_say_a_code_twice_or_are_empty_keep_the_first(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("code,title\n\nA00,Cholera\nA00,Another\nA00.1,Cholera eltor\n,\n")
    assert climb(tmp_path, "icd10", [tmp_path / "a.csv"], "Cholera eltor", "en", "en") == ["cholera"]


def test_packed_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "icd.csv.gz").write_bytes(gzip.compress(TABLE["ours.csv"].encode()))
    (tmp_path / "icd.xml.gz").write_bytes(gzip.compress(CLAML["icd.xml"].encode()))
    assert climb(tmp_path, "icd10", [tmp_path / "icd.csv.gz"], "G30", "en") == ["Other diseases"]
    assert climb(tmp_path, "icd10", [tmp_path / "icd.xml.gz"], "I10", "en")[0] == "hypertensive diseases"
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(TABLE["ours.csv"].encode())[:-9])
    with pytest.raises(InputError, match=r"cut\.csv\.gz: is not a whole gzip file"):
        list(icd10.concepts([str(tmp_path / "cut.csv.gz")]))
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"\n" * (3 << 20)))
    with pytest.raises(InputError, match=r"bomb\.csv\.gz: unpacks to more than 1 MB"):
        list(icd10.concepts([str(tmp_path / "bomb.csv.gz")], limits=Limits(total=1 << 20)))
