"""Train with the fastText library, which reads a file and writes a file: nobody else sees them, and neither is left.

It runs in a process of its own, `fasttext_worker`: it could not be stopped in this one. With a single thread it
does not say how far it is.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, BinaryIO, Final

import numpy as np

from embanon.config import TrainingSettings
from embanon.errors import ConfigError, EmbanonError, InputError, OutputError
from embanon.model.foreign.fasttext import read_fasttext
from embanon.model.subwords import Subwords
from embanon.model.task import SPACE_SIGN, TrainedVectors, TrainingTask

MODULE: Final = "fasttext_pybind"
"""What the package `fasttext` is made on, in all its builds."""
DESCRIPTORS: Final = Path("/proc/self/fd")
"""Where Linux lists open files, also those without a name."""
SEEDS: Final = 2**31 - 2048
"""The library adds the number of a thread to its seed, in 31 bits."""
SHOW_ALL: Final = 1.0
"""The share of a phrase above which it is shown less often; at 0 fastText would show none."""
PROGRESS: Final = re.compile(rb"Progress:\s*([\d.]+)%")
MESSAGE_BYTES: Final = 8192


@dataclass(frozen=True, slots=True)
class ScratchFiles:
    """Where the library finds the texts, and where it saves what it has learned; no folder: they have no names."""

    folder: str
    stream: BinaryIO = field(repr=False)
    texts: str
    target: str
    descriptors: tuple[int, ...]


def train(task: TrainingTask) -> TrainedVectors:
    """Train skip-grams of phrases and of their parts."""
    tokens = task.tokens()
    try:
        with _open_scratch_files() as files:
            for words in replace(task.texts, names=tokens, progress=lambda _: None):
                files.stream.write(" ".join(map(str, words)).encode() + b"\n")
            files.stream.flush()
            total = len(task.texts.sequence) * task.options.epochs
            _run_worker(files, task.options, lambda share: task.texts.progress(int(share * total)))
            return _read_vectors(Path(files.target), tokens)
    except OSError as exc:
        raise OutputError(f"fastText's temporary files cannot be written ({exc.strerror}); {ADVICE}") from exc


ADVICE: Final = "name a folder with room for them in the environment variable TMPDIR"


@contextmanager
def _open_scratch_files() -> Iterator[ScratchFiles]:
    """Open files without names where the system lets others open them nevertheless, else in a private folder."""
    if DESCRIPTORS.is_dir():
        with TemporaryFile() as stream, TemporaryFile() as target:
            numbers = (stream.fileno(), target.fileno())
            yield ScratchFiles("", stream, f"{DESCRIPTORS}/{numbers[0]}", f"{DESCRIPTORS}/{numbers[1]}", numbers)
    else:
        with TemporaryDirectory(prefix="embanon-") as folder:
            texts = Path(folder) / "texts"
            with texts.open("wb") as stream:
                yield ScratchFiles(folder, stream, str(texts), str(Path(folder) / "vectors"), ())


def _run_worker(files: ScratchFiles, options: TrainingSettings, report: Callable[[float], None]) -> None:
    """Wait for the library, and stop it when waiting ends; it ends by itself when this process does."""
    settings = _settings(options) | {"folder": files.folder, "input": files.texts, "target": files.target}
    command = [sys.executable, "-P", "-m", "embanon.model.fasttext_worker", json.dumps(settings)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    messages = b""
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        pass_fds=files.descriptors, bufsize=0,
    ) as worker:  # fmt: skip
        assert worker.stderr
        try:
            while message := worker.stderr.read(MESSAGE_BYTES):
                messages = (messages + message)[-MESSAGE_BYTES:]
                if shares := PROGRESS.findall(messages):
                    report(float(shares[-1]) / 100)
        except BaseException:
            worker.kill()
            raise
    if worker.returncode:
        raise _failure(worker.returncode, messages)


def _settings(options: TrainingSettings) -> dict[str, Any]:
    return {
        "dim": options.dimensions, "ws": options.window, "epoch": options.epochs, "lr": options.rate,
        "neg": options.negative, "t": options.sample or SHOW_ALL, "minn": options.subword_min,
        "maxn": options.subword_max, "bucket": options.buckets, "thread": options.threads,
        "seed": options.seed % SEEDS, "minCount": 1, "verbose": 2,
        "label": " ",  # with which no word begins
    }  # fmt: skip


def _failure(code: int, messages: bytes) -> EmbanonError:
    # What the library says has no text, but names of files that nobody knows.
    if b"NaN" in messages:
        return ConfigError("fastText's vectors grew beyond all numbers; lower train.rate")
    if code < 0 or b"MemoryError" in messages or b"bad_alloc" in messages:
        return EmbanonError("fastText was stopped, or had not enough memory; lower --dimensions or train.buckets")
    return EmbanonError("fastText failed; try --backend fasttext-gensim")


def _read_vectors(path: Path, tokens: list[str]) -> TrainedVectors:
    """Read what the library saved; nothing of it stays in the file."""
    try:
        learned = read_fasttext(path)
    except InputError as exc:
        raise OutputError(f"what fastText learned was not saved whole; {ADVICE}") from exc
    assert learned.subwords is not None
    assert learned.output is not None
    places = {token: row for row, token in enumerate(learned.keys)}
    rows = [places[token] for token in tokens]
    parts = learned.subwords
    subwords = Subwords(parts.minimum, parts.maximum, np.array(parts.vectors), SPACE_SIGN)
    return TrainedVectors(learned.vectors[rows], learned.output[rows], subwords)
