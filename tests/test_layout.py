"""The shape of the repository: imports point one way, nothing prints, nothing unpickles."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "embanon"
FILES = sorted(PACKAGE.rglob("*.py"))

LEVELS = {
    "embanon.measure.annotations": 0,
    "embanon.document": 0,
    "embanon.errors": 0,
    "embanon.anonymizer": 2,
    "embanon.attack.attack": 2,
    "embanon.measure.curve": 2,
    "embanon.measure.evaluate": 2,
    "embanon.scoring": 2,
    "embanon.leak": 2,
    "embanon.report.page": 2,
    "embanon.text.find": 2,
    "embanon.report.report": 2,
    "embanon.measure.tune": 2,
    "embanon.model.assemble": 2,
    "embanon.model.collect": 2,
    "embanon.model.train": 2,
    "embanon.build": 3,
    "embanon.cli.messages": 3,
    "embanon.integrations": 3,
    "embanon.server": 3,
    "embanon.spark": 3,
    "embanon.cli.main": 4,
}
"""A module imports from its own level or a lower one. Everything else is a stage, at level 1."""

UNSAFE = {"pickle", "cPickle", "dill", "shelve", "joblib", "marshal", "cloudpickle"}


def module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def level(name: str) -> int:
    return next((value for known, value in LEVELS.items() if f"{name}.".startswith(f"{known}.")), 1)


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("file", FILES, ids=module)
def test_imports_point_one_way(file: Path) -> None:
    if module(file) == "embanon":
        return  # the front door may show everything
    ours = (name for name in imported(file) if name.startswith("embanon."))
    assert not [name for name in ours if level(name) > level(module(file))]


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
    if module(file).startswith("embanon.build"):
        return  # run by hand, from a checkout
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
