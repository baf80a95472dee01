"""Models as folders: written whole or not at all, and believed only as far as they make sense."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from embanon.errors import ConfigError, DataError, OutputError
from embanon.storage import folder as folders, lock
from embanon.storage.folder import MODEL, check_target, damaged_files, load, read_card, save, to_toml

ROOT = Path(__file__).parents[2]
SECRET = "Geheimnis"
ARRAYS = {
    "a": np.arange(12, dtype=np.uint32).reshape(3, 4),
    "b.c-d": np.zeros(0, np.float16),
    "wide": np.zeros((0, 7), np.int8),
}
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    save(tmp_path / "x.model", ARRAYS, {"license": "free"})
    return tmp_path / "x.model"


def there(model: Path) -> None:
    """See that the model is as the fixture has made it, and alone."""
    card, arrays = load(model)
    assert (card["license"], damaged_files(model), [path.name for path in model.parent.iterdir()]) == (
        "free",
        [],
        [model.name],
    )
    np.testing.assert_array_equal(arrays["a"], ARRAYS["a"])


def test_what_is_saved_is_loaded(model: Path) -> None:
    there(model)
    card, arrays = load(model)
    assert card["format"] == folders.FORMAT
    assert {name: (array.dtype, array.shape) for name, array in arrays.items()} == {
        name: (array.dtype, array.shape) for name, array in ARRAYS.items()
    }
    with pytest.raises(ValueError, match="read-only"):
        arrays["a"][0, 0] = 1


@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_any_order_are_saved(order: Any, tmp_path: Path) -> None:
    for array in (np.array(ARRAYS["a"], order=order), ARRAYS["a"][:, ::2], ARRAYS["a"].T):
        save(tmp_path / "m", {"a": array}, {})
        np.testing.assert_array_equal(load(tmp_path / "m")[1]["a"], array)


@pytest.mark.skipif(os.name == "nt", reason="has no such permissions")
def test_only_its_owner_may_read_a_model(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        save(tmp_path / "m", ARRAYS, {})
        save(tmp_path / "m", ARRAYS, {})
    finally:
        os.umask(before)
    assert (tmp_path / "m").stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / "m").iterdir()} == {0o600}


def test_the_same_model_is_the_same_bytes(model: Path, tmp_path: Path) -> None:
    before = {path.name: path.read_bytes() for path in model.iterdir()}
    save(model, ARRAYS, {"license": "free"})
    assert {path.name: path.read_bytes() for path in model.iterdir()} == before


def test_a_model_may_be_moved_copied_and_linked(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other place"
    shutil.copytree(model, other / "copy")
    model.rename(other / "moved")
    (other / "link").symlink_to(other / "moved")
    for name in ("copy", "moved", "link"):
        np.testing.assert_array_equal(load(other / name)[1]["a"], ARRAYS["a"])
        assert damaged_files(other / name) == []


def test_an_old_model_stays_readable_while_it_is_replaced(model: Path) -> None:
    old = load(model)[1]
    save(model, {"a": ARRAYS["a"] + 1}, {"license": "free"})
    np.testing.assert_array_equal(old["a"], ARRAYS["a"])
    assert damaged_files(model) == []
    assert sorted(load(model)[1]) == ["a"]


def test_what_a_link_leads_to_is_replaced(model: Path, tmp_path: Path) -> None:
    link = tmp_path / "links" / "m"
    link.parent.mkdir()
    link.symlink_to(model)
    save(link, {"a": ARRAYS["a"]}, {"license": "new"})
    assert link.is_symlink()
    assert read_card(model)["license"] == "new"
    assert [path.name for path in link.parent.iterdir()] == ["m"]
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    save(tmp_path / "dangling", ARRAYS, {})
    assert (tmp_path / "new" / MODEL.card).is_file()


# Saving that fails


def interrupt(_: int) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_leaves_the_old_model(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        save(model, {"a": ARRAYS["a"] + 1}, {})
    there(model)


def run(code: str, *arguments: Path, **options: Any) -> subprocess.Popen[str]:
    program = "import sys\nfrom pathlib import Path\nimport numpy as np\nfrom embanon.storage.folder import save\n"
    return subprocess.Popen(
        [sys.executable, "-c", program + textwrap.dedent(code), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


@LINUX
def test_a_full_disk_leaves_the_old_model(model: Path) -> None:
    code = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
        save(Path(sys.argv[1]), {"a": np.zeros(10, "u4"), "b": np.zeros(100_000, "u4")}, {})
    """
    process = run(code, model)
    _, errors = process.communicate()
    assert process.returncode == 1
    assert "OutputError" in errors
    assert "cannot be saved (File too large); what was there is as it was" in errors
    there(model)


