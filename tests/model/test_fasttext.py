"""Training with the fastText library, and files that it opens: nothing of the texts is left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embanon.cli.main import main
from embanon.config.settings import Config, TrainingSettings
from embanon.document import Document
from embanon.errors import ConfigError, EmbanonError, InputError, MissingExtraError, OutputError
from embanon.io.read.corpus import CorpusDocument
from embanon.model import backends, fasttext_library
from embanon.model.convert import convert
from embanon.model.foreign import read_foreign
from embanon.model.foreign.fasttext_writer import write_fasttext
from embanon.model.model import Model, Step
from embanon.model.task import TrainingTask, TrainingTexts
from embanon.model.train import train
from embanon.model.vectors import unit_rows

ROOT = Path(__file__).parents[2]
SECRET = "Geheimnis"
SMALL = TrainingSettings(backend="fasttext-library", dimensions=8, epochs=3, threads=1, buckets=2000, sample=0.0)
CORPUS = [
    CorpusDocument(
        Document(f"d{n}", f"Ada {SECRET} met the film director at the opera house no. {n}. The screenwriter agreed."),
        f"Ada {SECRET}",
    )
    for n in range(40)
]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of other processes")


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Watch the folder of temporary files: what is begun there is gone at the end, however that came."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield folder
    assert not list(folder.iterdir())


def trained(folder: Path, **options: Any) -> Model:
    train(CORPUS, folder / "m", config=Config(train=replace(SMALL, **options)))
    return Model.open(folder / "m")


@pytest.fixture
def named_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Do without /proc, as macOS and Windows."""
    monkeypatch.setattr(fasttext_library, "DESCRIPTORS", tmp_path / "none")


# What is learned


def test_unknown_words_are_composed_of_parts(tmp_path: Path) -> None:
    model = trained(tmp_path, dtype="float32", buckets=50_000)  # few, and `?` shares its own with a part of a phrase
    asked = ["film director", "film-directors", "a film", "screenwriters-to-be", "scrennwriter", "?"]
    steps = [Step(step).name for step in model.find(asked).steps]
    assert steps == ["EXACT", "VARIANT", "PARTS", "SUBWORDS", "SUBWORDS", "UNKNOWN"]
    cosines, told = model.similarity("screenwriter", ["scrennwriter", "?"])
    assert (told.tolist(), np.isnan(cosines).tolist()) == ([Step.SUBWORDS, Step.UNKNOWN], [False, True])
    near, far = model.similarity("screenwriter", ["scrennwriter", "oprea"])[0]
    assert near > far


def test_the_card_says_what_trained(tmp_path: Path) -> None:
    card = trained(tmp_path).card
    assert card["backend"] == "fasttext-library"
    assert card["subwords"] == {"minimum": 3, "maximum": 6, "space": "_"}
    assert re.fullmatch(r"\d+\.\d+.*", card["versions"]["fasttext-community"])


def test_the_better_one_is_the_default(tmp_path: Path) -> None:
    """As eval/results/subwords.txt has it."""
    card = trained(tmp_path, backend="fasttext").card
    assert (card["backend"], card["training"]["backend"]) == ("fasttext-gensim", "fasttext-gensim")
    assert "gensim" in card["versions"]
    report = (ROOT / "eval" / "results" / "subwords.txt").read_text(encoding="utf-8").splitlines()
    areas = {line[:22].strip(): float(line[22:].split()[2]) for line in report if "fastText" in line[:22]}
    assert max(areas, key=areas.__getitem__) == "gensim's fastText"


def test_odd_phrases_have_vectors() -> None:
    """What fastText would take for the end of a line, a label or two words; what is the same to it; lone surrogates."""
    names = ["a b", "a_b", "</s>", "__label__x", "x\0y", "\ud800", "日本 語", "é"]
    sequence = np.tile(np.arange(len(names), dtype=np.int32), 50)
    bounds = np.arange(0, len(sequence) + 1, len(names))
    options = replace(SMALL, window=3)
    texts = TrainingTexts(sequence, bounds, np.full(50, len(names)), options.window, lambda _: None)
    counts = np.append(np.full(len(names), 50), 50)
    for name in ("fasttext-library", "fasttext-gensim"):
        learned = backends.train(TrainingTask(texts, counts, names, replace(options, backend=name)))
        assert learned.vectors.shape == (len(names) + 1, 8)
        assert np.isfinite(learned.vectors).all()
        assert (np.abs(learned.vectors).sum(axis=1) > 0).all()
        np.testing.assert_array_equal(learned.vectors[0], learned.vectors[1])


