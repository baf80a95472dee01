"""`embanon ontology labels`, and building just what a collection needs."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.cli.main import main
from embanon.taxonomy import climb
from tests.taxonomy.endpoints import oxigraph, serving
from tests.taxonomy.test_wikidata_part import DUMP

LETTER = "Dear Ms Holm,\n\nMara Quendel played in Ashvale Rising. Mara Quendel was in Berlin on 3 May 2019.\n"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.fsync", lambda _: None)
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text(LETTER)
    (tmp_path / "dump.json").write_text(DUMP)

    def call(*words: str) -> tuple[int, str, str]:
        climb.climber.cache_clear()
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdout", out)
            code = main(["ontology", *words])
        errors = capsys.readouterr().err
        assert "internal error" not in errors
        return code, out.buffer.getvalue().decode(), errors  # type: ignore[attr-defined]

    return call


def test_phrases_without_a_ladder(run: Run) -> None:
    code, out, _ = run("labels", "texts")
    rows = [line.split(maxsplit=3) for line in out.splitlines()]
    assert (code, rows[0]) == (0, ["count", "type", "language", "phrase"])
    assert rows[1] == ["2", "PERSON", "en", "Mara Quendel"]
    assert {row[3] for row in rows} >= {"Mara Quendel", "Ashvale Rising"}
    assert not {row[3] for row in rows} & {"Berlin", "3 May 2019"}


def test_as_json(run: Run) -> None:
    rows = [json.loads(line) for line in run("labels", "texts/a.txt", "--json")[1].splitlines()]
    assert rows[0] == {
        "phrase": "Mara Quendel", "language": "en", "count": 2, "types": {"PERSON": 2}, "forms": ["Mara Quendel"]
    }  # fmt: skip
    assert [row["count"] for row in rows] == sorted((row["count"] for row in rows), reverse=True)


def test_what_a_collection_needs(run: Run) -> None:
    code, out, errors = run("build", "dump.json", "--kind", "wikidata", "--for", "texts", "-o", "s")
    assert (code, "have no ladder yet" in errors, "Ashvale" in errors) == (0, True, False)
    assert out.startswith("s: 8 concepts, ")
    assert run("climb", "Ashvale Rising", "--type", "MISC", "--store", "s")[1] == "film\nwork\n"
    assert run("climb", "Mara Quendel", "--type", "PERSON", "--store", "s")[1] == "actor\nperson\nPERSON\n"
    assert run("climb", "Mara Quendel", "--type", "PERSON", "--store", "s", "--explain")[1].splitlines()[2].split()[
        2
    ] == ("occupation")
    rest = run("labels", "texts", "--store", "s", "--store", "wordnet", "--store", "places")[1]
    assert "Mara Quendel" not in rest
    assert run("climb", "Berlin", "--type", "LOC", "--store", "s")[0] == 0  # by what is computed alone


def test_an_endpoint_is_asked_for_the_same(run: Run, tmp_path: Path) -> None:
    triples = (
        f'<x:q> <{RDFS}label> "Ashvale Rising"@en .\n'
        f'<x:q> <{RDFS}subClassOf> <x:f> .\n<x:f> <{RDFS}label> "film"@en .\n'
    )
    (tmp_path / "graph").write_text(triples)
    with serving(oxigraph(tmp_path / "graph")) as server:
        (tmp_path / "embanon.toml").write_text(f'[sparql]\nendpoint = "{server.address}"\ndialect = "owl"\n')
        code, out, _ = run("build", "--kind", "sparql", "--for", "texts", "-o", "s", "--quiet")
    assert (code, out.partition(" concepts")[0]) == (0, "s: 2")
    assert "Ashvale Rising" in server.asked[0]
    assert not any("Berlin" in query or "2019" in query for query in server.asked)


REFUSED = {
    "another source": (["build", "a.csv", "--for", "texts", "-o", "s"], 2, "--for goes with dumps of Wikidata"),
    "no such texts": (["build", "dump.json", "--kind", "wikidata", "--for", "none", "-o", "s"], 3, "none: "),
    "resumed": (["build", "dump.json", "--kind", "wikidata", "--for", "texts", "--resume", "-o", "s"], 2, "leave out"),
    "nothing missing": (["build", "dump.json", "--kind", "wikidata", "--for", "plain.txt", "-o", "s"], 2, "nothing to"),
    "no source": (["build", "--kind", "wikidata", "--for", "texts", "-o", "s"], 2, "no source"),
    "no texts": (["labels", "none.txt"], 3, "none.txt"),
    "no store": (["labels", "texts", "--store", "none"], 3, "none: no such taxonomy"),
}


@pytest.mark.parametrize(("words", "code", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(words: list[str], code: int, message: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("She lives in Berlin.\n")
    (tmp_path / "a.csv").write_text("dog,animal\n")
    done = run(*words)
    assert (done[0], message in done[2], len(done[2].splitlines())) == (code, True, 1)
    assert not (tmp_path / "s").exists()


def test_nothing_is_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("She lives in Berlin.\n")
    assert run("labels", "plain.txt") == (0, "", "embanon: note: every phrase of the texts has a ladder\n")
