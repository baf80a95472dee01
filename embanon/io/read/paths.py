"""Find the files that paths name: files, folders with all below them, and patterns such as `texts/**/*.txt`.

Hidden files and folders are left out unless they are named; so are models, which may lie beside their corpus. A file
that is reached in several ways, by links as well, is listed once, by the name that is not a link; so is a folder, which
ends loops of links. Links come last.
"""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from embanon.errors import InputError
from embanon.io.read import STDIN, open_error

GLOB_CHARACTERS: Final = re.compile(r"[*?\[]")
ANY_DEPTH: Final = "**"
ALL_BELOW: Final = (ANY_DEPTH, "*")
CARDS: Final = frozenset(("model.toml", "taxonomy.toml"))
"""A folder that has one of these beside arrays is a model, whose files are not texts."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to read; `is_explicit` means that it was named itself, not found in a folder or by a pattern.

    `size` is in bytes; it is `None` for standard input and pipes.
    """

    path: str
    is_explicit: bool
    size: int | None


def find_files(paths: Sequence[str]) -> tuple[tuple[File, ...], tuple[str, ...]]:
    """Return the files in the order of the paths (those in a folder sorted by name), and the problems.

    And what cannot be listed.
    """
    files: dict[Hashable, File] = {}
    problems: list[str] = []
    for path in paths:
        for identity, file in _expand_path(path, problems):
            named = file.is_explicit or (identity in files and files[identity].is_explicit)
            files[identity] = replace(files.get(identity, file), is_explicit=named)
    return tuple(files.values()), tuple(dict.fromkeys(problems))


def _expand_path(path: str, problems: list[str]) -> Iterator[tuple[Hashable, File]]:
    if path == STDIN:
        yield STDIN, File(STDIN, True, None)
        return
    if not path:  # which would be the folder where we are, if a variable of a shell has no value
        raise InputError("a name in the corpus is empty; name a file, or a dot for the folder itself")
    try:
        known = Path(path).stat()
    except (OSError, ValueError) as exc:
        if not GLOB_CHARACTERS.search(path) or "\0" in path:
            raise open_error(path, exc) from exc
        parts = Path(path).parts
        fixed = next(place for place, part in enumerate(parts) if GLOB_CHARACTERS.search(part))
        start, pattern, nothing = Path(*parts[:fixed]), parts[fixed:], "no file matches; check the pattern"
    else:
        if not stat.S_ISDIR(known.st_mode):
            yield _with_identity(Path(path), File(path, True, None))
            return
        start, pattern, nothing = Path(path), ALL_BELOW, "has no file that is not hidden; name another folder"
    here: list[str] = []
    matches = _matches(start, pattern, here)
    if not matches:
        raise InputError(here[0] if here else f"{path}: {nothing}")
    problems += here
    for file in sorted(matches, key=lambda file: (file.is_symlink(), file.parts)):
        yield _with_identity(file, File(str(file), False, None))


def _with_identity(path: Path, file: File) -> tuple[Hashable, File]:
    """Return an identity that all symbolic links to a file share (hard links do not), and the file with its size."""
    try:
        info = path.stat()
    except OSError:
        return file.path, file
    target = os.path.realpath(path) if info.st_nlink > 1 else None
    return (info.st_dev, info.st_ino, target), replace(file, size=info.st_size if stat.S_ISREG(info.st_mode) else None)


def _matches(start: Path, pattern: tuple[str, ...], problems: list[str]) -> list[Path]:
    """Return the files below a folder that a pattern matches, and all files below the folders it matches.

    Links to folders come last, so that a file goes by its real path where that is below the folder as well.
    """
    files: list[Path] = []
    seen: set[Hashable] = set()
    waiting = deque([(start, pattern)])
    while waiting:
        folder, parts = waiting.pop()
        entries = _list_folder(folder, parts, seen, problems)
        if entries is None:
            continue
        if parts == (ANY_DEPTH,):
            parts = ALL_BELOW
        part, rest = parts[0], parts[1:]
        if part == ANY_DEPTH:
            waiting.append((folder, rest))
        for entry, is_folder in entries:
            if part == ANY_DEPTH:
                if is_folder and not entry.name.startswith("."):
                    (waiting.appendleft if entry.is_symlink() else waiting.append)((entry, parts))
            elif _matches_name(entry.name, part):
                if is_folder:
                    (waiting.appendleft if entry.is_symlink() else waiting.append)((entry, rest or ALL_BELOW))
                elif not rest:
                    files.append(entry)
    return files


def _matches_name(name: str, part: str) -> bool:
    return fnmatch(name, part) and (part.startswith(".") or not name.startswith("."))


def _list_folder(
    folder: Path, parts: tuple[str, ...], seen: set[Hashable], problems: list[str]
) -> list[tuple[Path, bool]] | None:
    """List the entries of a folder, and whether each is a folder; `None` if it was listed for this pattern before.

    A folder that cannot be listed is a problem, not an error; so is a model.
    """
    try:
        known = folder.stat()
        place = (known.st_dev, known.st_ino, parts)
        if place in seen:
            return None
        seen.add(place)
        with os.scandir(folder) as entries:
            listed = [(folder / entry.name, _is_folder(entry)) for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as exc:
        problems.append(f"{folder}: cannot be listed ({exc.strerror}); change its permissions (chmod u+rx)")
        return []
    if any(entry.name in CARDS for entry, _ in listed) and any(entry.suffix == ".npy" for entry, _ in listed):
        problems.append(f"{folder}: is a model, not texts")
        return []
    return listed


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself, say: opening it tells
        return False
