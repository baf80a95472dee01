"""Tables of solutions on disk: who may read them, sealed and opened, and files that are something else."""

from __future__ import annotations

import base64
import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import embanon.replace.solutions
from embanon.errors import ConfigError, InputError, MissingExtraError, OutputError
from embanon.replace.rewrite import Solution
from embanon.replace.solutions import load, save

KEY = b"a long random text"
TABLE = [
    Solution("d 1", 0, 10, 0, 8, "Ada Berger", "Person 1", "PERSON", "e1", 1.0, 0.1),
    Solution("d\u20282", 4, 6, 2, 5, "Zoë\n🙂\u202e", "***", "MISC", "", None, 0.1),
]
TEXTS = st.text(max_size=20)
ROWS = st.lists(
    st.builds(
        Solution, TEXTS, st.integers(0), st.integers(0), st.integers(0), st.integers(0), TEXTS, TEXTS, TEXTS, TEXTS,
        st.none() | st.floats(0, 1), st.floats(0, 1),
    )
)  # fmt: skip


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make keys quickly."""
    monkeypatch.setattr(embanon.replace.solutions, "SCRYPT_COST", {"n": 16, "r": 8, "p": 1})


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    path = tmp_path / "table.sealed"
    save(path, TABLE, KEY)
    return path


@pytest.mark.parametrize("key", [None, KEY, b"\x00\xff"])
def test_a_table_comes_back(tmp_path: Path, key: bytes | None) -> None:
    path = tmp_path / "table"
    save(path, TABLE, key)
    assert load(str(path), key) == TABLE
    assert [one.name for one in tmp_path.iterdir()] == ["table"]
    assert (b"Berger" in path.read_bytes()) == (key is None)
    save(path, [], key)
    assert load(str(path), key) == []


@given(ROWS)
def test_any_table_comes_back(tmp_path: Path, rows: list[Solution]) -> None:
    save(tmp_path / "table", rows)
    assert load(str(tmp_path / "table")) == rows


@pytest.mark.skipif(os.name == "nt", reason="no modes")
@pytest.mark.parametrize("mask", [0, 0o22, 0o77])
def test_only_the_owner_may_read_it(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "table"
    path.write_text("old")
    path.chmod(0o666)
    before = os.umask(mask)
    try:
        save(path, TABLE)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_seals_differ(sealed: Path, tmp_path: Path) -> None:
    save(tmp_path / "other", TABLE, KEY)
    assert sealed.read_bytes() != (tmp_path / "other").read_bytes()


def test_keys(sealed: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="another key, or the file has changed"):
        load(str(sealed), b"another")
    with pytest.raises(ConfigError, match="is encrypted; give its key: --key-file FILE"):
        load(str(sealed))
    save(tmp_path / "plain", TABLE)
    with pytest.raises(ConfigError, match="is not encrypted; leave out the key"):
        load(str(tmp_path / "plain"), KEY)


def test_a_changed_byte_is_seen(sealed: Path) -> None:
    data = sealed.read_bytes()
    for place in (*range(0, len(data), 7), len(data) - 1):
        sealed.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises((InputError, ConfigError)) as caught:
            load(str(sealed), KEY)
        assert "Berger" not in str(caught.value)


def test_a_truncated_table_is_seen(sealed: Path) -> None:
    data = sealed.read_bytes()
    for size in (*range(1, len(data), 11), len(data) - 1):
        sealed.write_bytes(data[:size])
        with pytest.raises((InputError, ConfigError)):
            load(str(sealed), KEY)


HEADERS = {
    "memory": {"n": 1 << 30},
    "blocks": {"r": 1 << 20},
    "threads": {"p": 1 << 20},
    "memory by both": {"n": 1 << 20, "r": 32},
    "nothing": {"n": 1},
    "no power of two": {"n": 1000},
    "less than nothing": {"n": -4},
    "a text": {"n": "many"},
    "infinite": {"n": float("inf")},
    "version": {"version": 2},
    "salt": {"salt": "?"},
    "no salt": {"salt": None},
    "nonce": {"nonce": base64.b64encode(b"1").decode()},
    "huge nonce": {"nonce": base64.b64encode(b"1" * 1000).decode()},
    "a function that is not known": {"kdf": "md5"},
}


@pytest.mark.parametrize("name", HEADERS)
def test_bad_headers(sealed: Path, name: str) -> None:
    first, _, rest = sealed.read_bytes().partition(b"\n")
    header = json.loads(first) | HEADERS[name]
    sealed.write_bytes(json.dumps(header).encode() + b"\n" + rest)
    started = time.process_time()
    with pytest.raises(InputError, match=r"table\.sealed: (its header is damaged|cannot be opened)"):
        load(str(sealed), KEY)
    assert time.process_time() - started < 2


LINE = json.dumps(TABLE[0].to_dict())
OTHERS = {
    "binary": b"\x89PNG\r\n\x1a\n\x00\xff",
    "a text": b"Geheimnis is no table",
    "other lines": b'{"id": "1", "text": "Geheimnis"}\n',
    "a list": b"[1, 2]",
    "a number": b"7",
    "deep": b"[" * 100_000,
    "not UTF-8": LINE.encode().replace(b"Berger", b"\xff\xfe"),
    "a half line": LINE[:-20].encode(),
    "a good line and a half": f"{LINE}\n{LINE[:-20]}".encode(),
    "offsets that are texts": LINE.replace('"start": 0', '"start": "0"').encode(),
    "offsets below 0": LINE.replace('"at": 0', '"at": -1').encode(),
    "true": LINE.replace('"end": 10', '"end": true').encode(),
    "a name that is none": LINE.replace('"Ada Berger"', "null").encode(),
    "a risk that is a text": LINE.replace('"risk": 1.0', '"risk": "Geheimnis"').encode(),
    "a huge number": LINE.replace('"end": 10', f'"end": {"9" * 5000}').encode(),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / "table"
    path.write_bytes(OTHERS[name])
    with pytest.raises(InputError, match=r"line \d: is no line of a table of solutions") as caught:
        load(str(path))
    assert "Geheimnis" not in str(caught.value)


def test_no_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none"):
        load(str(tmp_path / "none"))
    (tmp_path / "empty").touch()
    assert load(str(tmp_path / "empty")) == []


def test_without_cryptography(tmp_path: Path, sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("cryptography")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'embanon\[crypto\]'"):
        save(tmp_path / "new", TABLE, KEY)
    with pytest.raises(MissingExtraError, match="crypto"):
        load(str(sealed), KEY)
    assert [one.name for one in tmp_path.iterdir()] == ["table.sealed"]


def test_nowhere_to_write(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        save(tmp_path / "no" / "table", TABLE)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="cannot be written"):
        save(tmp_path / "folder", TABLE)
    assert [one.name for one in tmp_path.iterdir()] == ["folder"]


KILLED = """
import os, signal, sys
from embanon.replace.rewrite import Solution
from embanon.replace.solutions import save
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
save(sys.argv[1], [Solution("new", 0, 1, 0, 1, "a", "b", "MISC", "", None, 0.1)])
"""


@pytest.mark.skipif(os.name == "nt", reason="no such signal")
def test_a_killed_process_leaves_the_old_table(tmp_path: Path) -> None:
    save(tmp_path / "table", TABLE)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "table")], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert load(str(tmp_path / "table")) == TABLE
    for left in tmp_path.iterdir():
        assert stat.S_IMODE(left.stat().st_mode) == 0o600


def test_tables_are_read_without_what_plans_edits() -> None:
    code = "import embanon.replace.solutions, sys; print(*(name for name in sys.modules if name.startswith('embanon')))"
    names = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert len(names) <= 25
    assert "embanon.replace.plan" not in names
