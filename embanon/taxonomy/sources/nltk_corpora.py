"""Find the WordNets that NLTK has here, or that lie in a folder or zip of its form; nothing is downloaded."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from embanon.errors import InputError
from embanon.io import LIMITS, Limits

CORPUS_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
TABS: Final = r"(?:.*/)?wn-[a-z]+-[a-z]+\.tab"
"""How files of the Open Multilingual Wordnet are named."""
WORDNET: Final = "wordnet"
"""NLTK's name of WordNet 3.0, whose numbers the Open Multilingual Wordnet uses."""
MULTILINGUAL: Final = "omw"
"""How NLTK's names of the Open Multilingual Wordnet begin."""
NOUNS: Final = "data.noun"
COUNTS: Final = "cntlist.rev"
REQUIRED: Final = (
    NOUNS, "lexnames", "data.adj", *(f"index.{kind}" for kind in ("noun", "verb", "adj", "adv")),
    *(f"{kind}.exc" for kind in ("noun", "verb", "adj", "adv")),
)  # fmt: skip
"""The files that NLTK's reader opens whatever it is asked for."""


@dataclass(frozen=True, slots=True)
class NltkSource:
    """What a source names: where its WordNet is, and the words of other languages, as NLTK points to places."""

    name: str
    wordnet: Any
    multilingual: Any
    """`None` where there are none."""
    is_multilingual: bool
    """Whether the source is that of other languages, and WordNet only what their words mean."""
    language: str = ""
    """The language that the source names itself: `omw-1.4:fr`."""


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Let NLTK read from a folder or zip that is named, which it refuses elsewhere than in its places of data."""
    import nltk.data

    place, before = Path(_without_language(source)), list(nltk.data.path)
    if place.exists():
        place = place.resolve()
        folder = place.parent
        nltk.data.path[:0] = map(str, dict.fromkeys((folder.parent if folder.name == "corpora" else folder, folder)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NLTK warns of words whose sense WordNet does not have
            yield
    finally:
        nltk.data.path[:] = before


def find_source(source: str, limits: Limits = LIMITS) -> NltkSource:
    """Find what a source names: a folder or zip, else a corpus of NLTK; to be called within `readable`."""
    name = _without_language(source)
    language = source[len(name) + 1 :]
    named = _pointer(name) if Path(name).exists() else _find_corpus(name)
    if named is None:
        raise _missing(name)
    beside = [Path(name).absolute().parent] if Path(name).exists() else []
    if has_file(named, NOUNS):
        if language:
            raise InputError(f"{source}: is WordNet itself; name languages so: --languages {language}")
        check_files(named, name, REQUIRED, limits)
        return NltkSource(name, named, _find_multilingual(beside), False)
    if not tab_files(named):
        raise InputError(
            f"{name}: has neither {NOUNS} nor files such as fra/wn-data-fra.tab; name a WordNet in the form of NLTK"
        )
    wordnet = next(filter(None, (_folder_corpus(folder, WORDNET) for folder in beside)), None) or _find_corpus(WORDNET)
    if wordnet is None:
        raise _missing(WORDNET, f"{name} has words alone: what they mean says WordNet 3.0. ")
    check_files(wordnet, WORDNET, REQUIRED, limits)
    check_files(named, name, tab_files(named), limits)
    return NltkSource(name, wordnet, named, True, language)


def tab_files(root: Any) -> list[str]:
    """Return the files of words in other languages."""
    from nltk.corpus.reader.util import find_corpus_fileids

    return list(find_corpus_fileids(root, TABS))


def check_files(root: Any, name: str, files: Iterable[str], limits: Limits = LIMITS) -> None:
    """Refuse a corpus that lacks a file, or has one that is too large, packed or not."""
    for file in files:
        try:
            size = root.join(file).file_size()
        except (OSError, ValueError, KeyError) as exc:
            raise InputError(f"{name}: lacks {file}, or it cannot be read; install the whole corpus of NLTK") from exc
        if size > limits.text:
            raise InputError(f"{name}: {file} has more than {limits.text >> 20} MB; is it of a WordNet?")


def _without_language(source: str) -> str:
    name, _, language = source.rpartition(":")
    return name if name and language.isalpha() and not Path(source).exists() else source


def _missing(name: str, reason: str = "") -> InputError:
    import nltk.data

    places = ", ".join(map(str, nltk.data.path))
    return InputError(
        f"{reason}NLTK has no corpus {name!r}; install it (python -m nltk.downloader {name}), or name its folder or "
        f"zip; NLTK looked in: {places}"
    )


def has_file(root: Any, file: str) -> bool:
    """Return whether a corpus has a file."""
    try:
        root.join(file)
    except (OSError, ValueError, KeyError):
        return False
    return True


def _find_corpus(name: str) -> Any:
    """Return where NLTK has a corpus, unpacked or not; `None` where it has none that it reads."""
    import nltk.data

    if not CORPUS_NAME.fullmatch(name):
        raise InputError(f"{name}: no such folder or zip, and no name of a corpus of NLTK; name one, such as {WORDNET}")
    for place in (f"corpora/{name}", f"corpora/{name}.zip/{name}/"):
        try:
            return nltk.data.find(place)
        except (LookupError, OSError):
            continue
    return None


def _pointer(path: str) -> Any:
    """Point to a folder, or to the one in a zip."""
    from zipfile import BadZipFile

    from nltk.data import FileSystemPathPointer, ZipFilePathPointer

    place = Path(path).resolve()
    if place.is_dir():
        return FileSystemPathPointer(str(place))
    try:
        return ZipFilePathPointer(str(place), f"{place.stem}/")
    except (OSError, BadZipFile, ValueError) as exc:
        raise InputError(
            f"{path}: is no zip with a folder {place.stem}, or NLTK refuses to read it; unpack it, and name its folder"
        ) from exc


def _folder_corpus(folder: Path, name: str) -> Any:
    """Return a corpus in a folder, unpacked or not; `None` where there is none."""
    for place in (folder / name, folder / f"{name}.zip"):
        if place.exists():
            return _pointer(str(place))
    return None


def _find_multilingual(beside: Iterable[Path]) -> Any:
    """Return the Open Multilingual Wordnet that lies beside a WordNet, else where NLTK looks: the newest."""
    import nltk.data

    for folder in (*beside, *(Path(str(place)) / "corpora" for place in nltk.data.path)):
        names = sorted({path.stem if path.suffix == ".zip" else path.name for path in folder.glob(f"{MULTILINGUAL}*")})
        for name in reversed(names):
            corpus = _folder_corpus(folder, name)
            if tab_files(corpus):
                return corpus
    return None
