"""`embanon train` as it is installed: its options, what it says, and how it ends when it is stopped."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from embanon.cli.main import main
from embanon.config.settings import Config, TrainingSettings
from embanon.io.read.corpus import Corpus
from embanon.model.model import Model
from embanon.model.train import train

ROOT = Path(__file__).parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
UNIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of Unix")

SECRET = "Geheimnis"
FAST = ("--dimensions", "4", "--epochs", "1", "--threads", "1")
ROWS = [
    {"id": f"{SECRET}-{n}", "who": f"Ada {SECRET}", "text": f"Ada {SECRET} met Bob Berger at the house no. {n}."}
    for n in range(20)
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus" / "c.jsonl"
    path.parent.mkdir()
    path.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS))
    return path


@pytest.fixture
def model(tmp_path: Path, corpus: Path) -> Path:
    small = Config(train=TrainingSettings(dimensions=4, epochs=1, threads=1))
    train(Corpus((str(corpus),)), tmp_path / "m", config=small)
    return tmp_path / "m"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command in this process, which takes less time, in an empty folder."""
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")

    def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        words = [str(argument) for argument in arguments]
        with monkeypatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            code = main(words)
        output, errors = capsys.readouterr()
        return subprocess.CompletedProcess(words, code, output, errors)

    return run


def contents(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.iterdir()}


def test_every_option_is_kept_to(here: Run, corpus: Path, tmp_path: Path) -> None:
    given = {
        "backend": "fasttext-gensim", "dimensions": 6, "window": 3, "epochs": 2, "dtype": "int8", "entities": "given",
        "seed": 7, "threads": 2, "license": "CC BY 4.0",
    }  # fmt: skip
    options = [part for name, value in given.items() for part in (f"--{name}", str(value))]
    more = ["--entity-vectors", "--no-grow", "--entity-column", "who", "--language", "de", "--quiet", "--json"]
    done = here("train", corpus, "-o", tmp_path / "m", *options, *more, EMBANON_TRAIN_BUCKETS="300")
    assert (done.returncode, done.stderr) == (0, "")
    card = json.loads(done.stdout)
    kept = {**card["training"], "license": card["corpus"]["license"]}
    assert kept.items() >= (given | {"entity_vectors": True, "grow": False, "buckets": 300}).items()
    assert (card["languages"], card["entities"], card["documents"]) == (["de"], 1, 20)
    assert Model.open(tmp_path / "m").card["training"] == card["training"]
    done = here("train", corpus, "-o", tmp_path / "d", *FAST, "--threads", "2", "--deterministic", "--json")
    assert json.loads(done.stdout)["training"]["threads"] == 1


