"""Locks of folders: of processes that write the same one, one does so at a time, and the others wait."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from embanon.errors import OutputError

try:
    import fcntl
except ImportError:  # where there is no Unix
    fcntl = None  # type: ignore[assignment]

LOCK_SUFFIX: Final = ".lock"
"""What the name of the file ends with by which processes wait for each other."""
LOCK_PAUSE: Final = 0.05
MAX_LOCK_WAIT: Final = 600.0
"""Seconds; where files cannot be locked, one that is left by a killed process would be waited for without end."""
_HELD: Final = threading.local()
"""The locks that a thread has, which does not wait for itself."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Let no other process or thread that asks so replace a folder meanwhile; wait for one that is at it."""
    place = Path(os.path.realpath(folder))
    held: set[Path] = _HELD.__dict__.setdefault("places", set())
    if place in held or not place.name or not (place.parent.is_dir() and os.access(place.parent, os.W_OK)):
        yield  # where nothing can be written, who asks to will be told
        return
    path = place.with_name(f".{place.name}{LOCK_SUFFIX}")
    try:
        lock = _take_lock(path)
    except OSError as exc:
        raise OutputError(f"{folder}: cannot be locked ({exc.strerror}); choose another place") from exc
    held.add(place)
    try:
        yield
    finally:
        held.discard(place)
        _release_lock(path, lock)


def _take_lock(path: Path) -> int:
    """Return the open file of a lock: the one that stands there, for another may have removed it while we waited."""
    until = time.monotonic() + MAX_LOCK_WAIT
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | (0 if fcntl else os.O_EXCL)
    while True:
        try:
            lock = os.open(path, flags, 0o600)
        except FileExistsError as exc:
            if time.monotonic() > until:
                message = f"{path}: another embanon seems to be at work; wait for it, or remove that file"
                raise OutputError(message) from exc
            time.sleep(LOCK_PAUSE)
            continue
        if not fcntl or _is_locked(lock, path):
            return lock
        os.close(lock)


def _is_locked(lock: int, path: Path) -> bool:
    """Wait for a lock, and return whether it is still the file of its name."""
    try:
        with contextlib.suppress(OSError):  # a disk without locks does without
            fcntl.flock(lock, fcntl.LOCK_EX)
        return os.path.samestat(path.stat(), os.fstat(lock))
    except FileNotFoundError:
        return False
    except BaseException:
        os.close(lock)
        raise


def _release_lock(path: Path, lock: int) -> None:
    """Remove the file of a lock, unless it is somebody's that is called so, and let the next one have it."""
    is_ours = os.fstat(lock).st_size == 0
    if fcntl is None:
        os.close(lock)  # what is open cannot be removed everywhere
    if is_ours:
        with contextlib.suppress(OSError):
            path.unlink()
    if fcntl:
        os.close(lock)
