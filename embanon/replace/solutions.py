"""Tables of solutions on disk: lines of JSON that only you may read, encrypted where you give a key.

Encrypted, the file is a header of JSON and a body: scrypt makes a key of the passphrase, with which AES-GCM seals the
lines.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from embanon.errors import ConfigError, InputError, MissingExtraError, OutputError
from embanon.io import LIMITS, open_input, replace_file, resolve_link
from embanon.replace.rewrite import Solution

FORMAT: Final = "embanon-solutions"
VERSION: Final = 1
SCRYPT_COST: Final = {"n": 1 << 15, "r": 8, "p": 1}
MAX_SCRYPT_MEMORY: Final = 1 << 28
"""The bytes that a header may ask for in all: more would stop the machine."""
BYTES: Final = 32


FILE: Final = "FILE"
"""The type of a line that is no edit: a file has another name."""


def file_line(name: str, original: str) -> Solution:
    """Return the line that says what a file was called."""
    return Solution(name, 0, len(original), 0, len(name), original, name, FILE, "", None, 0.0)


def document_name(id: str, name: str) -> str:
    """Return the name of a document in a table: its id, the name of its file, or both."""
    return f"{name}: {id}" if name and id else name or id


def save(path: str | Path, solutions: Iterable[Solution], passphrase: bytes | None = None) -> None:
    """Write a table so that only its owner may read it; what is there is replaced when the new one is whole."""
    lines = "".join(json.dumps(one.to_dict(), ensure_ascii=False) + "\n" for one in solutions)
    body = lines.encode("utf-8", "surrogatepass")  # which names of files may have that are no UTF-8
    try:
        replace_file(resolve_link(path), _encrypt(body, passphrase) if passphrase is not None else body)
    except OSError as exc:
        raise OutputError(f"{path}: cannot be written ({exc.strerror}); make room, or name another file") from exc


def load(path: str, passphrase: bytes | None = None) -> list[Solution]:
    """Read a table."""
    with open_input(path) as stream:
        data = stream.read(LIMITS.total + 1)
    if len(data) > LIMITS.total:
        raise InputError(f"{path}: has more than {LIMITS.total >> 20} MB")
    header = _header(data)
    if header is not None:
        if passphrase is None:
            raise ConfigError(f"{path}: is encrypted; give its key: --key-file FILE")
        data = _decrypt(path, header, data.partition(b"\n")[2], passphrase)
    elif passphrase is not None:
        raise ConfigError(f"{path}: is not encrypted; leave out the key")
    numbered = enumerate(data.split(b"\n"), 1)
    return [_solution(line, f"{path}, line {number}") for number, line in numbered if line.strip()]


def _solution(line: bytes, where: str) -> Solution:
    try:
        row = json.loads(line)
        values = {name: row[name] for name in Solution.__slots__}
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(f"{where}: is no line of a table of solutions") from None
    numbers = [values[name] for name in ("start", "end", "at", "to")]
    texts = [values[name] for name in ("document", "original", "replacement", "type", "entity")]
    risks = [values["risk"] or 0.0, values["replacement_risk"]]
    known = all(type(one) is int and one >= 0 for one in numbers) and all(isinstance(one, str) for one in texts)
    if not known or not all(type(one) in (int, float) for one in risks):
        raise InputError(f"{where}: is no line of a table of solutions")
    return Solution(**values)


def _header(data: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(data.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and row.get("format") == FORMAT else None


def _cipher(passphrase: bytes, salt: bytes, cost: dict[str, int]) -> Any:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
    except ModuleNotFoundError as exc:
        raise MissingExtraError("cryptography", "crypto") from exc
    return AESGCM(Scrypt(salt=salt, length=BYTES, **cost).derive(passphrase))


def _encrypt(body: bytes, passphrase: bytes) -> bytes:
    salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
    coded = {name: base64.b64encode(value).decode() for name, value in (("salt", salt), ("nonce", nonce))}
    header = json.dumps({"format": FORMAT, "version": VERSION, "kdf": "scrypt", **SCRYPT_COST, **coded}).encode()
    sealed: bytes = _cipher(passphrase, salt, SCRYPT_COST).encrypt(nonce, body, header)
    return header + b"\n" + sealed


def _decrypt(path: str, header: dict[str, Any], body: bytes, passphrase: bytes) -> bytes:
    try:
        cost = {name: int(header[name]) for name in SCRYPT_COST}
        salt, nonce = (base64.b64decode(header[name], validate=True) for name in ("salt", "nonce"))
        known = (header["version"], header["kdf"]) == (VERSION, "scrypt")
        if not known or min(cost.values()) < 1 or 128 * cost["n"] * cost["r"] * cost["p"] > MAX_SCRYPT_MEMORY:
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise InputError(f"{path}: its header is damaged, or of another version") from None
    first = json.dumps(header).encode()
    try:
        plain: bytes = _cipher(passphrase, salt, cost).decrypt(nonce, body, first)
    except (MissingExtraError, MemoryError):
        raise
    except Exception:
        raise InputError(f"{path}: cannot be opened: another key, or the file has changed") from None
    return plain