@LINUX
def test_a_killed_process_leaves_the_old_model(model: Path) -> None:
    code = """
        import os
        import embanon.storage.folder as folders
        write = folders._write_array
        def slowly(path, array):
            if path.name == "z.npy":
                print("here", flush=True)
                sys.stdin.read()
            return write(path, array)
        folders._write_array = slowly
        save(Path(sys.argv[1]), {"a": np.zeros(9, "u4"), "z": np.zeros(9, "u4")}, {})
    """
    process = run(code, model, stdin=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    aside = model.with_name("x.model.part")
    assert (aside / "a.npy").is_file()
    assert read_card(model)["license"] == "free"
    save(model, ARRAYS, {"license": "free"})
    there(model)


@LINUX
@pytest.mark.skipif(os.name != "nt" and os.geteuid() != 0, reason="becomes another user")
@pytest.mark.parametrize("mode", [0o555, 0o000])
def test_a_place_that_may_not_be_written(mode: int) -> None:
    closed = Path(tempfile.mkdtemp())  # the folder of tests is closed to others
    closed.chmod(mode)
    code = """
        import os
        target, user = Path(sys.argv[1]), 65534
        from embanon.errors import OutputError
        os.setgid(user)
        os.setuid(user)
        try:
            save(target, {}, {})
        except OutputError as exc:
            print(exc)
    """
    output, errors = run(code, closed / "m").communicate()
    closed.chmod(0o700)
    closed.rmdir()  # and is empty
    assert "choose another" in output, errors


def renaming(failing: Callable[[Path, Path], bool], patch: pytest.MonkeyPatch, error: type[BaseException]) -> None:
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if failing(self, Path(target)):
            raise error(5, "Input/output error")
        return rename(self, target)

    patch.setattr(Path, "rename", refuse)


def test_a_swap_that_fails_is_undone(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    renaming(lambda source, _: source.suffix == ".part", monkeypatch, OSError)
    with pytest.raises(OutputError, match="what was there is as it was"):
        save(model, {"a": ARRAYS["a"] + 1}, {})
    there(model)


def test_an_interrupted_swap_is_told_and_mended(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    renaming(lambda source, _: source.suffix == ".part", monkeypatch, KeyboardInterrupt)
    with pytest.raises(KeyboardInterrupt):
        save(model, {"a": ARRAYS["a"] + 1}, {})
    previous = model.with_name("x.model.previous")
    with pytest.raises(DataError, match=r"interrupted; rename .*x\.model\.previous to get it back"):
        load(model)
    monkeypatch.undo()
    # A next attempt that fails keeps the only good copy, and one that succeeds removes it.
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            save(model, ARRAYS, {})
    assert read_card(previous)["license"] == "free"
    previous.rename(model)
    there(model)
    model.rename(previous)
    save(model, ARRAYS, {"license": "free"})
    there(model)


def test_a_card_that_could_not_be_read_again_is_not_written(model: Path) -> None:
    with pytest.raises(ConfigError, match="shorten the license"):
        save(model, ARRAYS, {"license": "x" * (1 << 20)})
    there(model)


# Targets


def foreign(name: str, *files: str) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        for file in files:
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(SECRET)
        return folder / "m"

    return make


def a_file(folder: Path) -> Path:
    (folder / "m").touch()
    return folder / "m"


def a_link(folder: Path) -> Path:
    (folder / "m.part").symlink_to(folder)
    return folder / "m"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        pytest.param(a_file, "is there and is no model", id="file"),
        pytest.param(foreign("m", "letter.txt"), "is there and is no model", id="folder"),
        pytest.param(foreign("m", MODEL.card, "letter.txt"), "holds other files", id="model with other files"),
        pytest.param(foreign("m", MODEL.card, "more/a.npy"), "holds other files", id="model with folders"),
        pytest.param(foreign("m.part", "letter.txt"), r"m\.part: its name is needed", id=".part of someone else"),
        pytest.param(foreign("m.previous", "letter.txt"), r"m\.previous: its name is needed", id=".previous likewise"),
        pytest.param(a_link, r"m\.part: its name is needed", id=".part as a link"),
        pytest.param(lambda folder: folder / "none" / "m", "mkdir -p", id="missing folder"),
        pytest.param(lambda folder: a_file(folder) / "m", "its folder does not exist", id="below a file"),
        pytest.param(lambda folder: folder / "m.part", "choose another", id="name of our own"),
        pytest.param(lambda folder: folder / "m.previous", "choose another", id="the other"),
        pytest.param(lambda _: Path("/"), "is no name", id="root"),
        pytest.param(lambda folder: folder / ("x" * 250), "File name too long", id="no room for .previous"),
        pytest.param(lambda folder: folder / ("x" * 300), "File name too long", id="name too long"),
    ],
)
def test_targets_that_are_refused_before_any_work(make: Callable[[Path], Path], message: str, tmp_path: Path) -> None:
    target = make(tmp_path)
    before = {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")}
    for refuse in (lambda: check_target(target), lambda: save(target, ARRAYS, {})):
        with pytest.raises((ConfigError, OutputError), match=message):
            refuse()
    assert {path: path.is_file() and path.read_bytes() for path in tmp_path.rglob("*")} == before


def test_targets_that_are_taken(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    for target in (model, tmp_path / "empty", Path("relative"), Path("ünï \udcff cöde")):
        save(target, ARRAYS, {})
        assert damaged_files(target) == []
    monkeypatch.chdir(tmp_path / "empty")
    with pytest.raises(ConfigError, match="is no model"):
        save(Path(".."), ARRAYS, {})


# What is broken


def refused(model: Path, message: str | None = None) -> None:
    with pytest.raises(DataError, match=message) as caught:
        load(model)
    assert SECRET not in f"{caught.value!r} {caught.value.__cause__!r}"


def carded(model: Path, edit: Callable[[str], str]) -> None:
    (model / MODEL.card).write_text(edit((model / MODEL.card).read_text()))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        pytest.param(lambda _: "", "is not of format 1", id="empty"),
        pytest.param(lambda card: card.replace("format = 1", "format = 2"), "is not of format 1", id="format 2"),
        pytest.param(lambda card: card.replace("format = 1", f"format = '{SECRET}'"), "not of format", id="no number"),
        pytest.param(lambda card: card + SECRET, "is damaged", id="no TOML"),
        pytest.param(lambda card: "x = " + "[" * 100_000, "is damaged", id="deep"),
        pytest.param(lambda card: card + "#" * (1 << 20), "is too large", id="huge"),
        pytest.param(lambda _: "format = 1", "names no files", id="no files"),
        pytest.param(lambda _: "format = 1\nfiles = ['a']", "names no files", id="files are no table"),
        pytest.param(lambda card: card.replace("[files.a]", "[files.'../a']"), "names no files", id="path"),
        pytest.param(lambda card: card.replace("[files.a]", "[files.'/etc/passwd']"), "names no files", id="root"),
        pytest.param(lambda card: card.replace("[files.a]", "[files.'.a']"), "names no files", id="hidden"),
        pytest.param(lambda card: card.replace("[files.a]", "[files.'']"), "names no files", id="no name"),
        pytest.param(
            lambda card: card.replace("[files.a]", "[files.missing]"), "missing.npy: is missing", id="missing"
        ),
        pytest.param(lambda _: "format = 1\n[files]\na = 5", "not the size", id="no row"),
        pytest.param(lambda _: "format = 1\n[files]\na = {bytes = '176'}", "not the size", id="size is no number"),
    ],
)
def test_cards_that_are_refused(edit: Callable[[str], str], message: str, model: Path) -> None:
    carded(model, edit)
    refused(model, message)
    with suppress(DataError):
        assert damaged_files(model) != []


def test_cards_that_cannot_be_read(model: Path, tmp_path: Path) -> None:
    card = model / MODEL.card
    card.write_bytes(b"a = '\xff'")
    refused(model, "is damaged")
    card.unlink()
    refused(model, r"has no model\.toml")
    card.mkdir()
    refused(model, "cannot be read")
    card.rmdir()
    os.mkfifo(card)
    refused(model, "is no file")  # and is not waited for
    refused(tmp_path / "none", r"no such model; make one: embanon train")
    (tmp_path / "file").touch()
    refused(tmp_path / "file", "embanon model convert")
    refused(tmp_path / "a\0b")


HEADER = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<u4', 'fortran_order': False, 'shape': (3, 4), }".ljust(127) + b"\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"(3, 4), }   ", b"(3000000, 4), }"[:12], id="cut"),
        pytest.param(b"(3, 4), }          ", b"(300000000, 4), }  ", id="terabytes"),
        pytest.param(b"(3, 4), }" + b" " * 20, b"(4611686018427387904, 4), }".ljust(29), id="beyond 64 bits"),
        pytest.param(b"(3, 4), }  ", b"(-3, -4), }", id="negative"),
        pytest.param(b"(3, 4)", b"(3, 5)", id="more"),
        pytest.param(b"(3, 4), }", b"(3,), }  ", id="less"),
        pytest.param(b"False, 'shape': (3, 4), } ", b"True, 'shape': (3, 4), }  ", id="Fortran"),
        pytest.param(b"'<u4'", b"'|O' ", id="objects"),
        pytest.param(b"'<u4'", b"'>u4'", id="other bytes first"),
        pytest.param(b"'<u4'", b"'<U1'", id="text"),
        pytest.param(b"'<u4'", b"'<u3'", id="no such number"),
        pytest.param(b"'<u4'", b"'|u4'", id="no order"),
        pytest.param(b"'<u4'", b"'<f1'", id="no such float"),
        pytest.param(b"'<u4'", b"'<M8'", id="time"),
        pytest.param(b"'<u4'", b"[1,2]", id="no kind"),
        pytest.param(b"(3, 4)", b"(3, 4L", id="Python 2"),
        pytest.param(b"(3, 4)", b"(3 4, ", id="spaces between digits"),
        pytest.param(b"(3, 4)", b"(, , )", id="commas"),
        pytest.param(b"(3, 4)", b"((3,4)", id="brackets"),
        pytest.param(b"\x01\x00\x76\x00", b"\x02\x00\x76\x00", id="version"),
        pytest.param(b"\x76\x00", b"\x66\x00", id="length"),
        pytest.param(b"\x76\x00", b"\xff\xff", id="longer"),
        pytest.param(b"NUMPY", b"PICKL", id="magic"),
    ],
)
def test_headers_that_are_refused(old: bytes, new: bytes, model: Path) -> None:
    path = model / "a.npy"
    data = path.read_bytes()
    assert data.startswith(HEADER)
    assert old in data
    path.write_bytes(data.replace(old, new, 1))
    refused(model)
    assert damaged_files(model) == ["a.npy"]


