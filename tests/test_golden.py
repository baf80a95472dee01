"""What comes out, byte for byte: 60 texts in four languages, all formats, all methods, reports, JSON, help pages.

A change that means to leave outputs alone leaves these files alone. `make golden` writes them anew after one that does
not; every line of the difference is then read.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from embanon.cli.commands.leak import ACTIONS as LEAK
from embanon.cli.main import COMMANDS, main
from embanon.cli.parser import GROUPS

FOLDER = Path(__file__).with_name("golden")
OUTPUTS = FOLDER / "out"
CASES: dict[str, str] = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))["cases"]
ACTIONS = {
    "leak": LEAK,
    "model": ("info", "neighbors", "verify", "convert", "export"),
    "ontology": ("build", "add", "labels", "list", "info", "verify", "export", "climb"),
}
CHECKSUM = re.compile(rb"\b[0-9a-f]{16,64}\b")
"""Of data and settings: these change with what they stand for, not with what comes out."""


def help_pages() -> Iterator[tuple[str, str]]:
    """Return (name, words) of the help pages of all commands and their actions."""
    yield "help/embanon.txt", "--help"
    for command in COMMANDS:
        actions = (f"{command} {action}" for action in ACTIONS.get(command, ()))
        for words in (command, *actions):
            name = words.replace(" ", "-")
            yield f"help/{name}.txt", f"{words} --help"
            yield f"help/all/{name}.txt", f"{words} --help all"


ALL = {**CASES, **dict(help_pages())}


def output(words: str) -> bytes:
    """Return what a command writes, in the folder of the inputs."""
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMBANON_")}
    with (
        patch.dict(os.environ, {**environment, "COLUMNS": "80"}, clear=True),
        patch("sys.stdout", stream),
        contextlib.chdir(FOLDER),
    ):
        assert main(shlex.split(words)) in (0, 1)
    return CHECKSUM.sub(b"CHECKSUM", stream.buffer.getvalue())  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", [name for name in dict(help_pages()) if not name.startswith("help/all/")])
def test_help_shows_at_most_twelve_options(name: str) -> None:
    page = output(ALL[name]).decode()
    assert len(re.findall(r"^  (?:-|[A-Z]+ )", page.partition("\ncommands:")[0], re.MULTILINE)) <= 12


@pytest.mark.parametrize("name", [name for name in dict(help_pages()) if name.startswith("help/all/")])
def test_each_option_is_in_one_group(name: str) -> None:
    page = output(ALL[name]).decode()
    options = re.findall(r"^  (?:-\w, )?(--[\w-]+)", page.partition("\nexample")[0], re.MULTILINE)
    assert len(options) == len(set(options))
    assert set(re.findall(r"^([a-z ]+):$", page, re.MULTILINE)) <= {
        *GROUPS,
        "commands",
        "actions",
        "example",
        "examples",
    }


@pytest.mark.parametrize("name", ALL)
def test_what_comes_out_is_as_it_was(name: str) -> None:
    expected = OUTPUTS / name
    assert expected.exists(), "no golden file yet: make golden"
    assert output(ALL[name]).splitlines() == expected.read_bytes().splitlines()


def test_no_golden_file_is_left_over() -> None:
    assert {str(file.relative_to(OUTPUTS)) for file in OUTPUTS.rglob("*.*")} == set(ALL)


def update() -> None:
    """Write all golden files anew."""
    for file in OUTPUTS.rglob("*.*"):
        file.unlink()
    for name, words in ALL.items():
        file = OUTPUTS / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(output(words))


if __name__ == "__main__":
    update()
