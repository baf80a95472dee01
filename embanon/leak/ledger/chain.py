"""The hash chain of entries: without the key, none can be changed, removed, added or moved unnoticed.

Each entry has a mark: HMAC of its table, batch, place and values. A batch is chained to the one before it: HMAC of
that one's link, its own number, kind, time and size, and the sum of its marks. What is personal has a salt among its
values: once both are deleted, nobody can tell by trying what the mark that stays behind was made of.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from hashlib import sha256
from operator import xor
from typing import Any, Final

from embanon.language import key as key_of

PURPOSES: Final = ("chain", "phrase", "document", "user", "entity", "content")
HASH_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class LedgerKeys:
    """Keys for each purpose, made for one ledger: what is in two of them cannot be compared."""

    keys: Mapping[str, bytes] = field(repr=False)
    proof: bytes = field(repr=False)

    @classmethod
    def derive(cls, secret: bytes, ledger: bytes) -> LedgerKeys:
        """Derive the keys."""
        made = {one: hmac.digest(secret, b"embanon ledger\0" + ledger + one.encode(), "sha256") for one in PURPOSES}
        return cls(made, hmac.digest(made["chain"], b"proof", "sha256")[:HASH_BYTES])

    def hash_name(self, purpose: str, name: str | bytes) -> bytes:
        """Return the pseudonym of a name."""
        data = name if isinstance(name, bytes) else name.encode("utf-8", "surrogatepass")
        return hmac.digest(self.keys[purpose], data, "sha256")[:HASH_BYTES]

    def hash_user(self, name: str) -> bytes:
        """Return the pseudonym of a user, whatever case and composition logs write the name in."""
        return self.hash_name("user", key_of(name))

    def hash_phrase(self, phrase: str) -> int:
        """Return the pseudonym of a phrase, normalized for comparison."""
        return int.from_bytes(self.hash_name("phrase", key_of(phrase))[:8], "little", signed=True)

    def sign_entry(self, table: str, batch: int, place: int, values: Sequence[Any]) -> bytes:
        """Hold the values of an entry in its place."""
        return hmac.digest(self.keys["chain"], ascii((table, batch, place, *values)).encode(), "sha256")[:HASH_BYTES]

    def link_batch(self, before: bytes, number: int, kind: str, at: int, size: int, digest: bytes) -> bytes:
        """Chain a batch to the one before it."""
        written = ascii((before, number, kind, at, size, digest)).encode()
        return hmac.digest(self.keys["chain"], written, "sha256")

    def hash_erased(self, mark: bytes) -> int:
        """Return what the mark of an erased entry adds to the sum of its erasure."""
        return int.from_bytes(hmac.digest(self.keys["chain"], b"buried" + mark, "sha256")[:HASH_BYTES])


def xor_marks(marks: Sequence[bytes]) -> bytes:
    """Return the sum of marks, in which order does not count: each holds its own place."""
    return reduce(xor, map(int.from_bytes, marks), 0).to_bytes(HASH_BYTES)


def digest_of(data: bytes | None) -> bytes:
    """Return a digest of what is long."""
    return sha256(data or b"").digest()


# What of an entry is held, in order: everything that is not computed later, and that is not the mark itself.
CHAINED_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "events": ("id", "at", "kind", "event", "detail"),
    "entities": ("id", "keyed", "name"),
    "valuations": ("id", "entity", "value", "threshold"),
    "folders": ("id", "name"),
    "documents": ("id", "keyed", "name", "folder"),
    "versions": (
        "id", "document", "number", "scan", "since", "content", "fingerprint", "length", "unknown", "label", "near",
        "worth",
    ),
    "users": ("id", "keyed", "name", "salt"),
    "accesses": ("user", "time", "document", "action", "day", "salt"),
    "permissions": ("id", "keyed", "windows", "salt"),
}  # fmt: skip
DISCLOSURE_COLUMNS: Final = ("entity", "strength", "risk", "phrases", "allowed")


def entry_values(table: str) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return what takes the held values out of a row; a version holds its disclosures, in the order of entities.

    It holds its sensitivity where it has one: those of ledgers that knew of none hold what they always held.
    """
    names = CHAINED_COLUMNS[table]
    if table != "versions":
        return lambda row: tuple([row[name] for name in names])

    def version(row: Mapping[str, Any]) -> tuple[Any, ...]:
        disclosed = [tuple(one[name] for name in DISCLOSURE_COLUMNS) for one in row["disclosures"]]
        opinion = () if row["sensitivity"] is None else (("sensitivity", row["sensitivity"]),)
        sketch = b"\0" if row["sketch"] == b"" else row["sketch"]  # an empty one is not none, and never written
        return (*[row[name] for name in names], digest_of(sketch), digest_of(row["mentions"]), *disclosed, *opinion)

    return version


@dataclass(frozen=True, slots=True)
class ChainHead:
    """The last link of a chain: who keeps it elsewhere sees when a ledger is cut off or rolled back behind it."""

    ledger: str
    batch: int
    chained: str

    def to_row(self) -> dict[str, Any]:
        """Return what is exported."""
        return {"ledger": self.ledger, "batch": self.batch, "chained": self.chained}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is not as it was written."""

    what: str
    table: str = ""
    batch: int = 0
    place: int = -1
    entry: str = ""

    def __str__(self) -> str:
        place = f", place {self.place}" if self.place >= 0 else ""
        where = f" (batch {self.batch}{place})" if self.batch else ""
        return " ".join(filter(None, (self.table, self.entry, self.what))) + where


@dataclass(slots=True)
class BatchSums:
    """What is found of each batch while all entries pass by."""

    sizes: dict[int, int] = field(default_factory=dict)
    digests: dict[int, int] = field(default_factory=dict)

    def add(self, batch: int, mark: bytes) -> None:
        """Count an entry."""
        self.sizes[batch] = self.sizes.get(batch, 0) + 1
        self.digests[batch] = self.digests.get(batch, 0) ^ int.from_bytes(mark)

    def matches(self, batch: int, size: int, digest: bytes) -> bool:
        """Return whether all entries of a batch have passed by, with their marks."""
        return self.sizes.pop(batch, 0) == size and self.digests.pop(batch, 0) == int.from_bytes(digest)

    def unmatched_batches(self) -> Iterator[int]:
        """Return the batches of entries that are in no batch."""
        yield from sorted(self.sizes)
