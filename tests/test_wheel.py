"""The wheel, in an empty environment that has only what it depends on: the README runs there.

Nothing is downloaded: the dependencies are those of the environment that runs the tests, linked by name.
"""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, PackagePath, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.test_docs import README, mismatches, prepare

ROOT = Path(__file__).parents[1]
EXTRA = "leak"

pytestmark = [
    pytest.mark.wheel,
    pytest.mark.skipif(sys.platform == "win32", reason="links of Unix"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source distribution, as an installer without a wheel would."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    [found] = folder.glob("*.whl")
    return found


def closure(requirements: list[str]) -> dict[str, Distribution]:
    """Return all distributions that are needed, with the extra that the README uses."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(requirement) for requirement in requirements]
    while waiting:
        requirement = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": EXTRA}):
            continue
        if requirement.name.lower() not in found:
            found[requirement.name.lower()] = needed = distribution(requirement.name)
            waiting += [Requirement(line) for line in needed.requires or ()]
    return found


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an empty environment and give its folder of commands."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False, symlinks=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = home / "lib" / version / "site-packages"
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", "--no-warn-script-location", str(wheel)], check=True)
    [installed] = distributions(path=[str(packages)])
    for needed in closure(installed.requires or []).values():
        for file in {PackagePath(file.parts[0]) for file in needed.files or () if ".." not in file.parts}:
            source, target = Path(str(needed.locate_file(file))), packages / file
            if source.exists() and not target.exists():
                target.symlink_to(source)
    return home / "bin"


def test_the_wheel_has_code_and_data_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"embanon"}
    for name in (
        "embanon/py.typed",
        "embanon/cli/main.py",
        "embanon/examples/demo/biography.txt",
        "embanon/examples/demo/people.jsonl",
    ):
        assert name in names
    for root in ("ontologies", "embeddings"):
        expected = {
            f"embanon/{file.relative_to(ROOT)}"
            for file in (ROOT / root).rglob("*")
            if file.is_file() and not {"__pycache__", "build"} & set(file.relative_to(ROOT).parts)
        }
        assert expected <= set(names)
    assert not [name for name in names if name.endswith((".pyc", ".orig")) or "/tests/" in name or "/build/" in name]
    licenses = [name for name in names if name.endswith(("/LICENSE", "/NOTICE"))]
    assert len(licenses) == 2


def test_the_readme_runs_in_an_empty_environment(
    scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    prepare(README, tmp_path)
    assert mismatches(README, scripts, here=False) == []


def test_data_is_read_from_the_installed_package(scripts: Path, tmp_path: Path) -> None:
    code = (
        "import sys, embanon; from importlib.resources import files\n"
        "assert embanon.__file__.startswith(sys.prefix)\n"
        "assert all(files(f'embanon.{name}').is_dir() for name in ('ontologies', 'embeddings'))\n"
        "import importlib.util as u; assert not u.find_spec('pytest')\n"
    )
    subprocess.run([str(scripts / "python"), "-I", "-c", code], check=True, cwd=tmp_path)


def test_an_editable_install_finds_the_data(tmp_path: Path) -> None:
    """The environment of the tests is an editable install, or has the checkout beside it."""
    code = "from embanon.data import find_resource\nassert find_resource('ontologies').is_dir()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
