"""The shape of the repository: imports point down, nothing prints, nothing unpickles."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval.house import code_lines

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "embanon"
FILES = sorted(PACKAGE.rglob("*.py"))

UNSAFE = {"pickle", "cPickle", "dill", "shelve", "joblib", "marshal", "cloudpickle"}


def module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_rooms_import_downwards() -> None:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("file", FILES, ids=module)
def test_others_see_the_face_of_a_room(file: Path) -> None:
    """Outside a room nothing is imported but what its `__init__.pyi` lists, or a module as a whole."""
    room = file.relative_to(PACKAGE).parts[0]
    tree = ast.parse(file.read_text(encoding="utf-8"))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    for node in imports:
        parts = str(node.module).split(".")
        if parts[0] != "embanon" or len(parts) < 3 or parts[1] in (room, "cli"):
            continue
        place = ROOT.joinpath(*parts)
        assert all((place / name.name).is_dir() or (place / f"{name.name}.py").is_file() for name in node.names), (
            f"{node.lineno}: import from embanon.{parts[1]}"
        )


def test_at_most_ten_files_lie_flat() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 10


def test_the_house_stays_small() -> None:
    assert len(FILES) <= 375
    assert sum(code_lines(file.read_text(encoding="utf-8")) for file in FILES) <= 45_500


WRITTEN = {("leak/findings.py", "told"), ("leak/policy.py", "own")}
"""Keys of JSON and TOML that users read and write."""


@pytest.mark.parametrize("file", FILES, ids=module)
def test_names_say_something(file: Path) -> None:
    """Names that say nothing stand in comprehensions of at most three lines alone."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    short = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, COMPREHENSIONS) and (node.end_lineno or 0) - node.lineno < 3
        for inner in ast.walk(node)
    }
    bound = ((node, name) for node in ast.walk(tree) if (name := bound_name(node)) and id(node) not in short)
    place = file.relative_to(PACKAGE).as_posix()
    assert not [(node.lineno, name) for node, name in bound if name in EMPTY and (place, name) not in WRITTEN]


EMPTY = frozenset(("found", "one", "some", "told", "said", "own", "of"))
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def bound_name(node: ast.AST) -> str | None:
    """Return the name that a node gives to something."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
    return None


@pytest.mark.parametrize("file", FILES, ids=module)
def test_nothing_unpickles(file: Path) -> None:
    assert not UNSAFE & {name.partition(".")[0] for name in imported(file)}
    allowed = [
        node.lineno
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle" and getattr(node.value, "value", 1)
    ]
    assert not allowed


@pytest.mark.parametrize("file", FILES, ids=module)
def test_the_library_does_not_print(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    assert not [name.lineno for name in functions if isinstance(name, ast.Name) and name.id == "print"]


def test_every_package_is_installed() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    found = {module(file.parent / "__init__.py") for file in FILES}
    assert found | {"embanon.embeddings", "embanon.ontologies"} == set(declared)


def test_data_is_found_as_packages() -> None:
    from importlib.resources import files

    for name in ("ontologies", "embeddings"):
        assert files(f"embanon.{name}").is_dir()
