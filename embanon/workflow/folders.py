"""Folders in, folders out: find the files, and name the outputs, never outside the folder."""

from __future__ import annotations

import os
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from embanon.errors import ConfigError, InputError, OutputError
from embanon.io import ENDINGS, GLOB_CHARACTERS, STDIN, find_files, replace_file

NAME_LIKE: Final = re.compile(r"[^\W\d_]{3,}")
"""What may be a name."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to read; `relative` is its path below the named folder."""

    path: str
    relative: str
    size: int = 0


def find_inputs(paths: Sequence[str]) -> tuple[list[Input], list[str]]:
    """Return the files that paths, folders and patterns name, and the problems of those that cannot be read."""
    inputs, problems = list[Input](), list[str]()
    for path in paths:
        if not _is_multiple(path):
            known = path != STDIN and Path(path).is_file()
            inputs.append(Input(path, Path(path).name, Path(path).stat().st_size if known else 0))
            continue
        try:
            files, unlisted = find_files((path,))
        except InputError as exc:
            problems.append(str(exc))
            continue
        problems += unlisted
        root = _root(path)
        for file in files:
            if file.size is None:
                problems.append(f"{file.path}: is no file that can be read: a pipe, a device or a broken link")
            else:
                inputs.append(Input(file.path, Path(file.path).relative_to(root).as_posix(), file.size))
    return inputs, problems


def _is_multiple(path: str) -> bool:
    return path != STDIN and (Path(path).is_dir() or (bool(GLOB_CHARACTERS.search(path)) and not Path(path).exists()))


def _root(path: str) -> Path:
    if Path(path).is_dir():
        return Path(path)
    parts = Path(path).parts
    return Path(*parts[: next(place for place, part in enumerate(parts) if GLOB_CHARACTERS.search(part))])


@dataclass(slots=True)
class OutputFolder:
    """The folder of outputs, under names that give nobody away."""

    path: Path
    inputs: frozenset[str]
    """What must not be written over: their real paths."""
    _names: dict[str, str] = field(default_factory=dict, repr=False)
    _used: set[str] = field(default_factory=set, repr=False)

    @staticmethod
    def from_output(
        output: str, paths: Sequence[str], inputs: Sequence[Input], others: Sequence[str | None] = ()
    ) -> OutputFolder | None:
        """Return the requested folder.

        It is `None` where the output is one file. `others` are files that are read or written, too.
        """
        folders = [path for path in paths if path != STDIN and Path(path).is_dir()]
        if output == STDIN:
            if folders:
                raise ConfigError(f"{folders[0]}: is a folder; name one for what is written: -o FOLDER")
            return None
        separators = tuple(one for one in (os.sep, os.altsep, "/") if one)
        if not folders and not output.endswith(separators) and not Path(output).is_dir():
            return None
        if Path(output).exists() and not Path(output).is_dir():
            raise ConfigError(f"{output}: is no folder; name one for what is written")
        place = Path(output).resolve()
        if any(place.is_relative_to(Path(folder).resolve()) for folder in folders):
            raise ConfigError("the folder for what is written lies in a folder that is read; name one beside it")
        known = [*(one.path for one in inputs if one.path != STDIN), *filter(None, others)]
        return OutputFolder(Path(output), frozenset(str(Path(path).resolve()) for path in known))

    def output_name(self, relative: str, telling: Container[str]) -> str:
        """Return the name to write a file under: its own, without the parts that tell whom it is about."""
        above, names = "", list[str]()
        for place, part in enumerate(parts := PurePosixPath(relative).parts):
            above = f"{above}/{part}"
            last = place == len(parts) - 1
            if above not in self._names and part in telling:
                self._names[above] = f"{'file' if last else 'folder'}-{len(self._names) + 1}"
            names.append(self._names[above] + (file_ending(part) if last else "") if above in self._names else part)
        return self.unused_name("/".join(names))

    def write(self, relative: str, data: bytes) -> None:
        """Write a whole file below the folder, never over an input."""
        target = self.path / relative
        try:
            if not target.parent.resolve().is_relative_to(self.path.resolve()):
                raise ConfigError(f"{target}: would lie outside {self.path}; name another folder")
            if str(target.resolve()) in self.inputs:
                raise ConfigError(f"{target}: is an input, or the table; name another folder")
            target.parent.mkdir(parents=True, exist_ok=True)
            replace_file(target, data, 0o666)
        except (OSError, ValueError) as exc:
            reason = getattr(exc, "strerror", None) or "not a possible name"
            raise OutputError(f"{target}: cannot be written ({reason}); make room, or name another folder") from exc

    def unused_name(self, relative: str) -> str:
        """Return a name that no other file has, ignoring case."""
        free, number = relative, 1
        while free.casefold() in self._used:
            number += 1
            end = file_ending(relative)
            free = f"{relative.removesuffix(end)}-{number}{end}"
        self._used.add(free.casefold())
        return free


def file_ending(name: str) -> str:
    """Return the ending that shows a format, else a short part after the last dot."""
    known = max((one for one in ENDINGS if name.lower().endswith(f".{one}")), key=len, default=None)
    if known:
        return name[-len(known) - 1 :]
    suffix = PurePosixPath(name).suffix
    return suffix if len(suffix) <= 5 and suffix[1:].isalnum() else ""
