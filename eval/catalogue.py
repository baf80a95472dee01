"""List the corpora of the measurements, and where they are missing: `python -m eval.catalogue --data ../shared/data`.

With `--check` files are also compared with their checksums. Nothing is ever downloaded: `url` is the page of the
project that a corpus comes from. The exit code is 1 where a file is missing or is another.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from embanon.errors import DataError

FILE: Final = Path(__file__).with_suffix(".toml")
KEYS: Final = ("id", "what", "url", "license", "reader", "sha256")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A corpus: what it is, the page of its project, and the files that are read."""

    id: str
    what: str
    url: str
    license: str
    reader: str
    """Module and function that read a file, or the folder."""
    sha256: Mapping[str, str]
    """Checksums, by paths in the folder of data."""

    def missing(self, data: Path) -> list[str]:
        """Return the files that are not there."""
        return [file for file in self.sha256 if not (data / file).is_file()]

    def changed(self, data: Path) -> list[str]:
        """Return the files that are there and are not those of the catalogue."""
        return [file for file, sum in self.sha256.items() if (data / file).is_file() and digest(data / file) != sum]


def digest(path: Path) -> str:
    """Return the checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def catalogue(path: Path = FILE) -> list[Corpus]:
    """Read the catalogue."""
    found = []
    for number, row in enumerate(tomllib.loads(path.read_text(encoding="utf-8")).get("corpus", []), 1):
        if differing := set(KEYS) ^ set(row):
            raise DataError(
                f"corpus {number} of {path.name}: {', '.join(sorted(differing))} missing or unknown; "
                f"a corpus has the keys {', '.join(KEYS)}"
            )
        found.append(Corpus(**row))
    return found


def lines(data: Path, *, check: bool = False) -> Iterator[tuple[bool, str]]:
    """Return a line a corpus, and a further one for each file that is missing or another, with whether all is well."""
    for corpus in catalogue():
        missing, changed = corpus.missing(data), corpus.changed(data) if check else []
        there = len(corpus.sha256) - len(missing)
        state = f"{there} of {len(corpus.sha256)} files" + (", checked" if check and not changed and there else "")
        yield not (missing or changed), f"{corpus.id:11} {state:24} {corpus.license:30} {corpus.url}"
        for label, files in (("missing", missing), ("another", changed)):
            yield from ((True, f"   {label}: {file}") for file in files)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the catalogue."""
    parser = argparse.ArgumentParser(prog="python -m eval.catalogue", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--check", action="store_true", help="compare checksums as well")
    options = parser.parse_args(arguments)
    good = True
    for well, line in lines(options.data, check=options.check):
        good &= well
        print(line, flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
