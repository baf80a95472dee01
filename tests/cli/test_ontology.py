"""`embanon ontology`: what it compiles, shows and climbs, what it refuses, and how it ends when it is stopped."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from rdflib import Graph, Literal, URIRef

from embanon.cli.main import main
from embanon.errors import ConfigError
from embanon.io.messages import describe_progress
from embanon.taxonomy import climb, store as taxonomy_store
from embanon.taxonomy.spool import SpoolState
from embanon.taxonomy.store import Store

ROOT = Path(__file__).parents[2]
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix")
SECRET = "Geheimnis"

TURTLE = """\
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
<x:dog> skos:prefLabel "dog"@en, "Hund"@de ; skos:altLabel "hound"@en ; skos:broader <x:pet>, <x:nowhere> .
<x:pet> skos:prefLabel "pet"@en, "Haustier"@de ; skos:broader <x:animal> .
<x:animal> skos:prefLabel "animal"@en .
"""
TABLE = "specific,broad\ndog,pet,animal\nviolinist,musician\n"
SKOS, RDFS = "http://www.w3.org/2004/02/skos/core#", "http://www.w3.org/2000/01/rdf-schema#label"
TRIPLES = f"""\
<x:dog> <{SKOS}prefLabel> "dog"@en .
<x:dog> <{SKOS}broader> <x:pet> .
<x:pet> <{RDFS}> "pet"@en .
"""


def entity(id: str, label: str, *classes: str) -> dict[str, object]:
    values = [{"mainsnak": {"snaktype": "value", "property": "P279", "datavalue": {
        "value": {"entity-type": "item", "id": broad}, "type": "wikibase-entityid"}}, "rank": "normal"}
        for broad in classes]  # fmt: skip
    labels = {"en": {"language": "en", "value": label}}
    return {"type": "item", "id": id, "labels": labels, "claims": {"P279": values}, "sitelinks": {}}


ITEMS = "".join(json.dumps(item) + "\n" for item in (entity("Q1", "dog", "Q2"), entity("Q2", "pet")))
KGTK = "id\tnode1\tlabel\tnode2\na\tQ1\tlabel\t'dog'@en\nb\tQ1\tP279\tQ2\nc\tQ2\tlabel\t'pet'@en\n"


@pytest.fixture(autouse=True)
def unsynchronized(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk."""
    monkeypatch.setattr("os.fsync", lambda _: None)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Return a function that runs the command in this process, which takes less time, in an empty folder."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def run(*words: str | Path, stdin: bytes | None = b"") -> Done:
        taxonomy_store.open_taxonomy.cache_clear()  # as in a new process
        climb.climber.cache_clear()
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdin", stdin if stdin is None else io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
            patch.setattr("sys.stdout", out)
            code = main(["ontology", *map(str, words)])
        errors = capfdbinary.readouterr().err.decode()
        assert "internal error" not in errors
        return Done([], code, out.buffer.getvalue().decode(), errors)  # type: ignore[attr-defined]

    return run


@pytest.fixture
def store(tmp_path: Path, here: Run) -> Path:
    (tmp_path / "a.ttl").write_text(TURTLE)
    assert here("build", tmp_path / "a.ttl", "-o", tmp_path / "s", "--license", "CC BY").returncode == 0
    return tmp_path / "s"


def ladder(here: Run, store: str | Path, phrase: str = "dog", *words: str) -> list[str]:
    return here("climb", phrase, "--store", store, *words).stdout.splitlines()


# Building