def test_files_that_are_cut_changed_or_none(model: Path) -> None:
    path = model / "a.npy"
    data = path.read_bytes()
    for broken in (data[:-1], data + b"x", data[:128], data[:5], b""):
        path.write_bytes(broken)
        refused(model, "not the size")
        assert damaged_files(model) == ["a.npy"]
    path.write_bytes(data[:-1] + b"\xff")
    assert load(model)[1]["a"][-1, -1] != 11
    assert damaged_files(model) == ["a.npy"]
    path.unlink()
    refused(model, "is missing")
    carded(model, lambda card: card.replace("bytes = 176", "bytes = 0"))
    os.mkfifo(path)
    refused(model)
    assert damaged_files(model) == ["a.npy"]


def test_any_changed_header_is_refused_or_read(model: Path) -> None:
    path = model / "a.npy"
    data = path.read_bytes()
    draw = np.random.default_rng(3)
    for _ in range(300):
        changed = bytearray(data)
        for place in draw.integers(0, 80, draw.integers(1, 4)):
            changed[place] = draw.integers(0, 256)
        path.write_bytes(changed)
        try:
            load(model)
        except DataError:
            continue
        assert bytes(changed) != data or damaged_files(model) == []


def test_opening_does_not_read(tmp_path: Path) -> None:
    save(tmp_path / "m", {f"a{number}": np.zeros(2_000_000, np.uint8) for number in range(20)}, {})
    started = time.process_time()
    load(tmp_path / "m")
    assert time.process_time() - started < 0.1


