"""The README is run, and what it shows is what comes out. `make readme` writes the real output into it."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from embanon.cli.main import COMMANDS
from embanon.config.load import load
from embanon.leak.policy import FILE_NAME as POLICY, read_policy

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"^```(console|toml|pycon)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    """Give (name, content) of the code blocks of a kind; toml blocks are named as files."""
    for found, name, content in BLOCK.findall(README.read_text(encoding="utf-8")):
        if found == kind:
            yield name, content


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Give (command, output) of a console block."""
    for part in block.split("$ ")[1:]:
        command, _, output = part.partition("\n")
        yield command, output.rstrip()


def run(command: str, folder: Path, scripts: Path) -> str:
    """Return what a command of the README writes, in a folder that has its files."""
    for name, content in blocks("toml"):
        (folder / name).write_text(content, encoding="utf-8")
    for example in (ROOT / "embanon" / "examples").glob("*.*"):
        (folder / example.name).write_bytes(example.read_bytes())
    path = os.pathsep.join([str(scripts), os.environ["PATH"]])
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    shell, environment = ["sh", "-c", command], {**kept, "PATH": path}
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), f"{command}: {done.stderr}"
    return done.stdout.rstrip()


def mismatches(folder: Path, scripts: Path) -> list[tuple[str, str, str]]:
    """Run all console blocks and give (command, shown, written) where they differ."""
    found = []
    for _, block in blocks("console"):
        for command, shown in commands(block):
            written = run(command, folder, scripts)
            if written != shown:
                found.append((command, shown, written))
    return found


def test_the_readme_shows_what_is_written(tmp_path: Path) -> None:
    assert list(blocks("console"))
    assert mismatches(tmp_path, Path(sys.executable).parent) == []


def test_the_settings_of_the_readme_are_accepted(tmp_path: Path) -> None:
    for name, content in blocks("toml"):
        assert tomllib.loads(content)
        (tmp_path / name).write_text(content, encoding="utf-8")
        (read_policy if name == POLICY else load)(tmp_path / name)


def test_the_python_of_the_readme_runs() -> None:
    source = "\n".join(content for _, content in blocks("pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, "README.md", str(README), 0)
    assert test.examples
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append).failed
    assert not failed, "".join(report)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_in_its_help_and_is_in_the_readme(name: str) -> None:
    command = [sys.executable, "-m", "embanon", name, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert f"\n  embanon {name} " in done.stdout.partition("example")[2]
    assert f"embanon {name}" in README.read_text(encoding="utf-8")


def test_the_readme_has_its_flow_from_the_file_list() -> None:
    flow = README.read_text(encoding="utf-8").partition("## How it flows")[2].partition("\n## ")[0]
    for name in re.findall(r"`((?:embanon|ontologies|embeddings)/[\w/]+(?:\.py|/))`", flow):
        assert (ROOT / name).exists(), name


def update() -> None:
    """Write what the commands give into the README."""
    import tempfile

    text = README.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for command, shown, written in mismatches(Path(folder), Path(sys.executable).parent):
            before = f"$ {command}\n" + (f"{shown}\n" if shown else "")
            assert before in text, command
            text = text.replace(before, f"$ {command}\n" + (f"{written}\n" if written else ""))
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update()
