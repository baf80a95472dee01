"""Plain text: bytes to characters, strictly.

UTF-8 is expected; UTF-16 and UTF-32 are known by their byte-order mark; any other encoding must be named. A
byte-order mark is not part of the text, so offset 0 is the character after it. Line ends stay as they are.
"""

from __future__ import annotations

import codecs
import re
import sys
from collections.abc import Iterator
from io import BufferedReader
from typing import BinaryIO, Final

from embanon.document import Document
from embanon.errors import ConfigError, DecodingError, InputError
from embanon.io.read.limits import Limits, read_errors
from embanon.io.read.source_map import ReadOptions, SourceDocument

BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

UNMARKED_CODECS: Final = {
    "utf-8-sig": "utf-8",
    "utf-16": f"utf-16-{sys.byteorder[0]}e",
    "utf-32": f"utf-32-{sys.byteorder[0]}e",
}
"""A codec that reads and writes a mark -> the one that does not."""

BINARY_SIGNATURES: Final = (
    (b"%PDF-", "a PDF file; turn it into text first, for example with: pdftotext"),
    (b"PK\x03\x04", "a ZIP file or an office document; unpack it, or save it as plain text"),
    (b"\xd0\xcf\x11\xe0", "an old office document; save it as plain text"),
    (b"{\\rtf", "a rich text file; save it as plain text"),
    (b"\x1f\x8b", "a gzip file; unpack it (gunzip), or name it .jsonl.gz if it is JSON Lines"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file; unpack it first (unzstd)"),
    (b"BZh", "a bzip2 file; unpack it first (bunzip2)"),
    (b"\xfd7zXZ\x00", "an xz file; unpack it first (unxz)"),
    (b"\x89PNG", "an image; only text can be read"),
    (b"\xff\xd8\xff", "an image; only text can be read"),
    (b"GIF8", "an image; only text can be read"),
    (b"\x7fELF", "a program; only text can be read"),
    (b"SQLite format 3\x00", "a database; export its texts as JSON Lines"),
)
"""The first bytes of a file -> what it is, and what to do."""

CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
CONTROL_BYTES: Final = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
MAX_CONTROL_SHARE: Final = 0.02
MIN_ZEROS: Final = 4
UNMARKED_ADVICE: Final = "seems to be UTF-16 without a mark; if so: --encoding"
HEAD_BYTES: Final = 65_536


def documents(stream: BinaryIO, name: str, encoding: str | None, limits: Limits) -> Iterator[Document]:
    """Yield the one document of a plain text; its id is the name of the file."""
    yield Document(name, decode(read_bytes(stream, name, encoding, limits), name, encoding))


def sources(stream: BinaryIO, name: str, reading: ReadOptions, *, marked: bool = False) -> Iterator[SourceDocument]:
    """Yield the one document of a text, which is its own source."""
    data = read_bytes(stream, name, reading.encoding, reading.limits, marked=marked)
    text, codec, mark = decode_with_codec(data, name, reading.encoding)
    yield SourceDocument(Document(name, text), text, codec=codec, byte_order_mark=mark)


def read_bytes(stream: BinaryIO, name: str, encoding: str | None, limits: Limits, *, marked: bool = False) -> bytes:
    """Return the bytes of a text; refuse other kinds of files, and too many bytes."""
    most = limits.markup if marked else limits.text
    head = _bytes(stream, name, HEAD_BYTES)
    _refuse_binaries(head, name, encoding)
    data = head + _bytes(stream, name, most + 1 - len(head))
    if len(data) > most:
        raise InputError(f"{name}: has more than {most >> 20} MB; split it (split -C {most >> 21}m)")
    return data


def decode(data: bytes, name: str, encoding: str | None = None) -> str:
    """Decode strictly; an error names the line and the byte, never the text."""
    return decode_with_codec(data, name, encoding)[0]


def decode_with_codec(data: bytes, name: str, encoding: str | None = None) -> tuple[str, str, bytes]:
    """Decode strictly, and return the text, the codec, and the byte-order mark to write it with."""
    codec, mark = _encoding(data, encoding)
    if codec in UNMARKED_CODECS:  # which would write a mark that is not there
        codec, mark = UNMARKED_CODECS[codec], len(codecs.BOM_UTF8) * data.startswith(codecs.BOM_UTF8)
    try:
        text = str(memoryview(data)[mark:], codec)
    except UnicodeDecodeError as exc:
        byte = mark + exc.start
        # Lines can be counted in bytes wherever a line feed is one byte.
        line = "" if codec.startswith(("utf-16", "utf-32")) else f" (line {data.count(10, 0, byte) + 1})"
        advice = "save the file as UTF-8" if encoding else _advice(data[:HEAD_BYTES])
        raise DecodingError(f"{name}: byte {byte}{line} is not {codec.upper()}; {advice}") from exc
    except UnicodeError as exc:
        raise DecodingError(f"{name}: is not {codec.upper()}; save the file as UTF-8") from exc
    _refuse_controls(text, name)
    return text, codec, data[:mark]


def decode_chunks(stream: BinaryIO, name: str, encoding: str | None = None, size: int = 1 << 20) -> Iterator[str]:
    """Decode a stream in bounded memory, for `pieces`; a bad byte is found only when it is reached."""
    head = _bytes(stream, name, max(size, HEAD_BYTES))
    _refuse_binaries(head[:HEAD_BYTES], name, encoding)
    codec, mark = _encoding(head, encoding)
    decoder = codecs.getincrementaldecoder(codec)()
    data, position, line = head[mark:], mark, 1
    while True:
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as exc:
            byte = position - pending + exc.start
            raise DecodingError(
                f"{name}: byte {byte} (line {line + data.count(10, 0, max(0, exc.start - pending))}) is not "
                f"{codec.upper()}; {'save the file as UTF-8' if encoding else _advice(head[:HEAD_BYTES])}"
            ) from exc
        except UnicodeError as exc:
            raise DecodingError(f"{name}: is not {codec.upper()}; save the file as UTF-8") from exc
        if (zero := text.find("\x00")) >= 0:
            number = line + text.count("\n", 0, zero)
            raise InputError(f"{name}: is not text (line {number} has a zero character); check --encoding")
        _refuse_controls(text, name)
        if text:
            yield text
        if not data:
            return
        position, line = position + len(data), line + text.count("\n")
        data = _bytes(stream, name, size)


def check_encoding(encoding: str) -> str:
    """Return the usual name of a text encoding; an unknown name is an error."""
    try:
        codec = codecs.lookup(encoding)
    except (LookupError, ValueError) as exc:
        raise ConfigError(f"--encoding {encoding!r}: unknown; for example: utf-8, cp1252, utf-16") from exc
    if not getattr(codec, "_is_text_encoding", True):
        raise ConfigError(f"--encoding {encoding!r}: is not an encoding of text; for example: utf-8, cp1252")
    return codec.name


def _encoding(data: bytes, encoding: str | None) -> tuple[str, int]:
    """Return the codec, and the length of the byte-order mark that it does not handle itself."""
    named = check_encoding(encoding) if encoding else None
    for mark, codec in BYTE_ORDER_MARKS:
        if data.startswith(mark) and named in (None, codec, codec[:6]):
            return codec, len(mark)
    return named or "utf-8", 0


def _bytes(stream: BinaryIO, name: str, size: int) -> bytes:
    # One call of the system at a time: `read` goes on by itself, and a user could not interrupt it.
    read = stream.read1 if isinstance(stream, BufferedReader) else stream.read
    parts, missing = list[bytes](), size
    with read_errors(name):
        while missing > 0 and (part := read(min(missing, 1 << 24))):
            parts.append(part)
            missing -= len(part)
    return b"".join(parts)


def _refuse_binaries(head: bytes, name: str, encoding: str | None) -> None:
    for beginning, what in BINARY_SIGNATURES:
        if head.startswith(beginning):
            raise InputError(f"{name}: is {what}")
    if encoding or any(head.startswith(mark) for mark, _ in BYTE_ORDER_MARKS) or b"\x00" not in head:
        return
    if codec := _guess_utf16(head):
        raise InputError(f"{name}: {UNMARKED_ADVICE} {codec}")
    zero = head.index(0)
    line = head.count(10, 0, zero) + 1
    raise InputError(f"{name}: is not text (byte {zero} is zero, line {line}); only text can be read")


def _advice(head: bytes) -> str:
    """Return advice on bytes that are not UTF-8."""
    codec = _guess_utf16(head)
    return f"{UNMARKED_ADVICE} {codec}" if codec else "name its encoding, for example: --encoding cp1252"


def _guess_utf16(head: bytes) -> str | None:
    """Guess the UTF-16 codec of a file without a mark from its beginning; return `None` if nothing suggests one."""
    if len(head) % 2:
        return None
    places = {"utf-16-le": head[1::2], "utf-16-be": head[0::2]}
    for codec, high in places.items():
        # Latin letters have zeros in every second place, and nowhere else.
        zeros = high.count(0)
        if zeros >= MIN_ZEROS and zeros > 0.4 * len(high) and head.count(0) < 1.1 * zeros:
            return codec
    # Other scripts have bytes below 32 everywhere, which no text of one byte a letter has.
    if len(CONTROL_BYTES.findall(head)) < MAX_CONTROL_SHARE * len(head):
        return None
    # The letters of a text are of few blocks, so that the bytes that say which are few.
    possible = [(len(set(high)), codec) for codec, high in places.items() if _is_readable_as(head, codec)]
    return min(possible)[1] if possible else None


def _is_readable_as(head: bytes, codec: str) -> bool:
    text = head.decode(codec, "replace")
    bad = sum(not (character.isprintable() or character.isspace()) for character in text)
    # One pair may be cut at the end.
    return len(text) >= MIN_ZEROS and bad <= 0.01 * len(text) and text.count("\ufffd") <= 1


def _refuse_controls(text: str, name: str) -> None:
    zero = text.find("\x00")
    if zero >= 0:
        raise InputError(f"{name}: is not text (character {zero} is zero); check --encoding")
    controls = len(CONTROLS.findall(text, 0, HEAD_BYTES))
    if controls > 2 and controls > MAX_CONTROL_SHARE * min(len(text), HEAD_BYTES):
        raise InputError(f"{name}: is not text ({controls} control characters); convert it to text first")