# TOML

KEYS = st.text(max_size=5) | st.sampled_from(["", "a b", 'q"', "ü", "\x7f", "a.b", "\n", "-_9"])
VALUES = (
    st.text(st.characters(), max_size=10)
    | st.text('\x00\x1f\x7f\x80\x85\u2028\\"\'#\r\n\t=[]\ud800\udc00😀', max_size=10)
    | st.integers() | st.booleans() | st.floats() | st.sampled_from([1e-07, 1e22, 5e-324, -0.0])
)  # fmt: skip
TABLES = st.recursive(
    st.dictionaries(KEYS, VALUES | st.lists(VALUES, max_size=3), max_size=4),
    lambda tables: st.dictionaries(KEYS, VALUES | tables, max_size=4),
    max_leaves=6,
)


def whole(value: Any) -> Any:
    """Return a value as it is expected back: without halves of a broken encoding, and comparable."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode()
        case float():
            return repr(value)
        case list():
            return [*map(whole, value)]
        case dict():
            return {whole(key): whole(item) for key, item in value.items()}
    return value


@given(TABLES)
def test_toml_is_read_as_it_was_meant(table: dict[str, Any]) -> None:
    read = tomllib.loads(to_toml(table))
    assert whole(read) == whole(table)


def test_toml_of_numpy_and_of_halves_of_characters() -> None:
    read = tomllib.loads(to_toml({"a": np.float64(1e-7), "b": (1, 2), "c": {"d": {"e": 1}}, "f": True}))
    assert read == {"a": 1e-7, "b": [1, 2], "c": {"d": {"e": 1}}, "f": True}
    assert tomllib.loads(to_toml({"\ud800": {"a\udfff": 1}})) == {"?": {"a?": 1}}


COUNTING = """
import sys, time
from pathlib import Path
from embanon.storage import lock
if sys.argv[2:]:
    lock.fcntl = None