SOURCES = {
    "a.ttl": TURTLE.encode(),
    "b.csv": TABLE.encode(),
    "c.tsv": TABLE.replace(",", "\t").encode(),
    "d.csv.gz": gzip.compress(TABLE.encode()),
    "e.nt": TRIPLES.encode(),
    "f.nt.gz": gzip.compress(TRIPLES.encode()),
    "g.json.gz": gzip.compress(ITEMS.encode()),
    "h.json.bz2": bz2.compress(ITEMS.encode()),
    "i.tsv.bz2": bz2.compress(KGTK.encode()),
    "J.TTL": TURTLE.encode(),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_kind_of_source(name: str, here: Run, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(SOURCES[name])
    done = here("build", tmp_path / name, "-o", "s")
    assert (done.returncode, done.stdout.partition(" concepts, ")[0].split(": ")[0]) == (0, "s")
    assert ladder(here, "s")[0] == "pet"
    assert here("verify", "s").stdout == "s: whole\n"
    again = here("build", "s", "-o", "t")
    assert again.stdout == done.stdout.replace("s: ", "t: ", 1)
    assert ladder(here, "t") == ladder(here, "s")


@pytest.mark.parametrize(
    ("kind", "data"),
    [("wikidata", ITEMS), ("wikidata", KGTK), ("table", TABLE), ("turtle", TURTLE), ("ntriples", TRIPLES)],
    ids=["items", "KGTK", "table", "Turtle", "N-Triples"],
)  # fmt: skip
def test_a_kind_that_is_named(kind: str, data: str, here: Run, tmp_path: Path) -> None:
    (tmp_path / "x").write_text(data)
    assert here("build", tmp_path / "x", "--kind", kind, "-o", "s").returncode == 0
    assert ladder(here, "s")[0] == "pet"


def test_standard_input(embanon: Run, tmp_path: Path) -> None:
    target = tmp_path / "s"
    for kind, data in (("wikidata", ITEMS), ("table", TABLE), ("turtle", TURTLE)):
        done = embanon("ontology", "build", "-", "--kind", kind, "-o", target, "--quiet", stdin=data.encode())
        assert (done.returncode, "error" in done.stderr) == (0, False)
    assert embanon("ontology", "climb", "dog", "--store", target).stdout == "pet\nanimal\n"


def test_several_sources_and_notes(here: Run, tmp_path: Path) -> None:
    for name in ("a.ttl", "b.csv"):
        (tmp_path / name).write_bytes(SOURCES[name])
    done = here("build", tmp_path / "a.ttl", tmp_path / "b.csv", "-o", "s", "--languages", "en, de")
    assert done.stdout == "s: 8 concepts, 16 labels, 5 links\n"
    assert done.stderr == "embanon: note: 1 links lead to concepts that the sources do not have, or to themselves\n"
    assert set(Store.open("s").languages) == {"en", "de"}
    here("build", tmp_path / "a.ttl", "-o", "s", "--languages", "de")
    assert Store.open("s").languages == ("de",)


def test_languages_of_a_taxonomy_and_of_a_table(store: Path, here: Run, tmp_path: Path) -> None:
    here("build", store, "-o", "t", "--languages", "de")
    assert Store.open("t").languages == ("de",)
    assert ladder(here, "t", "Hund", "--language", "de") == ["Haustier"]
    refused = here("build", store, "-o", "u", "--languages", "fr,pt")
    assert (refused.returncode, refused.stdout) == (3, "")
    assert "s: has no label in fr, pt; it has " in refused.stderr
    (tmp_path / "b.csv").write_text("Porto,port\n")
    here("build", tmp_path / "b.csv", "-o", "b", "--languages", "en,de")
    seen = {code: "port" in ladder(here, "b", "Porto", "--language", code) for code in ("en", "de", "es")}
    assert seen == {"en": True, "de": True, "es": False}


def test_each_row_keeps_its_ladder(here: Run, tmp_path: Path) -> None:
    (tmp_path / "sites.csv").write_text("Site North,our site,Poland\nSite South,our site,Spain\n")
    here("build", tmp_path / "sites.csv", "-o", "s")
    assert ladder(here, "s", "Site South")[:2] == ["our site", "Spain"]
    assert "Poland" not in ladder(here, "s", "Site South")
    assert not {"Poland", "Spain"} & set(ladder(here, "s", "our site"))


def test_adding(store: Path, here: Run, tmp_path: Path) -> None:
    (tmp_path / "more.csv").write_text("terrier,dog\n")
    done = here("add", store, tmp_path / "more.csv", "--license", "our own", "--languages", "en")
    assert done.stdout == f"{store}: 5 concepts, 8 labels, 3 links\n"
    assert json.loads(here("info", store, "--json").stdout)["license"] == "CC BY; our own"
    assert ladder(here, store, "Hund", "--language", "de") == ["Haustier"]
    assert ladder(here, store, "terrier") == ["dog"]
    assert ladder(here, store, "hound") == ["pet", "animal"]
    here("add", store, tmp_path / "more.csv", "--languages", "en")  # again
    assert json.loads(here("info", store, "--json").stdout)["concepts"] == 5


def test_those_who_add_at_once_wait_for_each_other(store: Path, here: Run, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "embanon", "ontology", "add", str(store)]
    processes = []
    for number in range(4):
        (tmp_path / f"{number}.csv").write_text(f"breed {number},dog\n")
        processes.append(subprocess.Popen([*words, str(tmp_path / f"{number}.csv")], stdout=subprocess.DEVNULL))
    assert [process.wait(60) for process in processes] == [0] * 4
    assert here("verify", store).stdout == f"{store}: whole\n"
    assert [ladder(here, store, f"breed {number}")[0] for number in range(4)] == ["dog"] * 4
    assert not [path for path in tmp_path.iterdir() if path.name.endswith((".lock", ".part", ".previous"))]


def test_what_is_added_is_refused_as_a_whole(store: Path, here: Run, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    (tmp_path / "a.csv").write_text("terrier,dog\n")
    (tmp_path / "b.ttl").write_text(f"{SECRET} is no Turtle")
    done = here("add", store, tmp_path / "a.csv", tmp_path / "b.ttl")
    assert (done.returncode, done.stdout) == (3, "")
    assert SECRET not in done.stderr
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before


# Showing


def test_info(store: Path, here: Run) -> None:
    card = json.loads(here("info", store, "--json").stdout)
    assert (card["concepts"], card["labels"], card["links"], card["dropped"]) == (3, 6, 2, 1)
    assert card["bytes"] == sum(path.stat().st_size for path in store.glob("*.npy"))
    rows = here("info", store).stdout
    assert "license" in rows
    assert "files" not in rows


@pytest.mark.parametrize(("format", "name"), [("turtle", "turtle"), ("ntriples", "nt")])
def test_export_reads_back(format: str, name: str, store: Path, here: Run, tmp_path: Path) -> None:
    done = here("export", store, "--format", format)
    graph = Graph().parse(data=done.stdout, format=name)
    broader, label = URIRef(f"{SKOS}broader"), URIRef(f"{SKOS}prefLabel")
    assert (URIRef("x:dog"), broader, URIRef("x:pet")) in graph
    assert set(graph.objects(URIRef("x:dog"), label)) == {Literal("dog", "en"), Literal("Hund", "de")}
    back = tmp_path / f"back.{'ttl' if name == 'turtle' else name}"
    back.write_text(done.stdout, encoding="utf-8")
    here("build", back, "-o", "t")
    assert ladder(here, "t") == ladder(here, store) == ["pet", "animal"]


def test_climbing(store: Path, here: Run) -> None:
    done = here("climb", "hound", "--store", store, "--explain")
    decided, header, first = done.stdout.splitlines()[:3]
    assert decided.endswith("; decided by s: 'hound' (en, exact), x:dog")
    assert header.split() == ["generalization", "source", "by", "kept", "concept"]
    assert first.split() == ["pet", "s", "subclass", "0.37", "x:pet"]
    row = json.loads(here("climb", "hound", "--store", store, "--json").stdout)
    assert (row["phrase"], row["form"]) == ("hound", "hound")
    assert row["senses"] == [{"source": "s", "concept": "x:dog", "probability": 1.0}]
    assert row["ladder"][1] == {"label": "animal", "source": "s", "by": "subclass", "concept": "x:animal", "kept": 0.0}
    assert ladder(here, store, "dog", "--type", "LOC", "--form", "name") == ["pet", "animal", "a place"]


@pytest.mark.parametrize(
    ("phrase", "seen", "decided"),
    [
        ("Porto", "type LOC, as it seems", "decided by towns: 'Porto' (any language, exact), label:porto"),
        ("5 June 2003", "type DATETIME, as it seems", "computed, no store decided"),
        ("Lisbon", "type LOC, as it seems", "decided by places: 'Lisbon', geo:"),
        ("towels", "type MISC, as it seems", "decided by towns: 'towel' (any language, variant), label:towel"),
    ],
)
def test_the_type_is_inferred_and_the_entry_said(
    phrase: str, seen: str, decided: str, here: Run, tmp_path: Path
) -> None:
    (tmp_path / "towns.csv").write_text("Porto,Portugal,Europe\ntowel,cloth\n")
    here("build", tmp_path / "towns.csv", "-o", tmp_path / "towns")
    stores = "--store", tmp_path / "towns", "--store", "places", "--store", "wordnet"
    line = here("climb", phrase, *stores, "--explain").stdout.split("\n")[0]
    assert line.startswith(f"{seen}; ")
    assert decided in line
    row = json.loads(here("climb", phrase, *stores, "--json").stdout)
    assert (row["type"], bool(row["entries"])) == (seen.split()[1].rstrip(","), "towns" in decided)


def test_lines_of_standard_input(store: Path, here: Run) -> None:
    lines = b"\xef\xbb\xbfdog\r\n\n  \nzyzzyva\npet"
    done = here("climb", "-", "--store", store, stdin=lines)
    assert (done.returncode, done.stdout) == (1, "pet\nanimal\n\n\nanimal\n")
    assert done.stderr == "embanon: line 4: no generalization that is known to be true\n"
    rows = here("climb", "-", "--store", store, "--json", stdin=lines).stdout.splitlines()
    assert [json.loads(row)["phrase"] for row in rows] == ["dog", "zyzzyva", "pet"]
    assert here("climb", "-", "--store", store).returncode == 0


def test_several_stores(store: Path, here: Run, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "b.csv").write_text(TABLE)
    other = tmp_path / "other" / "s"  # which is called as the first
    here("build", tmp_path / "b.csv", "-o", other)
    for stores, phrase, expected in (
        ((store, other), "violinist", "musician"),
        ((other, store), "Hund", "Haustier"),
        ((store, other), "dog", "pet"),
    ):
        words = [word for path in stores for word in ("--store", path)]
        language = "de" if phrase == "Hund" else "en"
        assert here("climb", phrase, *words, "--language", language).stdout.splitlines()[0] == expected


def test_unknown(store: Path, here: Run) -> None:
    done = here("climb", SECRET, "--store", store)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "embanon: no generalization that is known to be true\n"


SHIPPED = [ROOT / "ontologies" / "stores" / name for name in taxonomy_store.SHIPPED]


@pytest.mark.skipif(not all(path.is_dir() for path in SHIPPED), reason="they are not compiled")
def test_list(here: Run) -> None:
    rows = here("list").stdout.splitlines()
    assert [row.split()[0] for row in rows[1:]] == list(taxonomy_store.SHIPPED)


def test_a_folder_that_is_called_as_a_shipped_one_does_not_hide_it(
    here: Run, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.rename("places")
    monkeypatch.setattr(taxonomy_store, "find_resource", lambda *parts: Path("/", *parts))
    assert taxonomy_store.taxonomy_folder("places") == Path("/ontologies/stores/places")
    assert ladder(here, "./places") == ["pet", "animal"]


# Mistakes

MISTAKES = {
    "no source": (["build", "-o", "s"], 2, "no source; name files, or --kind sparql"),
    "no target": (["build", "{good}"], 2, "required: -o"),
    "no file": (["build", "none.ttl", "-o", "s"], 3, "none.ttl: no such file"),
    "a folder": (["build", "{folder}", "--kind", "rdf", "-o", "s"], 2, "does not say its format"),
    "no kind": (["build", "{foreign}", "-o", "s"], 2, "its name does not say what it is; name it: --kind rdf, table"),
    "standard input without a kind": (["build", "-", "-o", "s"], 2, "name it: --kind"),
    "unknown kind": (["build", "{good}", "--kind", "xls", "-o", "s"], 2, "argument --kind: invalid choice"),
    "not RDF": (["build", "{bad}.ttl", "-o", "s"], 3, "bad.ttl"),
    "not XML": (["build", "{bad}.owl", "-o", "s"], 3, "bad.owl"),
    "no JSON": (["build", "{bad}.jsonld", "-o", "s"], 3, "bad.jsonld"),
    "no triples": (["build", "{bad}.nt", "-o", "s"], 3, "bad.nt"),
    "no dump": (["build", "{bad}.ttl", "--kind", "wikidata", "-o", "s"], 3, "is no dump of Wikidata"),
    "no ladder": (["build", "{bad}.csv", "-o", "s"], 3, "has no row with two labels"),
    "empty": (["build", "{empty}.ttl", "-o", "s"], 3, "has no concept with a label"),
    "an empty table": (["build", "{empty}.csv", "-o", "s"], 3, "has no row with two labels"),
    "an empty dump": (["build", "{empty}.ttl", "--kind", "wikidata", "-o", "s"], 3, "is empty; a dump is"),
    "cut gzip": (["build", "{cut}.nt.gz", "-o", "s"], 3, "cut.nt.gz"),
    "a cut gzip table": (["build", "{cut}.csv.gz", "-o", "s"], 3, "cut.csv.gz"),
    "a cut gzip dump": (["build", "{cut}.json.gz", "-o", "s"], 3, "cut.json.gz"),
    "a table of KGTK": (["build", "{kgtk}", "-o", "s"], 3, "is a table of KGTK; say so: --kind wikidata"),
    "no endpoint": (["build", "--kind", "sparql", "-o", "s"], 2, "sparql"),
    "files of an endpoint": (["build", "{good}", "--kind", "sparql", "-o", "s"], 2, "--kind sparql reads no files"),
    "labels of files": (["build", "{good}", "--label", "x", "-o", "s"], 2, "--label goes with it alone"),
    "a target that is a folder": (["build", "{good}", "-o", "{folder}"], 2, "is there and is no taxonomy"),
    "a target that is a file": (["build", "{good}", "-o", "{good}"], 2, "is there and is no taxonomy"),
    "a target in no folder": (["build", "{good}", "-o", "none/s"], 2, "its folder does not exist"),
    "nothing to add to": (["add", "none", "{good}"], 3, "none: no such taxonomy; make one: embanon ontology build"),
    "nothing to add": (["add", "{store}"], 2, "no source"),
    "not even read": (["build", "{bad}.ttl", "-o", "{folder}"], 2, "is there and is no taxonomy"),
    "info of nothing": (["info", "none"], 3, "none: no such taxonomy"),
    "export of a file": (["export", "{good}"], 3, "is a file, not a taxonomy"),
    "a release of standard input": (["build", "-", "--kind", "rf2", "-o", "s"], 2, "not read from standard input"),
    "codes of standard input": (["build", "-", "--kind", "icd10", "-o", "s"], 2, "not read from standard input"),
    "climb a table": (
        ["climb", SECRET, "--store", "{bad}.csv"],
        3,
        "bad.csv: is a table, not a taxonomy; build it first: embanon ontology build ",
    ),
    "climb in no name": (["climb", SECRET, "--store", ""], 3, ".: has no taxonomy.toml"),
    "climb in this folder": (["climb", SECRET, "--store", "."], 3, "so it is no taxonomy; make one: embanon ontology"),
    "verify the root": (["verify", "/"], 3, "/: has no taxonomy.toml"),
    "add to the root": (["add", "/", "{good}"], 3, "/: has no taxonomy.toml"),
    "resume the root": (["build", "--kind", "sparql", "--resume", "-o", "/"], 2, "/: is no name for a taxonomy"),
    "verify a folder": (["verify", "{folder}"], 3, "has no taxonomy.toml"),
    "a blank phrase": (["climb", " ", "--store", "{store}"], 2, "the phrase is blank"),
    "climb nowhere": (["climb", SECRET, "--store", "none"], 3, "none: no such taxonomy"),
    "unknown type": (["climb", SECRET, "--type", "X", "--store", "{store}"], 2, "argument --type: invalid choice"),
    "a damaged store": (["climb", SECRET, "--store", "{damaged}"], 3, "has not the size that taxonomy.toml says"),
    "another damaged store": (["verify", "{changed}"], 3, "changed since it was saved: senses.weights.npy"),
    "export of a damaged store": (["export", "{damaged}"], 3, "has not the size"),
    "add to a damaged store": (["add", "{damaged}", "{good}"], 3, "has not the size"),
    "a damaged source": (["build", "{damaged}", "-o", "s"], 3, "has not the size"),
}


@pytest.fixture
def places(tmp_path: Path, store: Path) -> dict[str, Path]:
    for ending in ("ttl", "owl", "jsonld", "nt", "csv"):
        (tmp_path / f"bad.{ending}").write_text(f"{SECRET} is a <secret \n{SECRET}\n")
        (tmp_path / f"empty.{ending}").touch()
    many = "".join(f"{SECRET} {n},{SECRET}\n" for n in range(9999)), ITEMS * 999, TRIPLES * 999
    for ending, data in zip(("csv", "json", "nt"), many, strict=True):
        (tmp_path / f"cut.{ending}.gz").write_bytes(gzip.compress(data.encode())[:-100])
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "letter.txt").write_text(SECRET)
    copy = {path.name: path.read_bytes() for path in store.iterdir()}
    for name in ("damaged", "changed"):
        (tmp_path / name).mkdir()
        for file, data in copy.items():
            (tmp_path / name / file).write_bytes(data)
    (tmp_path / "damaged" / "senses.keys.npy").write_bytes(copy["senses.keys.npy"][:-1])
    (tmp_path / "changed" / "senses.weights.npy").write_bytes(copy["senses.weights.npy"][:-1] + b"\x7f")
    (tmp_path / "kgtk.tsv").write_text(KGTK)
    (tmp_path / "foreign.xyz").write_text(SECRET)
    return {
        "good": tmp_path / "a.ttl", "store": store, "folder": tmp_path / "folder", "foreign": tmp_path / "foreign.xyz",
        "kgtk": tmp_path / "kgtk.tsv",
        **{name: tmp_path / name for name in ("bad", "empty", "cut", "damaged", "changed")},
    }  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, here: Run, places: dict[str, Path], tmp_path: Path) -> None:
    words, code, message = MISTAKES[name]
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    done = here(*(word.format(**places) for word in words))
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert message in done.stderr
    assert SECRET not in done.stderr
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(("stdin", "message"), [(b"\xff\xfe", "is not UTF-8"), (None, "standard input is closed")])
def test_standard_input_that_cannot_be_read(stdin: bytes | None, message: str, here: Run, store: Path) -> None:
    done = here("climb", "-", "--store", store, stdin=stdin)
    assert (done.returncode, done.stdout) == (3, "")
    assert message in done.stderr


def test_progress_counts_concepts() -> None:
    assert describe_progress("concepts", 40_000, 0, 2.0) == "concepts  20,000 concepts/s"


# Being stopped

STOPPING = """
import os, sys, time
from embanon.io.messages import ProgressLine as Line
step, called = sys.argv.pop(1), Line.__call__
def listening(line, name, done, of):
    called(line, name, done, of)
    if name == step:
        os.write(1, b"!")
        time.sleep(30)
Line.__call__ = listening
from embanon.cli.main import main
from embanon.errors import ConfigError
sys.exit(main())
"""
"""The command itself, telling on standard output when it has come to a step, where it waits."""


@UNIX
@pytest.mark.parametrize(
    ("step", "how", "code"),
    [("concepts", signal.SIGINT, 130), ("sorting", signal.SIGTERM, -15), ("saving", signal.SIGINT, 130)],
)
def test_stopped_quietly(step: str, how: signal.Signals, code: int, store: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in store.iterdir()}
    names = sorted(path.name for path in tmp_path.iterdir())
    with subprocess.Popen(
        [sys.executable, "-c", STOPPING, step, "ontology", "build", str(tmp_path / "a.ttl"), "-o", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # What a shell runs in the background ignores an interrupt, and so would this.
        preexec_fn=lambda: signal.signal(how, signal.SIG_DFL),
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(1) == b"!"
        time.sleep(0.05)
        process.send_signal(how)
        assert (process.wait(60), process.stderr.read()) == (code, b"")
    assert {path.name: path.read_bytes() for path in store.iterdir()} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == names


@UNIX
def test_a_reader_that_goes_away(store: Path, command: list[str]) -> None:
    words = " ".join([*command, "ontology", "export", str(store)])
    done = subprocess.run(
        ["bash", "-c", f"{words} | true; exit ${{PIPESTATUS[0]}}"], capture_output=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode in (0, 141)
    assert done.stderr == b""


def many(size: int) -> bytes:
    return b"".join(
        json.dumps(entity(f"Q{number}", f"thing {number}", f"Q{number // 2}")).encode() + b"\n"
        for number in range(1, size)
    )


@UNIX
def test_a_dump_is_taken_up_where_a_killed_build_came_to(here: Run, tmp_path: Path) -> None:
    dump, target = many(50_000), tmp_path / "x"
    command = [sys.executable, "-m", "embanon", "ontology", "build", "-", "--kind", "wikidata", "-o", str(target)]
    process = subprocess.Popen([*command, "--resume"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(dump[: len(dump) * 9 // 10])
    process.stdin.flush()
    part, sizes = tmp_path / "x.reading", [0, -1]
    while sizes[-1] <= 0 or sizes[-1] != sizes[-2]:  # until it waits for more
        time.sleep(0.5)
        sizes.append((part / "spool").stat().st_size if (part / "spool").exists() else -1)
    with pytest.raises(ConfigError, match="at work"):
        SpoolState.read(part, SAME)
    process.kill()
    process.communicate()
    assert SpoolState.read(part, SAME).done == 40_000
    assert not target.exists()

    (tmp_path / "dump.json").write_bytes(dump)
    other = here("build", tmp_path / "dump.json", "--kind", "wikidata", "-o", target, "--resume")
    assert other.returncode == 2
    assert "begun from another source" in other.stderr

    done = subprocess.run([*command, "--resume"], input=dump, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert b"goes on behind 40,000 concepts" in done.stderr
    assert not part.exists()
    subprocess.run([*command[:-1], str(tmp_path / "y")], input=dump, capture_output=True, check=True)
    for file in (tmp_path / "y").glob("*.npy"):
        assert (target / file.name).read_bytes() == file.read_bytes()


SAME = json.dumps(["-", "", []], separators=(", ", ": "))


def test_a_part_that_was_killed_before_it_had_a_batch(here: Run, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(ITEMS)
    (tmp_path / "x.reading").mkdir()
    (tmp_path / "x.reading" / "spool").write_bytes(b"")
    done = here("build", tmp_path / "dump.json", "--kind", "wikidata", "-o", tmp_path / "x", "--resume")
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "x.reading").exists()


def test_an_estimate(here: Run, tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(ITEMS)
    done = here("build", tmp_path / "dump.json", "--kind", "wikidata", "-o", tmp_path / "x", "--estimate")
    assert "about 2 concepts, 2 labels, 1 links" in done.stdout
    assert not (tmp_path / "x").exists()
    refused = here("build", tmp_path / "dump.json", "x.csv", "--kind", "wikidata", "-o", tmp_path / "x", "--estimate")
    assert refused.returncode == 2