def test_a_summary_and_a_note(here: Run, corpus: Path, tmp_path: Path) -> None:
    done = here("train", corpus, "-o", tmp_path / "m", *FAST)
    assert done.returncode == 0
    assert done.stdout.startswith(f"{tmp_path}/m: 20 documents, 0 entities, ")
    assert done.stdout.endswith("; word2vec, 4 dimensions, float16\n")
    assert done.stderr.splitlines() == [
        "embanon: note: no document says what it is about; an `entity` or `title` tells, or --entities first"
    ]
    done = here("train", corpus, "-o", tmp_path / "m", *FAST, "--entities", "first")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_flag_over_the_environment_over_a_file(here: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text("[train]\nepochs = 2\nwindow = 2\nseed = 2\ndimensions = 4\nthreads = 1\n")
    done = here(
        "train", corpus, "-o", tmp_path / "m", "--json", "--config", tmp_path / "my.toml", "--seed", "4",
        EMBANON_TRAIN_WINDOW="3", EMBANON_TRAIN_SEED="3",
    )  # fmt: skip
    training = json.loads(done.stdout)["training"]
    assert (training["epochs"], training["window"], training["seed"]) == (2, 3, 4)


def test_standard_input_and_columns(embanon: Run, tmp_path: Path) -> None:
    rows = gzip.compress(b'{"text": "Ada met Bob Berger.", "title": "Ada"}\n{"text": "The house.", "title": "Bob"}\n')
    to = ["-o", tmp_path / "m", *FAST, "--json"]
    card = json.loads(embanon("train", "-", "--format", "jsonl.gz", *to, stdin=rows).stdout)
    assert (card["documents"], card["entities"]) == (2, 2)
    done = embanon("train", "-", "--format", "jsonl.gz", *to, "--entity-column", "", stdin=rows)
    assert json.loads(done.stdout)["entities"] == 0
    assert "note: no document says" in done.stderr
    assert list(Model.open(tmp_path / "m").documents.ids) == ["-:1", "-:2"]


MISTAKES = {
    "no target": (["{corpus}"], 2, "name one with -o MODEL"),
    "no epochs": (["{corpus}", "-o", "m", "--epochs", "0"], 2, "train.epochs must be from 1 to 1000 (option)"),
    "no number": (["{corpus}", "-o", "m", "--epochs", "x"], 2, "argument --epochs: invalid int value"),
    "no back-end": (["{corpus}", "-o", "m", "--backend", "glove"], 2, "argument --backend: invalid choice"),
    "many dimensions": (["{corpus}", "-o", "m", "--dimensions", "9999"], 2, "train.dimensions must be from 2 to 4096"),
    "no folder": (["{corpus}", "-o", "none/m"], 2, "its folder does not exist"),
    "a target that is no model": (["{corpus}", "-o", "{folder}"], 2, "is there and is no model"),
    "no corpus": (["none.jsonl", "-o", "m"], 3, "none.jsonl: no such file"),
    "no model": (["{corpus}", "--update", "none"], 3, "none: no such model"),
    "no texts": (["{corpus}", "-o", "m", "--text-column", "body"], 3, "key 'body' is missing"),
    "no such column": (["{corpus}", "-o", "m", "--entity-column", "whom"], 3, "no row has 'whom'"),
    "a model as corpus": (["{model}", "-o", "m"], 3, "m: is a model"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, here: Run, corpus: Path, model: Path) -> None:
    words, code, message = MISTAKES[name]
    places = {"corpus": corpus, "folder": corpus.parent, "model": model}
    done = here("train", *(word.format(**places) for word in words))
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert SECRET not in done.stderr
    assert not list((corpus.parents[1] / "work").iterdir())


def test_a_wrong_value_of_the_environment_is_named(here: Run, corpus: Path) -> None:
    done = here("train", corpus, "-o", "m", EMBANON_TRAIN_EPOCHS="0")
    assert (done.returncode, done.stdout) == (2, "")
    assert "train.epochs must be from 1 to 1000 (environment EMBANON_TRAIN_EPOCHS)" in done.stderr


def test_a_model_beside_its_corpus_is_not_read(here: Run, corpus: Path) -> None:
    target = corpus.parent / "m"
    for _ in range(2):
        done = here("train", corpus.parent, "-o", target, *FAST, "--json", "--entities", "none")
        assert json.loads(done.stdout)["documents"] == 20
    assert "m: is a model, not texts" in done.stderr
    done = here("train", corpus.parent, "--update", target, *FAST)
    assert (done.returncode, done.stdout) == (3, "")
    assert "the model has all 20 documents of the corpus already; it stays as it is" in done.stderr
    assert SECRET not in done.stderr


def test_growing_in_place_and_elsewhere(here: Run, model: Path, corpus: Path, tmp_path: Path) -> None:
    before = contents(model)
    corpus.write_text('{"text": "Carla Diaz saw the red house."}\n' + corpus.read_text())
    done = here("train", corpus, "--update", model, "-o", tmp_path / "n", *FAST, "--entities", "none")
    assert (done.returncode, contents(model)) == (0, before)
    assert done.stderr == "embanon: warning: 20 documents that the corpus or the model has already, counted once\n"
    assert here("train", corpus, "--update", model, *FAST).returncode == 0
    assert "red house" in Model.open(model).phrases.keys
    assert contents(model) == contents(tmp_path / "n") or Model.open(model).card["grown"] == 1
    assert not list(tmp_path.glob("*.p*"))


# Being stopped

LONG = "".join(
    json.dumps({"text": f"Ada Berger no. {n} met the doctor {n % 97} in London on {n % 28 + 1} May 1970.\n\n" * 20})
    + "\n"
    for n in range(400)
)
STOPPING = """
import os, sys, time
from embanon.storage import folder
from embanon.io.messages import ProgressLine as Line
step, called = sys.argv.pop(1), Line.__call__
def listening(line, name, done, of):
    called(line, name, done, of)
    if name == step:
        os.write(1, b"!")
Line.__call__ = listening
write = folder._write_array
def slowly(*given):
    time.sleep(0.05)
    return write(*given)
folder._write_array = slowly
from embanon.cli.main import main
sys.exit(main())
"""
"""The command itself, telling on standard output when it has come to a step; saving takes its time."""


STEP_LINE = re.compile(rb"embanon: [a-z]+ +\d+%")


def stopped(step: str, how: signal.Signals, corpus: Path, model: Path) -> tuple[int, bytes]:
    """Grow a model, send a signal in the middle of a step, and give the exit code and what was said."""
    corpus.write_text(LONG)
    words = ["train", str(corpus), "--update", str(model), "--epochs", "1" if step == "saving" else "99"]
    with subprocess.Popen(
        [sys.executable, "-c", STOPPING, step, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # What a shell runs in the background ignores an interrupt, and so would this.
        preexec_fn=lambda: signal.signal(how, signal.SIG_DFL) if how != signal.SIGKILL else None,
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.read(1) == b"!"
        time.sleep(0.06)
        process.send_signal(how)
        # A step that takes its time on a busy machine says how far it is.
        return process.wait(60), b"".join(line for line in process.stderr if not STEP_LINE.match(line))


@UNIX
@pytest.mark.parametrize("step", ["statistics", "phrases", "training", "saving"])
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)], ids=["ctrl-c", "terminated"])
def test_stopped_quietly(step: str, how: signal.Signals, code: int, corpus: Path, model: Path) -> None:
    before = contents(model)
    assert stopped(step, how, corpus, model) == (code, b"")
    assert contents(model) == before
    assert sorted(path.name for path in model.parent.iterdir() if path.name != "work") == ["corpus", "m"]


@UNIX
@pytest.mark.parametrize("step", ["training", "saving"])
def test_killed(step: str, here: Run, corpus: Path, model: Path) -> None:
    before = contents(model)
    assert stopped(step, signal.SIGKILL, corpus, model)[0] == -9
    assert contents(model) == before
    corpus.write_text('{"text": "Carla Diaz saw the red house."}')  # What is left is put away by the next that saves.
    assert here("train", corpus, "-o", model, *FAST).returncode == 0
    assert sorted(path.name for path in model.parent.iterdir() if path.name != "work") == ["corpus", "m"]


@UNIX
def test_a_full_disk(command: list[str], corpus: Path, model: Path) -> None:
    import resource

    before = contents(model)
    corpus.write_text(corpus.read_text() + '{"text": "Carla Diaz saw the red house."}\n')
    done = subprocess.run(
        [*command, "train", str(corpus), "--update", str(model), "--quiet", *FAST],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300)),
        check=False,
    )
    assert (done.returncode, done.stdout) == (141, b"")
    assert b"m: cannot be saved (File too large); what was there is as it was" in done.stderr
    assert contents(model) == before
    assert sorted(path.name for path in model.parent.iterdir() if path.name != "work") == ["corpus", "m"]


@UNIX
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everything")
def test_a_folder_that_may_not_be_written(here: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0o500)
    done = here("train", corpus, "-o", tmp_path / "shut" / "m", *FAST)
    assert (done.returncode, done.stdout) == (141, "")
    assert "its folder may not be written" in done.stderr


@UNIX
@pytest.mark.parametrize("errors", ["2>&-", "2>/dev/full"])
def test_nobody_hears_of_progress(errors: str, command: list[str], corpus: Path, tmp_path: Path) -> None:
    if "full" in errors and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    words = [*command, "train", str(corpus), "-o", str(tmp_path / "m"), *FAST]
    done = subprocess.run(
        ["sh", "-c", f'"$@" {errors}', "sh", *words],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert b"20 documents" in done.stdout
