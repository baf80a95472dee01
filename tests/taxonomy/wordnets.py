"""Small WordNets as NLTK has them on disk: numbers are the places of lines, as its reader expects."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

SECRET = "Geheimnis"
HEADER = (
    "  1 This software and database is being provided to you\n"
    "  2 WordNet {} Copyright 2006 by Princeton University.  All rights reserved.\n"
)
LEXNAMES = (
    "adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body noun.cognition "
    "noun.communication noun.event noun.feeling noun.food noun.group noun.location noun.motive noun.object noun.person "
    "noun.phenomenon noun.plant noun.possession noun.process noun.quantity noun.relation noun.shape noun.state "
    "noun.substance noun.time verb.body"
).split()

# words (the number behind a dot tells senses of one file apart), file, links to the first words of others
ROWS = (
    ("entity", 3, ""),
    ("object physical_object", 3, "@ entity"),
    ("organism being", 3, "@ object"),
    ("person individual", 3, "@ organism"),
    ("performer", 18, "@ person"),
    ("musician instrumentalist", 18, "@ performer"),
    ("violinist fiddler", 18, "@ musician"),
    ("Grant Cary_Grant", 18, "@i performer"),
    ("animal", 3, "@ organism"),
    ("dog domestic_dog", 5, "@ animal #m pack"),
    ("dog.1", 18, "@ person"),
    ("pack", 14, "@ entity"),
    ("region", 15, "@ object"),
    ("Germany FRG", 15, "@i region"),
    ("Berlin German_capital", 15, "@i region #p Germany"),
    ("organization", 14, "@ entity"),
    ("school(a)", 14, "@ organization"),
)
COUNTS = {"dog%1:05:00::": 42, "violinist%1:18:00::": 3, "grant%1:18:00::": 1}
FRENCH = {"dog": "chien", "violinist": "violoniste", "musician": "musicien (f\u00e9m.)", "Berlin": "Berlin, la ville",
          "performer": "artiste interpr\u00e8te"}  # fmt: skip
NUMBER = "{:08}"


def files(version: str = "3.0", rows: tuple[tuple[str, int, str], ...] = ROWS) -> dict[str, str]:
    """Return the files of a WordNet of nouns."""
    header = HEADER.format(version)
    starts, place, lines = dict[str, int](), len(header), list[tuple[int, str]]()
    for known in (False, True):  # numbers have eight digits, so that lines are as long before these are known
        place, lines = len(header), []
        for words, file, links in rows:
            names, pairs = words.split(), links.split()
            written = " ".join(f"{name.partition('.')[0]} {int(name.partition('.')[2] or 0):x}" for name in names)
            pointers = "".join(
                f"{symbol} {starts.get(target, 0):08} n 0000 "
                for symbol, target in zip(pairs[::2], pairs[1::2], strict=True)
            )
            line = f"{place:08} {file:02} n {len(names):02x} {written} {len(pairs) // 2:03} {pointers}| {SECRET}  \n"
            if not known:
                starts[names[0].removesuffix("(a)")] = place
            lines.append((place, line))
            place += len(line.encode())
    index, keys = dict[str, list[int]](), list[tuple[str, int]]()
    for (start, _), (words, file, _links) in zip(lines, rows, strict=True):
        for name in words.split():
            word, _, number = name.removesuffix("(a)").lower().partition(".")
            index.setdefault(word, []).append(start)
            keys.append((f"{word}%1:{file:02}:{int(number or 0):02}::", start))
    return {
        "data.noun": header + "".join(line for _, line in lines),
        "index.noun": header + "".join(
            f"{word} n {len(found)} 1 @ {len(found)} 0 {' '.join(map(NUMBER.format, found))}  \n"
            for word, found in sorted(index.items())
        ),
        "index.sense": "".join(f"{key} {start:08} 1 0\n" for key, start in sorted(keys)),
        "cntlist.rev": "".join(f"{key} 1 {count}\n" for key, count in sorted(COUNTS.items())),
        "lexnames": "".join(f"{number:02}\t{name}\t1\n" for number, name in enumerate(LEXNAMES)),
        "data.adj": header, **{f"data.{kind}": "" for kind in ("adv", "verb")},
        **{f"index.{kind}": "" for kind in ("adj", "adv", "verb")},
        **{f"{kind}.exc": "" for kind in ("noun", "adj", "adv", "verb")},
    }  # fmt: skip


def numbers(noun_data: str) -> Mapping[str, str]:
    """Return the number of each synset by its first word, the first of several."""
    found: dict[str, str] = {}
    for line in noun_data.splitlines():
        if not line.startswith(" "):
            found.setdefault(line.split()[4].removesuffix("(a)"), line[:8])
    return found


def tab(code: str, words: Mapping[str, str], known: Mapping[str, str]) -> str:
    """Return a file of the Open Multilingual Wordnet."""
    rows = "".join(f"{known[english]}-n\t{code}:lemma\t{word}\n" for english, word in words.items())
    return f"# Test\t{code}\thttp://example.org\tCC0\n{rows}99999999-n\t{code}:lemma\tnirgends\n"


def translations(known: Mapping[str, str]) -> dict[str, str]:
    """Return the files of an Open Multilingual Wordnet."""
    return {
        "fra/wn-data-fra.tab": tab("fra", FRENCH, known),
        "ita/wn-data-ita.tab": tab("ita", {"dog": "cane", "person": "persona"}, known),
        "cmn/wn-data-cmn.tab": tab("cmn", {"dog": "\u72d7"}, known),
        "wikt/wn-wikt-fra.tab": tab("fra", {"dog": "toutou"}, known),
    }


def write(folder: Path, contents: Mapping[str, str]) -> Path:
    """Write files that nobody else may write, as NLTK wants them."""
    for name, content in contents.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755)
        path.write_text(content, encoding="utf-8")
        path.chmod(0o644)
    return folder


def write_data(folder: Path) -> Path:
    """Write a folder of NLTK's data: WordNet and the Open Multilingual Wordnet."""
    contents = files()
    write(folder / "corpora" / "wordnet", contents)
    write(folder / "corpora" / "omw-1.4", translations(numbers(contents["data.noun"])))
    return folder


def zipped(folder: Path) -> Path:
    """Pack a folder as NLTK's packages are, beside it."""
    target = folder.with_suffix(folder.suffix + ".zip")
    with ZipFile(target, "w") as archive:
        archive.writestr(f"{folder.name}/", "")
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent).as_posix())
    target.chmod(0o644)
    return target
