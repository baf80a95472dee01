"""The README and the pages of docs/ are run: they show what comes out. `make readme` writes it into them."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from embanon.cli.main import COMMANDS, main
from embanon.config import iterate_settings, load
from embanon.leak.policy import FILE_NAME as POLICY, read_policy

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
HOW_TOS = sorted((DOCS / "howto").glob("*.md"))
PAGES = [README, *sorted(path for path in DOCS.rglob("*.md") if path not in HOW_TOS)]
BLOCK = re.compile(r'^```([a-z]+)(?: title="([^"\n]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
EXAMPLES = ROOT / "embanon" / "examples"
DEMO = "embanon demo -o demo"
ANYTHING = "…"
"""A line of an output that stands for as many as there are."""
NOT_RUN = ("pip install ", "make ", "pre-commit ", "git clone ")
"""How lines of blocks begin that install or build something."""


@dataclass(frozen=True, slots=True)
class Block:
    """A code block of a page: its language, the file it shows, what it holds."""

    kind: str
    title: str
    content: str


def blocks(page: Path, *kinds: str) -> list[Block]:
    """Return the code blocks of a page, in order."""
    every = (Block(*match) for match in BLOCK.findall(page.read_text(encoding="utf-8")))
    return [block for block in every if not kinds or block.kind in kinds]


def commands(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each command of a page with the output that it shows."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block.content, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip()


def is_shown(shown: str, written: str) -> bool:
    """Return whether an output is what a page shows."""
    lines = (".*" if line == ANYTHING else re.escape(line) for line in shown.split("\n"))
    return re.fullmatch("\n".join(lines), written, re.DOTALL) is not None


# Running commands: those of embanon in this process, which takes a tenth of the time, others in a shell


def run_here(words: Sequence[str]) -> tuple[int, str, str]:
    """Run a command of embanon, and return its exit code, output and messages."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()  # type: ignore[attr-defined]


def make_program(folder: Path, root: Path = ROOT) -> Path:
    """Write an `embanon` that runs a checkout, and return its folder."""
    folder.mkdir()
    program = folder / "embanon"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -B -m embanon "$@"\n', "utf-8")
    program.chmod(0o755)
    return folder


