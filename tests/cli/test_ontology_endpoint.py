"""`embanon ontology build --kind sparql`: taken up again where it was killed, and a line for whatever goes wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from embanon.cli.main import main
from tests.taxonomy.endpoints import BROKEN, SECRET, Handler, Server, rdflib_endpoint, relay, serving

RDFS = "http://www.w3.org/2000/01/rdf-schema#"
CLASSES = ("dachshund", "dog", "mammal", "animal"), ("tabby", "cat", "mammal"), ("salmon", "fish", "animal"), ("elm",)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a real endpoint with some classes."""
    for library in ("oxrdflib", "rdflib_endpoint", "uvicorn"):
        pytest.importorskip(library)
    triples = {f'<x:{name}> <{RDFS}label> "{name}"@en .' for names in CLASSES for name in names}
    links = {f"<x:{a}> <{RDFS}subClassOf> <x:{b}> ." for names in CLASSES for a, b in pairwise(names)}
    file = tmp_path_factory.mktemp("graph") / "classes"
    file.write_text("\n".join(triples | links))
    with rdflib_endpoint(file) as address:
        yield address


def write_settings(folder: Path, server: Server, **values: object) -> None:
    values = {"endpoint": server.address, "dialect": "owl", "pause": 0.01, "languages": ["en"]} | values
    (folder / "embanon.toml").write_text(
        "[sparql]\n" + "".join(f"{name} = {value!r}\n" for name, value in values.items())
    )


WORDS = ["--label", "dachshund", "--label", "tabby", "--label", "Salmon", "--label", "elm", "--label", "unicorn"]


def build(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "embanon", "ontology", "build", "--kind", "sparql", *WORDS, "-o", "s", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize(("answers", "words"), [(1, []), (4, ["--resume"]), (6, []), (7, ["--resume"])])
def test_what_was_answered_is_not_asked_again(answers: int, words: list[str], address: str, tmp_path: Path) -> None:
    killed = threading.Event()

    def hang(handler: Handler, query: str) -> None:
        process.send_signal(signal.SIGKILL)
        killed.wait(10)

    real = relay(address)
    with serving(*[real] * answers, hang) as server:
        write_settings(tmp_path, server, batch=2, **{} if words else {"cache": "answers"})
        with build(tmp_path, *words) as process:
            assert process.wait(20) == -signal.SIGKILL
        killed.set()
        assert len(server.asked) == answers + 1
        assert len([*tmp_path.glob("*answers/*.json.gz")]) == answers
        server.replies = [real]
        with build(tmp_path, *words) as process:
            assert process.communicate(timeout=20) == ("s: 9 concepts, 9 labels, 7 links\n", "")
        assert len(server.asked) == len(set(server.asked)) + 1 == 8 + 1  # that which was not answered, twice
        if not words:
            with build(tmp_path) as process:
                assert process.communicate(timeout=20) == ("s: 9 concepts, 9 labels, 7 links\n", "")
            assert len(server.asked) == 8 + 1
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"embanon.toml", "s"} | (set() if words else {"answers"})


@pytest.mark.parametrize("values", [{}, {"cache": "kept"}])
def test_a_build_is_taken_up_where_nothing_else_is_kept(values: dict[str, str], address: str, tmp_path: Path) -> None:
    real = relay(address)
    with serving(real, BROKEN["forbidden"][0]) as server:
        write_settings(tmp_path, server, cache_days=0, retries=0, **values)
        with build(tmp_path, "--resume") as process:
            assert process.wait(20) == 3
        assert len(server.asked) == 2
        server.replies = [real]
        with build(tmp_path, "--resume") as process:
            assert process.communicate(timeout=20) == ("s: 9 concepts, 9 labels, 7 links\n", "")
        assert len(server.asked) == len(set(server.asked)) + 1
    assert not (tmp_path / "s.answers").exists()


def test_the_languages_that_are_named_are_asked_for(address: str, tmp_path: Path) -> None:
    with serving(relay(address)) as server:
        write_settings(tmp_path, server, languages=["en"])
        with build(tmp_path, "--languages", "de,pt") as process:
            assert process.wait(20) == 3  # all labels there are English
        assert all("@de" in query and "@pt" in query and "@en" not in query for query in server.asked)
        with build(tmp_path, "--languages", "de,??") as process:
            assert process.wait(20) == 2


def test_what_is_not_ours_stays(address: str, tmp_path: Path) -> None:
    (tmp_path / "s.answers").mkdir()
    (tmp_path / "s.answers" / "mine.json.gz").write_bytes(b"mine")
    with serving(relay(address)) as server:
        write_settings(tmp_path, server)
        with build(tmp_path, "--resume") as process:
            assert process.communicate(timeout=20) == ("s: 9 concepts, 9 labels, 7 links\n", "")
    assert [path.name for path in (tmp_path / "s.answers").iterdir()] == ["mine.json.gz"]


@pytest.mark.parametrize(("sent", "code", "out"), [
    (b"dachshund\r\n\nelm\n", 0, "s: 5 concepts, 5 labels, 3 links\n"),
    (b"", 3, "nothing to compile"), (b"\n \n", 3, "nothing to compile"), (b"\xff", 3, "not UTF-8"),
])  # fmt: skip
def test_labels_of_standard_input(sent: bytes, code: int, out: str, address: str, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "embanon", "ontology", "build", "--kind", "sparql", "--label", "-", "-o", "s"]
    with serving(relay(address)) as server:
        write_settings(tmp_path, server)
        done = subprocess.run(words, cwd=tmp_path, input=sent, capture_output=True, check=False)
        assert bool(server.asked) == (code == 0)  # without labels it is not asked for all that it has
    assert done.returncode == code
    assert out in (done.stdout or done.stderr).decode()


@pytest.mark.parametrize("name", [
    "stalls", "drips", "endless", "endless chunks", "10 GB", "redirect", "redirect to the same host",
    "redirect to a file", "HTML", "HTML as JSON", "gzip bomb", "deep", "Latin 1", "JSON cut", "body cut", "fails",
    "busy", "too long to wait", "forbidden",
])  # fmt: skip
def test_what_goes_wrong_is_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with serving(BROKEN[name][0]) as server:
        write_settings(tmp_path, server, seconds=0.3, retries=1)
        code = main(["ontology", "build", "--kind", "sparql", "--label", SECRET, "-o", "s"])
    out, errors = capfd.readouterr()
    assert (code, out, errors.count("\n")) == (3, "", 1)
    assert errors.startswith(f"embanon: {server.address}: asked for 1 labels, it ")
    assert SECRET not in errors
    assert list(tmp_path.iterdir()) == [tmp_path / "embanon.toml"]


def test_progress(address: str, tmp_path: Path) -> None:
    """Where standard error is a terminal, labels and concepts are counted."""
    pty = pytest.importorskip("pty")
    with serving(relay(address)) as server:
        write_settings(tmp_path, server, batch=2)
        seen, terminal = pty.openpty()
        words = [sys.executable, "-m", "embanon", "ontology", "build", "--kind", "sparql", *WORDS, "-o", "s"]
        assert subprocess.run(words, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=terminal).returncode == 0
        os.close(terminal)
        shown = os.read(seen, 1 << 16).decode()
        os.close(seen)
    assert "\rlabels  40%" in shown
    assert "\rconcepts  " in shown
