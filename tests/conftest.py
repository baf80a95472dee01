"""What all tests share: no network beyond this machine, and no configuration of the user's own."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]
LOOPBACK = ("127.", "::1", "localhost")

# Shared machines are slow at times; a law is about the answer. Time is tested where it is the subject.
PATIENT = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("embanon", deadline=None, suppress_health_check=PATIENT)
settings.load_profile("embanon")

Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


SLOW = {
    "cli/test_anonymize", "cli/test_demo", "cli/test_main", "cli/test_ontology", "cli/test_train",
    "eval/test_speed", "integrations/test_spacy", "leak/test_access", "leak/test_command", "leak/test_mail_filter",
    "leak/test_recipes", "leak/test_scan", "leak/test_together", "model/test_foreign", "model/test_train",
    "report/test_report", "test_docs", "test_wheel", "text/test_pieces", "text/test_rules", "workflow/test_folders",
}  # fmt: skip
"""Modules that start processes and databases, install the wheel, or time large inputs: `make quick` leaves them out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow."""
    for item in items:
        if item.path.relative_to(ROOT / "tests").with_suffix("").as_posix() in SLOW:
            item.add_marker("slow")


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse to connect to anything but this machine."""
    connect = socket.socket.connect

    def refuse(self: socket.socket, address: Any) -> None:
        if self.family != getattr(socket, "AF_UNIX", None) and not str(address[0]).startswith(LOOPBACK):
            raise RuntimeError("a test asked the network")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Hide the settings of whoever runs the tests."""
    for name in os.environ:
        if name.startswith("EMBANON_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("APPDATA", str(tmp_path / "no-config"))


@pytest.fixture
def command() -> list[str]:
    """Return the installed command, or the module where the package is not installed."""
    installed = Path(sys.executable).with_name("embanon")
    return [str(installed)] if installed.exists() else [sys.executable, "-m", "embanon"]


@pytest.fixture
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which a shell finds `embanon` as it is here."""
    folder = tmp_path_factory.mktemp("programs")
    program = folder / "embanon"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m embanon "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.fixture
def embanon(command: list[str], tmp_path: Path) -> Run:
    """Return a function that runs the command in an empty folder; bytes go to its standard input.

    It is a process of its own: a copy of this one, which has all modules, or a new one in another environment.
    """

    def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> Done:
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        words = list(map(str, arguments))
        if hasattr(os, "fork") and not environment:
            code, output, errors = forked(words, stdin, work)
        else:
            done = subprocess.run(
                [*command, *words], input=stdin, capture_output=True, cwd=work, timeout=120, check=False,
                env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            )  # fmt: skip
            code, output, errors = done.returncode, done.stdout, done.stderr
        if "EMBANON_DEBUG" not in environment:
            assert b"Traceback" not in errors
        return Done([*command, *words], code, output.decode("utf-8"), errors.decode("utf-8"))

    return run


@cache
def loaded_command() -> Callable[[list[str]], int]:
    """Return the command, once what all copies of this process need is loaded."""
    import embanon
    from embanon.cli.main import main

    embanon.load(language="en").anonymize("Ada was here.", protect="Ada")
    return main


def forked(words: list[str], stdin: bytes, work: Path) -> tuple[int, bytes, bytes]:
    """Run the command in a copy of this process, which has its modules.

    Starting Python anew would take most of a test's time.
    """
    main = loaded_command()
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        given.write(stdin)
        given.seek(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: they are at rest
            process = os.fork()
        if not process:
            code = 70
            try:
                os.chdir(work)
                for stream, number in ((given, 0), (out, 1), (errors, 2)):
                    os.dup2(stream.fileno(), number)
                sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
                sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
                sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
                for name in ("SIGINT", "SIGTERM"):
                    signal.signal(getattr(signal, name), signal.SIG_DFL)
                code = main(words)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        _, status = os.waitpid(process, 0)
        out.seek(0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), out.read(), errors.read()


SECRET = "Geheimnis"
"""What no message may quote."""


@pytest.fixture
def inside(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Return a function that runs the command in this process and in the current folder."""
    from embanon.cli.main import main

    def run(*words: str | Path, stdin: bytes = b"") -> Done:
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
            patch.setattr("sys.stdout", out)
            code = main(list(map(str, words)))
        errors = capfdbinary.readouterr().err.decode()
        assert "internal error" not in errors
        assert SECRET not in errors
        return Done([], code, out.buffer.getvalue().decode(), errors)  # type: ignore[attr-defined]

    return run


@pytest.fixture(scope="session")
def letters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train a small model on letters about invented people."""
    from embanon.config.settings import Config, TrainingSettings
    from embanon.document import Document
    from embanon.io.read.corpus import CorpusDocument
    from embanon.model.train import train

    people, things = ("Ada Berger", "Ben Marsk", "Cora Tolland"), ("old mill", "steam engine", "naval base", "garden")
    texts = [
        f"{people[n % 3]} wrote about the {things[n % 4]} and the {things[n // 2 % 4]} in Paris. In {1900 + n}, the "
        f"secretary of the company praised the {things[n % 4]}, before the committee met in the hall of the city."
        for n in range(24)
    ]
    sources = [CorpusDocument(Document(f"d{n}", text, "en"), people[n % 3]) for n, text in enumerate(texts)]
    settings = TrainingSettings(dimensions=8, epochs=2, threads=1, dtype="float32", buckets=300)
    folder = tmp_path_factory.mktemp("models") / "letters.model"
    train(sources, folder, config=Config(train=settings))
    return folder