@pytest.mark.usefixtures("named_files")
def test_without_nameless_files(tmp_path: Path) -> None:
    (tmp_path / "named").mkdir()
    model = trained(tmp_path / "named")
    with pytest.MonkeyPatch.context() as patched:
        patched.undo()
        patched.setattr(fasttext_library, "DESCRIPTORS", Path("/proc/self/fd"))
        again = trained(tmp_path)
    np.testing.assert_array_equal(model.phrases.vectors.data, again.phrases.vectors.data)


def test_seeds_and_threads(tmp_path: Path) -> None:
    rows = [trained(tmp_path, seed=seed).phrases.vectors.data.copy() for seed in (1, 1, 2, 2**32 - 1)]
    np.testing.assert_array_equal(rows[0], rows[1])
    assert (rows[0] != rows[2]).any()
    assert (rows[0] != rows[3]).any()
    assert trained(tmp_path, threads=3).card["training"]["threads"] == 3


def test_a_rate_that_is_too_high_is_said(tmp_path: Path) -> None:
    with pytest.raises(EmbanonError, match=r"lower train\.rate") as raised:
        fasttext_library.train(_endless_task(rate=1e30))
    assert SECRET not in str(raised.value)


# Bad input


@pytest.mark.parametrize("texts", [[], [""], ["and of the"]], ids=["none", "empty", "no phrase"])
def test_a_corpus_without_phrases(texts: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no phrase to learn from"):
        train(texts, tmp_path / "m", config=Config(train=SMALL))
    assert not (tmp_path / "m").exists()


def test_a_missing_library_is_named_before_anything_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "find_spec", lambda _: None)
    with pytest.raises(MissingExtraError, match=r"run: pip install 'embanon\[fasttext\]'"):
        train(iter(()), tmp_path / "m", config=Config(train=SMALL))  # type: ignore[arg-type]


def test_a_temporary_folder_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(fasttext_library, "TemporaryFile", refuse)
    with pytest.raises(OutputError, match=r"cannot be written \(Permission denied\); name a folder .* TMPDIR"):
        trained(tmp_path)
    assert not (tmp_path / "m").exists()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir(mode=0o500)
    with pytest.raises(EmbanonError, match="may not be written"):
        train(CORPUS, tmp_path / "m" / "m", config=Config(train=SMALL))


def test_what_is_not_saved_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fasttext_library, "_run_worker", lambda files, *_: os.truncate(files.target, 0))
    with pytest.raises(OutputError, match="not saved whole; name a folder with room"):
        trained(tmp_path)


# Nothing is left


def _endless_task(**options: Any) -> TrainingTask:
    sequence = np.zeros(4000, np.int32)
    texts = TrainingTexts(sequence, np.array([0, 4000]), np.array([-1]), 5, lambda _: None)
    settings = replace(SMALL, **{"epochs": 1_000_000, "threads": 2, **options})
    return TrainingTask(texts, np.array([4000]), [SECRET], settings)


class StoppedError(Exception):
    pass


@pytest.mark.parametrize("named", [False, True], ids=["nameless", "named"])
def test_who_stops_it_does_not_wait(named: bool, request: pytest.FixtureRequest) -> None:
    if named:
        request.getfixturevalue("named_files")
    shares: list[int] = []

    def stop(done: int) -> None:
        shares.append(done)
        raise StoppedError

    task = _endless_task()
    begin = time.monotonic()
    with pytest.raises(StoppedError):
        fasttext_library.train(replace(task, texts=replace(task.texts, progress=stop)))
    assert time.monotonic() - begin < 30
    assert 0 <= shares[0] < 4000 * 1_000_000


SCRIPT = """
import sys
from pathlib import Path
from embanon.model import fasttext_library
from tests.model.test_fasttext import _endless_task
from dataclasses import replace
if sys.argv[1] == "named":
    fasttext_library.DESCRIPTORS = Path("none")
task = _endless_task()
fasttext_library.train(replace(task, texts=replace(task.texts, progress=lambda _: print("going", flush=True))))
"""


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
@pytest.mark.parametrize("named", ["named", "nameless"])
def test_a_process_that_ends_leaves_no_text(how: signal.Signals, named: str, temporary: Path) -> None:
    """The library's process ends as well, and puts away what has a name."""
    command = [sys.executable, "-c", SCRIPT, named]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(temporary)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == b"going\n"
        files = [path for path in temporary.rglob("*") if path.is_file()]
        assert [path.name for path in files] == (["texts"] if named == "named" else [])
        assert all(stat.S_IMODE(path.parent.stat().st_mode) == 0o700 for path in files)
        worker = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text())
        process.send_signal(how)
        process.wait(30)
        assert process.stderr
        assert SECRET.encode() not in process.stderr.read()
    deadline = time.monotonic() + 30
    while (Path(f"/proc/{worker}").exists() or list(temporary.iterdir())) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not Path(f"/proc/{worker}").exists()