for _ in range(5):
    with lock.locked(Path(sys.argv[1])), lock.locked(Path(sys.argv[1])):
        count = int(Path("count").read_text())
        time.sleep(0.01)
        Path("count").write_text(str(count + 1))
"""


@pytest.mark.parametrize("without", [[], ["fcntl"]])
def test_processes_wait_for_each_other(without: list[str], tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    words = [sys.executable, "-c", COUNTING, "x", *without]
    processes = [subprocess.Popen(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert ((tmp_path / "count").read_text(), [path.name for path in tmp_path.iterdir()]) == ("20", ["count"])


def test_a_file_that_is_called_as_the_lock_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".x.lock").write_text("mine")
    save(tmp_path / "x", ARRAYS, {})
    assert (tmp_path / ".x.lock").read_text() == "mine"
    monkeypatch.setattr(lock, "fcntl", None)
    monkeypatch.setattr(lock, "MAX_LOCK_WAIT", 0.1)
    with pytest.raises(OutputError, match="seems to be at work; wait for it, or remove"):
        save(tmp_path / "x", ARRAYS, {})
    (tmp_path / ".y.lock").symlink_to(tmp_path / "elsewhere")
    monkeypatch.undo()
    with pytest.raises(OutputError, match="cannot be locked"):
        save(tmp_path / "y", ARRAYS, {})
