"""ICD-10 and its national forms: tables of codes and titles, or ClaML, as they are published.

What a code is a kind of its own letters say: I10.0 is of I10, which is of the block whose codes it lies between, which
is of its chapter. A row is known by its shape: that of the WHO and of ICD-10-GM (codes, groups, chapters), of the CDC
(order files, lists of codes), or a code and a title in a table. Concepts are called by their title, and found by it, by
their code, and by the code without its point.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import Final
from xml.parsers import expat

from embanon.errors import InputError
from embanon.io import LIMITS, Limits
from embanon.language import PERSON_CUES, PLACE_CUES, Lexicon
from embanon.taxonomy.concept import ANY_LANGUAGE, Broader, Concept, Label, clean_label
from embanon.taxonomy.ladders.tables import load_tables
from embanon.taxonomy.sources.release import GZIP, ReleaseFile, release_files

CODE: Final = r"[A-Z]\d[0-9A-Z](?:\.?[0-9A-Z]{1,4})?"
MARKS: Final = "+*†!#-."
"""Behind a code: of causes and their signs, and of what has further digits (A00.-)."""
ROWS: Final = tuple(
    map(
        re.compile,
        (
            # The WHO and ICD-10-GM: level, place, kind, chapter, group, code (three ways), title, and more.
            rf"[3-6];[NTZ]?;[XS]?;(?P<chapter>\w{{1,5}});{CODE};[^;]*;(?P<code>{CODE});[^;]*;(?P<title>[^;]+)",
            rf"(?P<code>{CODE});(?P<end>{CODE});(?P<chapter>\d{{1,2}}|[IVX]+);(?P<title>[^;]+)",
            r"(?P<chapter>\d{1,2}|[IVX]+);(?P<title>[^;]{3,})$",
            # The CDC: the order file of ICD-10-CM, and its list of codes.
            rf"\d{{5}} (?P<code>{CODE}) +[01] .{{60}} (?P<title>.+)",
            rf"(?P<code>{CODE})[ \t]{{1,8}}(?P<title>.+)",
        ),
    )
)
"""Shapes of rows, those that say most first; else a row is of a table, a code and its title in the first columns."""
CODE_CELL: Final = re.compile(rf"(?P<code>{CODE})[{re.escape(MARKS)}]*(?: ?[-–] ?(?P<end>{CODE}))?")
DELIMITER: Final = re.compile(r"[;,\t]")
WORD: Final = re.compile(r"[^\W\d_]+")
MAX_ROWS: Final = 1_000_000
LONGEST_ROW: Final = 4096
"""Characters of a row."""
LONGEST_CODE: Final = 18
CATEGORY: Final = 3
"""Letters of the code of a category."""
LAST: Final = "\uffff"
"""Behind the last code of a range: what begins like it is of the range as well."""
CLAML_KINDS: Final = frozenset(("chapter", "block", "category"))
ROMAN: Final = {
    letters: number
    for number, letters in enumerate(
        "I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX XX XXI XXII".split(), 1
    )
}


@dataclass(slots=True)
class Classification:
    """What has been read: titles, the codes between which a block or chapter lies, and what is said to be above."""

    titles: dict[str, tuple[str, str]] = field(default_factory=dict, repr=False)
    """Code -> title and its language, if that is said."""
    above: dict[str, str] = field(default_factory=dict, repr=False)
    chapters: dict[str, str] = field(default_factory=dict, repr=False)

    def add(self, code: str, title: str, language: str = "") -> None:
        """Note a title; a code that has one keeps it."""
        if len(self.titles) >= MAX_ROWS:
            raise InputError(f"more than {MAX_ROWS:,} codes of ICD-10; name the files of one classification")
        if label := clean_label(title.strip(" -–:")):
            self.titles.setdefault(code, (label, language))

    def broader(self, code: str, blocks: Mapping[str, str]) -> str:
        """Return the code that is next above a code; empty of a chapter."""
        if code in self.above:
            return self.above[code]
        first = code.partition("-")[0]
        shorter = (
            () if first != code else (_with_point(first[:size]) for size in range(len(first) - 1, CATEGORY - 1, -1))
        )
        if known := next((one for one in shorter if one != code and one in self.titles), ""):
            return known
        return blocks.get(code) or self.chapters.get(code, "")


def concepts(paths: Sequence[str], languages: Sequence[str] = (), limits: Limits = LIMITS) -> Iterator[Concept]:
    """Return the concepts of a classification; titles of which none is said are of each of the languages."""
    known = Classification()
    for file in release_files(paths):
        name = file.name.lower() if file.member else file.name.removesuffix(GZIP).lower()
        if name.endswith((".xml", ".claml")):
            _read_claml(file, known, limits)
        elif name.endswith((".txt", ".csv", ".tsv", ".asc")):
            _read_rows(file, known, limits)
    if not known.titles:
        raise InputError(
            f"{paths[0]}: has no code of ICD-10 with a title; a line looks like: I10,Essential hypertension"
        )
    names = _names(title for title, _ in known.titles.values())
    blocks = enclosing_blocks(known.titles)
    for code, (title, spoken) in known.titles.items():
        if spoken and languages and spoken not in languages:
            continue
        tongues = (spoken,) if spoken else languages or (ANY_LANGUAGE,)
        codes = () if code.startswith(CHAPTER) else dict.fromkeys((code, code.replace(".", "")))
        titles = (Label(language, _as_said(title, language, names)) for language in tongues)
        labels = (*titles, *(Label(ANY_LANGUAGE, each) for each in codes))
        above = known.broader(code, blocks)
        yield Concept(
            f"icd10:{code}", labels, (Broader(f"icd10:{above}", "subclass"),) if above in known.titles else ()
        )


CHAPTER: Final = "chapter "


def _read_rows(file: ReleaseFile, known: Classification, limits: Limits) -> None:
    for number, line in file.lines(limits):
        if len(line) > LONGEST_ROW:
            raise InputError(f"{file.name}: has lines that are longer than titles are; is it a table of ICD-10?")
        shapes = (shape.match(line) for shape in ROWS)
        try:
            row = next((match.groupdict() for match in shapes if match), None) or _table_row(line)
        except csv.Error as exc:
            raise InputError(f"{file.name}, line {number}: has a line break within; write a row in a line") from exc
        if row is None:
            continue  # the header, or a note
        code, end = _with_point(row.get("code") or ""), row.get("end")
        chapter = _chapter(row.get("chapter") or "")
        code = f"{code}-{_with_point(end)}" if end else code or chapter
        known.add(code, row["title"] or "")
        if chapter and chapter != code:
            known.chapters[code] = chapter


def _table_row(line: str) -> dict[str, str | None] | None:
    """Return the code and title of a row of a table, whatever its delimiter."""
    delimiter = DELIMITER.search(line)
    cells = next(csv.reader([line], delimiter=delimiter[0]), []) if delimiter else []
    match = CODE_CELL.fullmatch(cells[0].strip()) if cells else None
    title = next(filter(None, map(str.strip, cells[1:])), "")
    return {**match.groupdict(), "title": title} if match and title else None


def _read_claml(file: ReleaseFile, known: Classification, limits: Limits) -> None:
    """Read ClaML: classes with their codes, what is above them, and their preferred names; nothing is fetched."""
    parser = expat.ParserCreate()
    reader = _ClamlReader(file.name, known, parser)
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = reader.text, reader.refuse
    read = 0
    with file.open(limits) as stream:
        while data := stream.read(BLOCK):
            read += len(data)
            if read > limits.text:
                raise InputError(f"{file.name}: has more than {limits.text >> 20} MB, too much for a classification")
            _parse(parser, data, file.name)
        _parse(parser, b"", file.name, is_last=True)


def _parse(parser: expat.XMLParserType, data: bytes, name: str, *, is_last: bool = False) -> None:
    try:
        parser.Parse(data, is_last)
    except expat.ExpatError as exc:
        raise InputError(f"{name}, line {exc.lineno}: is no XML ({expat.ErrorString(exc.code)})") from None
    except (ValueError, LookupError):  # Expat knows no encodings of several bytes but UTF
        raise InputError(
            f"{name}, line {parser.CurrentLineNumber}: is in an encoding that is not read; save it as UTF-8"
        ) from None


BLOCK: Final = 1 << 20


@dataclass(slots=True)
class _ClamlReader:
    """What is open of a class while its elements come."""

    name: str
    known: Classification = field(repr=False)
    parser: expat.XMLParserType = field(repr=False)
    code: str = ""
    is_preferred: bool = False
    depth: int = 0
    """Of elements inside of a label that belong to its title, from 1 on."""
    skipped: int = 0
    language: str = ""
    title: list[str] = field(default_factory=list, repr=False)

    def refuse(self, *_: object) -> None:
        """Refuse entities, which may grow beyond measure or come from elsewhere."""
        raise InputError(f"{self.name}: has entities; write out what they stand for")

    def start(self, element: str, attributes: dict[str, str]) -> None:
        """Open an element."""
        if element == "Class":
            self.code = self._code(attributes) if attributes.get("kind") in CLAML_KINDS else ""
        elif element == "SuperClass" and self.code and (above := self._code(attributes)):
            self.known.above.setdefault(self.code, above)
        elif element == "Rubric":
            self.is_preferred = bool(self.code) and attributes.get("kind") == "preferred"
        elif element == "Label" and self.is_preferred:
            self.depth, self.title, self.language = 1, [], attributes.get("xml:lang", "").partition("-")[0]
        elif self.depth:
            self.depth += 1
            self.skipped = self.skipped or self.depth * (element == "Reference")

    def text(self, data: str) -> None:
        """Note what stands in a label."""
        if self.depth and not self.skipped:
            self.title.append(data)

    def end(self, element: str) -> None:
        """Close an element."""
        if element == "Label" and self.depth:
            self.known.add(self.code, " ".join("".join(self.title).split()), self.language.lower())
            self.depth = self.skipped = 0
        elif self.depth:
            self.skipped = 0 if self.skipped == self.depth else self.skipped
            self.depth -= 1
        elif element == "Class":
            self.code = ""

    def _code(self, attributes: dict[str, str]) -> str:
        code = attributes.get("code", "").strip()
        if len(code) > LONGEST_CODE:
            raise InputError(f"{self.name}, line {self.parser.CurrentLineNumber}: its code is longer than codes are")
        return _chapter(code) if code.isdecimal() or code in ROMAN else code.rstrip(MARKS)


def _chapter(text: str) -> str:
    """Return what a chapter is called by its number, in digits or letters; empty of none."""
    number = int(text) if text.isdecimal() else ROMAN.get(text, 0)
    return f"{CHAPTER}{number}" if number else ""


def _with_point(code: str) -> str:
    bare = code.replace(".", "")
    return f"{bare[:CATEGORY]}.{bare[CATEGORY:]}" if len(bare) > CATEGORY else bare


def enclosing_blocks(codes: Iterable[str]) -> dict[str, str]:
    """Return of each code that lies in blocks the narrowest: of those that begin last, that which ends first."""
    events: list[tuple[str, str, str, bool]] = []
    for code in codes:
        first, _, last = code.partition("-")
        category = first[:CATEGORY]
        if last:
            events.append((first, last + LAST, code, True))
        if not last or category != first:
            events.append((category, last or category, code, False))
    events.sort(key=itemgetter(1), reverse=True)
    events.sort(key=lambda event: (event[0], not event[3]))
    enclosing: dict[str, str] = {}
    blocks: list[tuple[str, str]] = []  # where they end, the last first, and their codes; all have begun
    for start, end, code, is_block in events:
        if not is_block or len(start) <= CATEGORY:
            last = end.removesuffix(LAST)
            around = bisect_left(blocks, True, key=partial(_ends_before, last))
            if around:
                enclosing[code] = blocks[around - 1][1]
        if is_block:
            while blocks and blocks[-1][0] <= end:  # which began before, and so holds nothing that this one does not
                blocks.pop()
            blocks.append((end, code))
    return enclosing


def _ends_before(last: str, block: tuple[str, str]) -> bool:
    return block[0] < last


def _names(titles: Iterable[str]) -> frozenset[str]:
    """Return the words that have a capital inside of titles as well, and so are names: in Alzheimer disease."""
    return frozenset(word for title in titles for word in WORD.findall(title)[1:] if word.istitle())


def _as_said(title: str, language: str, names: Collection[str]) -> str:
    """Begin a title with a small letter, as within a sentence, where it is no name and nouns have no capitals."""
    tables, word = load_tables(language), title.split(" ")[0]
    if tables is None or tables.flag("nouns", "capitalized") or not word[1:].islower():
        return title
    is_name = word in names or Lexicon.load(language).flags(word) & (PERSON_CUES | PLACE_CUES)
    return title if is_name else title[:1].lower() + title[1:]
