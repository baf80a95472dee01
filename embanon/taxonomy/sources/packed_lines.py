"""Lines of files larger than memory, or of standard input: plain, gzip or bzip2, detected by content."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Final

from embanon.errors import InputError
from embanon.io import STDIN, open_input

GZIP: Final = b"\x1f\x8b"
BZIP2: Final = b"BZh"
UNSUPPORTED_ARCHIVES: Final = {
    b"\x28\xb5\x2f\xfd": ("Zstandard", "zstd -dc FILE | embanon … -"),
    b"\xfd7zXZ\x00": ("xz", "xz -dc FILE | embanon … -"),
    b"PK\x03\x04": ("a zip archive", "unzip -p FILE | embanon … -"),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", "7z x -so FILE | embanon … -"),
}
"""How packed files begin that are not unpacked here, and what does."""
BLOCK: Final = 1 << 20
READ_AHEAD_BYTES: Final = 1 << 16
"""Packed bytes that are read ahead."""
HEAD_BYTES: Final = 1 << 20
"""Bytes in which the first line must end that is not JSON."""
MAX_LINE_BYTES: Final = 16 << 20
"""Bytes of a line; Wikidata refuses entities of more than 3 MB."""


class CountingReader(io.RawIOBase):
    """A file or standard input, which counts the bytes that were read of it."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self.bytes_read = 0
        self._ours = False  # a file that cannot be opened is not closed either
        if path == STDIN:
            if sys.stdin is None:  # as Python has it where it was started with `<&-`
                raise InputError("-: standard input is closed; name a file, or send one: embanon … - < FILE")
            self._stream: BinaryIO = sys.stdin.buffer
        else:
            self._stream = open_input(path)
        self._ours = path != STDIN
        self.size = _size(self._stream)
        """Bytes; `None` of a pipe."""

    def readable(self) -> bool:
        """Return whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Return whether it is a file, in which a place can be gone to."""
        return self.size is not None and self._ours

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read what is there."""
        count: int = self._stream.readinto1(buffer)  # type: ignore[attr-defined]
        self.bytes_read += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place."""
        self.bytes_read = self._stream.seek(offset, whence)
        return self.bytes_read

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._ours and not self.closed:
            self._stream.close()
        super().close()


def _size(stream: BinaryIO) -> int | None:
    try:
        known = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return None
    return known.st_size if stat.S_ISREG(known.st_mode) else None


class PackedLines:
    """The lines of an unpacked file, without their ends: iterate once.

    `start` and `end` are where the line that was given last begins and ends in the unpacked bytes; `number` counts
    lines from where the reading began. A line that is wrong is an error, or counted where reading is `lenient`.
    """

    def __init__(self, path: str, *, lenient: bool = False) -> None:
        self.name = path
        self.lenient = lenient
        self.broken_lines = self.number = self.start = self.end = self._begun = 0
        self._source = CountingReader(path)
        try:
            self._content = self._open_content()
            self.head = self._ahead = self._read_head()
            """How it begins: at least the first line, unless that is longer than a megabyte or begins as JSON does."""
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> int | None:
        """Return the bytes of the file as it is, packed or not; `None` of a pipe."""
        return self._source.size

    @property
    def bytes_read(self) -> int:
        """Return how many of those bytes are read."""
        return self._source.bytes_read

    @property
    def is_packed(self) -> bool:
        """Return whether it is unpacked here."""
        return not isinstance(self._content, io.BufferedReader)

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def refuse(self, problem: str, error: type[InputError] = InputError) -> None:
        """Raise an error for the last line; where reading is lenient, count it."""
        if not self.lenient:
            after = f" after byte {self._begun}" if self._begun else ""
            raise error(f"{self.name}, line {self.number}{after}: {problem}")
        self.broken_lines += 1

    def skip(self, to: int) -> None:
        """Begin at a byte where a line begins, as `start` or `end` tell it; what is packed is unpacked till there."""
        at = 0
        if self._source.seekable() and not self.is_packed:
            at, self._ahead = to - 1, b""
            self._content.seek(at)
        block = self._read()
        while block and at + len(block) < to:
            at += len(block)
            block = self._read()
        self._ahead = block[to - at :]
        if block[to - 1 - at : to - at] != b"\n" and not (at + len(block) == to and not self._read()):
            raise InputError(f"{self.name}: no line begins at byte {to}; read it again from its beginning")
        self._begun = self.start = self.end = to

    def __iter__(self) -> Iterator[bytes]:
        pending, held, dropped = list[bytes](), 0, 0
        for block in iter(self._read, b""):
            *lines, rest = block.split(b"\n")
            if lines:
                lines[0] = b"".join((*pending, lines[0]))
                for line in lines:
                    self.start, self.end = self.end, self.end + len(line) + dropped + 1
                    self.number += 1
                    if len(line) + dropped > MAX_LINE_BYTES:
                        self._refuse_length()
                    else:
                        yield line
                    dropped = 0
                pending, held = [], 0
            pending.append(rest)
            held += len(rest)
            if held > MAX_LINE_BYTES:
                if not self.lenient:
                    self.number += 1
                    self._refuse_length()
                pending, held, dropped = [], 0, dropped + held
        last = b"".join(pending)
        if last or dropped:
            self.start, self.end = self.end, self.end + len(last) + dropped
            self.number += 1
            if dropped:
                self._refuse_length()
            else:
                yield last

    def _refuse_length(self) -> None:
        self.refuse(f"has more than {MAX_LINE_BYTES >> 20} MB; write each entity on a line of its own (jq -c '.[]')")

    def _open_content(self) -> io.BufferedReader[CountingReader] | gzip.GzipFile | bz2.BZ2File:
        plain = io.BufferedReader(self._source, READ_AHEAD_BYTES)
        try:
            begin = plain.peek(8)[:8]
        except OSError as exc:
            raise self._read_error(exc) from exc
        for mark, (what, command) in UNSUPPORTED_ARCHIVES.items():
            if begin.startswith(mark):
                raise InputError(f"{self.name}: is {what}, which is not unpacked here; type: {command}")
        if begin.startswith(GZIP):
            return gzip.GzipFile(fileobj=plain)
        return bz2.BZ2File(plain) if begin.startswith(BZIP2) else plain

    def _read_head(self) -> bytes:
        self._ahead = b""
        head = b""
        while len(head) < HEAD_BYTES and (block := self._read()):
            head += block
            content = head.removeprefix(codecs.BOM_UTF8).lstrip()
            if content.startswith((b"[", b"{")) or b"\n" in content:
                break
        return head

    def _read(self) -> bytes:
        if self._ahead:
            block, self._ahead = self._ahead, b""
            return block
        try:
            return self._content.read1(BLOCK)
        except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
            kind = "bzip2" if isinstance(self._content, bz2.BZ2File) else "gzip"
            raise InputError(f"{self.name}: is not a whole {kind} file; fetch it again (wget -c)") from exc
        except OSError as exc:
            raise self._read_error(exc) from exc

    def _read_error(self, exc: OSError) -> InputError:
        if isinstance(exc, IsADirectoryError):
            return InputError(f"{self.name}: is a folder; name its files")
        if exc.strerror is None:  # as bz2 has it
            return InputError(f"{self.name}: is not a whole bzip2 file; fetch it again (wget -c)")
        return InputError(f"{self.name}: cannot be read ({exc.strerror})")