def run_in_shell(command: str, programs: Path) -> tuple[int, str, str]:
    """Run a command in a shell that finds `embanon` in a folder."""
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    environment = {**kept, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    shell = ["sh", "-c", command]
    done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def run(line: str, programs: Path, *, here: bool) -> str:
    """Return what a line of a console writes in the current folder."""
    written = ""
    for command in line.split("; "):
        words, target = shlex.split(command), None
        if len(words) > 2 and words[-2] == ">":
            words, target = words[:-2], words[-1]
        if here and words[0] == "embanon" and not {"|", "<", "2>", "&&"} & set(words):
            code, output, messages = run_here(words[1:])
            if target and target != os.devnull:
                Path(target).write_text(output, encoding="utf-8")
            output = "" if target else output
        else:
            code, output, messages = run_in_shell(command, programs)
        assert (code, messages) == (0, ""), f"{command}: {messages}"
        written += output
    return written.rstrip()


# Pages


def prepare(page: Path, folder: Path, demo: Path | None = None) -> None:
    """Put the files that a page speaks of into a folder."""
    for example in ("gold.jsonl", "system.jsonl"):
        shutil.copy(EXAMPLES / example, folder)
    for block in blocks(page, "toml"):
        (folder / block.title).write_text(block.content, encoding="utf-8")
    if demo is not None and DEMO not in dict(commands(page)):
        shutil.copytree(demo, folder / "demo")


def mismatches(page: Path, programs: Path, *, here: bool) -> list[tuple[str, str, str]]:
    """Run the commands of a page in the current folder, and return (command, shown, written) where these differ."""
    results = ((command, shown, run(command, programs, here=here)) for command, shown in commands(page))
    return [result for result in results if not is_shown(*result[1:])]


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the demo leaves, which pages go on from."""
    folder = tmp_path_factory.mktemp("demo") / "demo"
    assert run_here(["demo", "-o", str(folder)])[0] == 0
    return folder


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console", "pycon")], ids=name)
def test_a_page_shows_what_comes_out(page: Path, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(page, tmp_path, demo)
    assert mismatches(page, make_program(tmp_path / "programs"), here=True) == [], "run: make readme"
    source = "\n".join(block.content for block in blocks(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(source, {}, name(page), str(page), 0)
    report: list[str] = []
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append).failed
    assert not failed, "".join(report)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=name)
def test_settings_of_a_page_are_accepted(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "toml"):
        file = tmp_path / block.title
        assert tomllib.loads(block.content)
        file.write_text(block.content, encoding="utf-8")
        (read_policy if block.title == POLICY else load)(file)


@pytest.mark.parametrize("page", [*PAGES, *HOW_TOS], ids=name)
def test_every_block_is_run_or_installs_something(page: Path) -> None:
    known = {"console", "pycon", "toml", "sh", "text", *({"python", "diff"} if page in HOW_TOS else ())}
    assert {block.kind for block in blocks(page)} <= known
    assert [line for block in blocks(page, "sh") for line in block.content.splitlines()
            if line and not line.startswith(NOT_RUN)] == []  # fmt: skip


LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@pytest.mark.parametrize("page", [*PAGES, *HOW_TOS], ids=name)
def test_links_lead_to_files(page: Path) -> None:
    local = (link for link in LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link)
    paths = ((page.parent / link.partition("#")[0], link) for link in local if not link.startswith("#"))
    generated = ("reference/commands.md", "reference/settings.md")
    assert [link for path, link in paths if not path.exists() and not link.partition("#")[0].endswith(generated)] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [path for path in [*PAGES[1:], *HOW_TOS] if f" {path.relative_to(DOCS).as_posix()}\n" not in navigation]
    assert missing == []


def test_files_that_pages_name_exist() -> None:
    for page in (DOCS / "architecture.md", *HOW_TOS):
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`((?:embanon|ontologies|embeddings|eval|tests|docs)/[\w/.]+)`", text):
            created = f'title="{path}"' in text
            assert created or (ROOT / path).exists(), f"{name(page)}: {path}"


def test_the_reference_has_every_command_and_every_setting() -> None:
    generated = runpy.run_path(str(DOCS / "generate.py"))
    commands, settings = generated["commands_page"](), generated["settings_page"]()
    assert [name for name in COMMANDS if f"\n## embanon {name}\n" not in commands] == []
    assert all(f"| `{option}`" in commands for option in ("--protect", "--preset", "--solutions", "--policy"))
    keys = (key.rpartition(".")[2] for key, _ in iterate_settings(load().config))
    assert [key for key in keys if f"| `{key}` |" not in settings and f"`[[{key}]]`" not in settings] == []


# The README


def test_the_readme_is_read_in_five_minutes() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250
    assert len(text.encode()) <= 20_000


def test_the_readme_answers_ten_people() -> None:
    table = (DOCS / "questions.md").read_text(encoding="utf-8").partition("## Ten people")[2]
    answers = [row.split(" | ")[2].removesuffix(" |") for row in table.splitlines() if row.startswith("| a")]
    readme = " ".join(README.read_text(encoding="utf-8").split())
    assert len(answers) == 10
    assert [answer for answer in answers if answer not in readme] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_an_example_in_its_help_and_is_in_the_guide(name: str) -> None:
    code, help, _ = run_here([name, "--help"])
    assert code == 0
    assert f"\n  embanon {name} " in help.partition("example")[2]
    assert any(f"embanon {name}" in page.read_text(encoding="utf-8") for page in PAGES)


# How-to pages, done in a copy of the checkout


def copy_checkout(target: Path) -> None:
    """Copy the code; data are links to what they are here."""
    shutil.copytree(ROOT / "embanon", target / "embanon", ignore=shutil.ignore_patterns("__pycache__"))
    for data in ("ontologies", "embeddings"):
        ignored = shutil.ignore_patterns("__pycache__", "build")
        shutil.copytree(ROOT / data, target / data, copy_function=os.symlink, ignore=ignored)


def apply(block: Block, root: Path) -> None:
    """Make the change that a block shows: a new file, or lines of one that is there."""
    path = root / block.title
    if block.kind != "diff":
        assert not path.exists(), f"{block.title} is there already"
        path.write_text(block.content, encoding="utf-8")
        return
    lines = block.content.splitlines(keepends=True)
    before = "".join(line[1:] for line in lines if line[0] in " -")
    after = "".join(line[1:] for line in lines if line[0] in " +")
    text = "\n" + path.read_text(encoding="utf-8")
    assert text.count(f"\n{before}") == 1, f"{block.title} has no longer, or more than once:\n{before}"
    path.unlink()  # data are links
    path.write_text(text.replace(f"\n{before}", f"\n{after}")[1:], encoding="utf-8")


def follow(page: Path, folder: Path) -> list[tuple[str, str, str]]:
    """Do what a how-to page says, and return (command, shown, written) where these differ."""
    root = folder / "checkout"
    copy_checkout(root)
    for block in changes(page):
        apply(block, root)
    return mismatches(page, make_program(folder / "programs", root), here=False)


def changes(page: Path) -> list[Block]:
    """Return the blocks of a how-to page that change a file of the checkout."""
    return [block for block in blocks(page, "python", "diff", "toml") if "/" in block.title]


@pytest.mark.parametrize("page", HOW_TOS, ids=name)
def test_a_how_to_works_and_changes_at_most_three_files(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 1 <= len({block.title for block in changes(page)}) <= 3
    assert list(commands(page))
    monkeypatch.chdir(tmp_path)
    assert follow(page, tmp_path) == [], "run: make readme"


def update() -> None:
    """Write what the commands give into the pages."""
    with tempfile.TemporaryDirectory() as temporary:
        demo = Path(temporary) / "demo"
        run_here(["demo", "-o", str(demo)])
        for number, page in enumerate([*PAGES, *HOW_TOS]):
            folder = Path(temporary) / str(number)
            folder.mkdir()
            text = page.read_text(encoding="utf-8")
            with contextlib.chdir(folder):
                if page in HOW_TOS:
                    different = follow(page, folder)
                else:
                    prepare(page, folder, demo)
                    different = mismatches(page, make_program(folder / "programs"), here=True)
            for command, shown, written in different:
                before = f"$ {command}\n" + (f"{shown}\n" if shown else "")
                assert before in text, command
                text = text.replace(before, f"$ {command}\n" + (f"{written}\n" if written else ""))
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update()