@LINUX
@pytest.mark.usefixtures("named_files")
def test_a_library_that_is_killed_is_said() -> None:
    def kill(_: int) -> None:
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        workers = [
            int(child) for child in children if b"fasttext_worker" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]
        os.kill(workers[0], signal.SIGKILL)

    task = _endless_task()
    with pytest.raises(EmbanonError, match=r"not enough memory; lower --dimensions or train\.buckets"):
        fasttext_library.train(replace(task, texts=replace(task.texts, progress=kill)))


# Files that fastText opens


@pytest.mark.parametrize("backend", ["fasttext-library", "fasttext-gensim", "word2vec"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int8"])
def test_the_library_opens_what_is_exported(backend: str, dtype: str, tmp_path: Path) -> None:
    import fasttext

    model = trained(tmp_path, backend=backend, dtype=dtype, entity_vectors=True)
    assert write_fasttext(model, tmp_path / "m.bin") == len(model.phrases)
    opened = fasttext.load_model(str(tmp_path / "m.bin"))
    phrases = list(model.phrases.keys)
    words, counts = opened.get_words(include_freq=True)
    assert words == [phrase.replace(" ", "_") for phrase in phrases]
    assert counts.tolist() == model.phrases.counts.tolist()
    strangers = ["scrennwriter", "oprea huose"] if backend != "word2vec" else []
    theirs = np.array([opened.get_word_vector(word.replace(" ", "_")) for word in [*phrases, *strangers]])
    ours = [model.phrases.vectors.rows(np.arange(len(phrases)))]
    ours += [model.subwords.vector(word)[None] for word in strangers if model.subwords]  # type: ignore[index]
    # The library may scale to unit length.
    np.testing.assert_allclose(unit_rows(theirs), unit_rows(np.concatenate(ours)), atol=2e-5)


def test_gensim_opens_it_and_so_do_we(tmp_path: Path) -> None:
    from gensim.models.fasttext import load_facebook_vectors

    model = trained(tmp_path, dtype="float32")
    write_fasttext(model, tmp_path / "m.bin")
    vectors = load_facebook_vectors(tmp_path / "m.bin")
    for word in ("film_director", "scrennwriter"):
        ours = model.find([word.replace("_", " ")]).vectors[0]
        np.testing.assert_allclose(vectors.get_vector(word), ours, atol=1e-5)
    convert(read_foreign(tmp_path / "m.bin"), tmp_path / "again", dtype="float32")
    again = Model.open(tmp_path / "again")
    found = again.find(["film_director", "scrennwriter"])
    assert found.steps.tolist() == [Step.EXACT, Step.SUBWORDS]
    np.testing.assert_allclose(found.vectors, model.find(["film director", "scrennwriter"]).vectors, atol=1e-5)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [json.dumps({"text": source.document.text, "entity": source.entity}) for source in CORPUS]
    (tmp_path / "c.jsonl").write_text("\n".join(lines))
    model, target = str(tmp_path / "m"), str(tmp_path / "m.bin")
    options = ["--backend", "fasttext-library", "--dimensions", "8", "--epochs", "1", "--quiet"]
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("EMBANON_TRAIN_BUCKETS", "500")
        assert main(["train", str(tmp_path / "c.jsonl"), "-o", model, *options]) == 0
    assert "fasttext-library, 8 dimensions" in capsys.readouterr().out
    assert main(["model", "neighbors", model, "scrennwriter"]) == 0
    assert "its vector is made of parts of its words" in capsys.readouterr().err
    assert main(["model", "export", "--fasttext", model, "-o", target]) == 0
    assert re.fullmatch(rf"{re.escape(target)}: \d+ phrases, for fastText\n", capsys.readouterr().out)
    assert stat.S_IMODE(Path(target).stat().st_mode) == 0o600 or sys.platform == "win32"
    for wrong in (["--fasttext", "--public"], []):
        assert main(["model", "export", *wrong, model, "-o", target]) == 2
    errors = capsys.readouterr().err
    assert errors.count("say what to write: --public") == 2
    assert SECRET not in errors
    with pytest.raises(OutputError, match=r"m\.bin: cannot be written \(No such file or directory\); choose another"):
        write_fasttext(Model.open(model), tmp_path / "none" / "m.bin")


def test_a_backend_that_is_none() -> None:
    with pytest.raises(ConfigError, match="known: word2vec, fasttext, fasttext-gensim, fasttext-library"):
        backends.check_backend("word3vec")
