"""The files of a release: those that are named, those of a folder, those in a zip; each is read as a stream."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, BinaryIO, Final
from zipfile import BadZipFile, ZipFile

from embanon.errors import ConfigError, InputError
from embanon.io import LIMITS, STDIN, Limits, open_input, open_unpacked
from embanon.taxonomy.sources.ntriples import lines

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ZIP, GZIP = ".zip", ".gz"
MAX_FILES: Final = 10_000
"""Files of a release."""


@dataclass(frozen=True, slots=True)
class ReleaseFile:
    """A file of a release: its name in messages, where it lies, and its name in the zip, if it lies in one."""

    name: str
    path: str
    member: str = ""
    inner: PurePosixPath = field(default_factory=PurePosixPath)
    """Its name below the folder or zip that was named, else its own."""

    @contextmanager
    def open(self, limits: Limits = LIMITS) -> Iterator[BinaryIO]:
        """Open the file; what unpacks to more than the limit is refused when it does."""
        if not self.member:
            with open_unpacked(self.path) as stream:
                is_packed = self.path.endswith(GZIP)
                yield io.BufferedReader(_Bounded(stream, self.name, limits.total)) if is_packed else stream
            return
        with _open_zip(self.path) as pack:
            try:
                with pack.open(self.member) as packed:
                    yield io.BufferedReader(_Bounded(packed, self.name, limits.total))
            except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as exc:
                raise InputError(f"{self.name}: cannot be unpacked; fetch the release again, or unpack it") from exc

    def lines(self, limits: Limits = LIMITS) -> Iterator[tuple[int, str]]:
        """Yield the lines with their numbers."""
        with self.open(limits) as stream:
            yield from lines(stream, self.name, limits)


class _Bounded(io.RawIOBase):
    """A stream that ends with an error where it is longer than it may be."""

    def __init__(self, stream: IO[bytes], name: str, limit: int) -> None:
        self._stream, self._name, self._limit, self._done = stream, name, limit, 0

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Read into a buffer."""
        view = memoryview(buffer).cast("B")
        data = self._stream.read(len(view))
        self._done += len(data)
        if self._done > self._limit:
            raise InputError(f"{self._name}: unpacks to more than {self._limit >> 20} MB")
        view[: len(data)] = data
        return len(data)


@contextmanager
def _open_zip(path: str) -> Iterator[ZipFile]:
    with open_input(path) as stream:
        try:
            pack = ZipFile(stream)
        except (BadZipFile, OSError) as exc:
            raise InputError(f"{path}: is no whole zip; fetch it again, or unpack it and name the folder") from exc
        with pack:
            yield pack


def release_files(paths: Sequence[str]) -> list[ReleaseFile]:
    """Return the files of releases, in the order of their names; hidden ones are left out."""
    files = list[ReleaseFile]()
    for path in paths:
        if path == STDIN:
            raise ConfigError("-: a release is not read from standard input; name its folder, its zip or its files")
        if Path(path).is_dir():
            below = sorted(file for file in Path(path).rglob("*") if file.is_file() and not file.name.startswith("."))
            names = (PurePosixPath(*file.relative_to(path).parts) for file in below)
            files += (ReleaseFile(str(file), str(file), inner=name) for file, name in zip(below, names, strict=True))
        elif path.lower().endswith(ZIP):
            with _open_zip(path) as pack:
                members = sorted(info.filename for info in pack.infolist() if not info.is_dir())
                files += (ReleaseFile(f"{path}: {member}", path, member, PurePosixPath(member)) for member in members)
        else:
            files.append(ReleaseFile(path, path, inner=PurePosixPath(Path(path).name)))
        if len(files) > MAX_FILES:
            raise InputError(f"{path}: has more than {MAX_FILES:,} files; name those of the release alone")
    return files
