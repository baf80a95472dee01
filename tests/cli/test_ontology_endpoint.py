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


def build(folder: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "embanon", "ontology", "build", "--kind", "sparql", *WORDS, "-o", "s"]
    return subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
@pytest.mark.parametrize("answers", [1, 4, 6])
def test_what_was_answered_is_not_asked_again(answers: int, address: str, tmp_path: Path) -> None:
    killed = threading.Event()

    def hang(handler: Handler, query: str) -> None:
        process.send_signal(signal.SIGKILL)
        killed.wait(10)

    real = relay(address)
    with serving(*[real] * answers, hang) as server:
        write_settings(tmp_path, server, batch=2, cache="answers")
        with build(tmp_path) as process:
            assert process.wait(20) == -signal.SIGKILL
        killed.set()
        assert len(server.asked) == answers + 1
        server.replies = [real]
        for _ in range(2):
            with build(tmp_path) as process:
                assert process.communicate(timeout=20) == ("s: 9 concepts, 9 labels, 7 links\n", "")
        assert len(server.asked) == len(set(server.asked)) + 1 == 8 + 1  # that which was not answered, twice
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".embanon")]


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
