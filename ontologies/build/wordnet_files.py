"""Read the nouns of Princeton WordNet 3.0 and of the Open Multilingual Wordnet from their files.

A folder may be that of the Princeton distribution (`dict`), of NLTK (`corpora/wordnet`, unpacked), of Debian
(`/usr/share/wordnet`) or one of packed nouns alone: each file may end in `.gz`. Of the multilingual files those of
NLTK (`corpora/omw-1.4`, beside `corpora/wordnet`) are found as well. Only version 3.0 has the numbers that these use.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from embanon.errors import DecodingError, InputError
from embanon.taxonomy.sources.wordnet_senses import LINKS, VERSION

TRANSLATIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "es": ("wn-data-spa", "wn-wikt-spa"),
    "pt": ("wn-data-por", "wn-wikt-por"),
    "de": ("wn-wikt-deu",),
}
"""The files of a language: that of its own wordnet, then that of Wiktionary."""
NAMES: Final = ("omw.{}.noun.tab", "{}.tab")
"""How a file of translations is named: nouns alone, and all of them."""
FOLDERS: Final = (".", "omw", "wikt", "spa", "por", "../omw-1.4", "../omw-1.4/spa", "../omw-1.4/por", "../omw-1.4/wikt")
"""Where they are, seen from WordNet's folder."""
NUMBERED: Final = re.compile(r"WordNet (?:Release )?(\d+\.\d+)")
HINT: Final = "name a folder with data.noun, index.noun and index.sense of WordNet 3.0"


@dataclass(frozen=True, slots=True)
class Synset:
    """A sense of nouns: its number, its lexicographer file, its words as written and its links to broader ones.

    Each word has a number that tells its senses of one file apart.
    """

    offset: str
    file: int
    words: tuple[str, ...]
    numbers: tuple[int, ...]
    links: tuple[tuple[str, str], ...]


def synsets(folder: Path) -> Iterator[Synset]:
    """Return all senses of nouns, in the order of their numbers."""
    path = _required_path(folder, "data.noun")
    for number, line in enumerate(read_lines(path), 1):
        if line.startswith(" "):
            _check_version(line, path)
            continue
        try:
            yield _synset(line.partition(" | ")[0].split())
        except (IndexError, ValueError) as exc:
            raise InputError(f"{path}, line {number}: is no line of WordNet's data.noun; {HINT}") from exc


def _synset(parts: list[str]) -> Synset:
    offset, file, count = parts[0], int(parts[1]), int(parts[3], 16)
    int(offset)
    words, pointers = parts[4 : 4 + 2 * count : 2], parts[4 + 2 * count + 1 :]
    if parts[2] != "n" or len(words) != count or len(pointers) != 4 * int(parts[4 + 2 * count]):
        raise ValueError
    links = zip(pointers[::4], pointers[1::4], strict=True)
    numbers = tuple(int(number, 16) for number in parts[5 : 5 + 2 * count : 2])
    return Synset(offset, file, tuple(words), numbers, tuple(link for link in links if link[0] in LINKS))


def senses(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the senses of each noun in small letters, in the order of their use."""
    path, found = _required_path(folder, "index.noun"), dict[str, tuple[str, ...]]()
    for number, line in enumerate(read_lines(path), 1):
        if not line.startswith(" "):
            try:
                parts = line.split()
                found[parts[0]] = tuple(parts[-int(parts[2]) :])
            except (IndexError, ValueError) as exc:
                raise InputError(f"{path}, line {number}: is no line of WordNet's index.noun; {HINT}") from exc
    return found


def sense_counts(folder: Path) -> dict[tuple[str, str], int]:
    """Count how often a noun in small letters has a sense in the texts that were tagged with them."""
    path, counts = _required_path(folder, "index.sense.noun", "index.sense"), dict[tuple[str, str], int]()
    for number, line in enumerate(read_lines(path), 1):
        try:
            key, offset, _, count = line.split()
            lemma, _, rest = key.partition("%")
            if rest.startswith("1:"):
                counts[lemma, offset] = int(count)
        except ValueError as exc:
            raise InputError(f"{path}, line {number}: is no line of WordNet's index.sense; {HINT}") from exc
    return counts


def translations(folder: Path, language: str) -> Iterator[tuple[int, str, str]]:
    """Return the nouns of another language: the place of their file in `TRANSLATIONS`, their sense, and themselves.

    A language has no nouns where its files are not there.
    """
    for place, name in enumerate(TRANSLATIONS[language]):
        path = _path(folder, *(f"{where}/{pattern.format(name)}" for where in FOLDERS for pattern in NAMES))
        if path is None:
            continue
        for number, line in enumerate(read_lines(path), 1):
            if line.startswith("#") or not line:
                continue
            synset, kind, lemma = [*line.split("\t"), "", ""][:3]
            if not re.fullmatch(r"\d{8}-[a-z]", synset):
                raise InputError(f"{path}, line {number}: is no line of the Open Multilingual Wordnet")
            if kind.endswith("lemma") and synset.endswith("-n") and lemma.strip():
                yield place, synset[:8], lemma.strip()


def by_lemma(folder: Path, language: str) -> dict[str, set[str]]:
    """Return the senses of each noun of another language."""
    found: dict[str, set[str]] = defaultdict(set)
    for _, offset, lemma in translations(folder, language):
        found[lemma].add(offset)
    return found


def read_lines(path: Path) -> Iterator[str]:
    """Return the lines of a file, packed or not."""
    try:
        with closing(gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")) as stream:
            for number, line in enumerate(stream, 1):
                try:
                    yield line.decode("utf-8").rstrip("\r\n")
                except UnicodeDecodeError as exc:
                    raise DecodingError(f"{path}, line {number}: byte {exc.start} is not UTF-8") from exc
    except (EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise InputError(f"{path}: is not a whole gzip file; fetch or pack it again") from exc
    except OSError as exc:
        raise InputError(f"{path}: cannot be read ({exc.strerror})") from exc


def _required_path(folder: Path, *names: str) -> Path:
    path = _path(folder, *names)
    if path is None:
        packed = folder.with_name(f"{folder.name}.zip")
        hint = f"unpack {packed} first" if packed.is_file() else HINT
        raise InputError(f"{folder}: has no {' or '.join(names)}; {hint}")
    return path


def _path(folder: Path, *names: str) -> Path | None:
    paths = (folder / f"{name}{ending}" for name in names for ending in ("", ".gz"))
    return next((path for path in paths if path.is_file()), None)


def _check_version(line: str, path: Path) -> None:
    version = NUMBERED.search(line)
    if version and version[1] != VERSION:
        raise InputError(f"{path}: is of WordNet {version[1]}, whose numbers are others; {HINT}")
