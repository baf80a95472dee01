"""What all tests share: no network beyond this machine, and no configuration of the user's own."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable
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
    "eval/test_speed", "integrations/test_spacy", "leak/test_access", "leak/test_command", "leak/test_recipes",
    "leak/test_scan", "leak/test_together", "model/test_foreign", "model/test_train", "report/test_report",
    "test_docs", "test_wheel", "text/test_pieces", "text/test_rules", "workflow/test_folders",
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
    """Return a function that runs the command in an empty folder; bytes go to its standard input."""

    def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> Done:
        work = tmp_path / "work"
        work.mkdir(exist_ok=True)
        done = subprocess.run(
            [*command, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            cwd=work,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            timeout=120,
            check=False,
        )
        output, errors = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        if "EMBANON_DEBUG" not in environment:
            assert "Traceback" not in errors
        return Done(done.args, done.returncode, output, errors)

    return run


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
