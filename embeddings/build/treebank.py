"""Read Universal Dependencies treebanks as the tagger sees them: surface words with a tag each."""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from embanon.errors import InputError

PARALLEL = re.compile(r"= [nw]\d{8}$")
NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})


@dataclass(frozen=True, slots=True)
class Word:
    """A surface word; contractions have the tags of their parts joined by `+`.

    `parts` are its syntactic words, `lemmas` their dictionary forms. `parallel` words are of the parallel treebank
    (PUD), which is annotated by other conventions than the rest.
    """

    form: str
    tag: str
    space_after: bool
    parts: tuple[tuple[int, str, str, int, str], ...]  # id, form, tag, head, relation
    lemmas: tuple[str, ...] = ()
    parallel: bool = False


Sentence = tuple[Word, ...]


def read_treebank(path: Path, *, split: bool) -> Iterator[Sentence]:
    """Return the sentences of a CoNLL-U file (ID FORM LEMMA UPOS XPOS HEAD DEPREL SPACE).

    `split` keeps contractions apart whose parts are written as they stand (`do|n't`), as English needs.
    """
    words: list[Word] = []
    surface, last, parts, lemmas = "", 0, list[tuple[int, str, str, int, str]](), list[str]()
    surface_space, parallel = True, False
    try:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = line.rstrip("\n").split("\t")
                if row == [""]:
                    if words:
                        yield tuple(words)
                    words, last = [], 0
                elif row[0].startswith("# sent_id"):
                    parallel = PARALLEL.search(row[0]) is not None
                elif row[0].startswith("#") or "." in row[0]:
                    continue
                elif "-" in row[0]:
                    surface, last, parts, lemmas = row[1], int(row[0].split("-")[1]), [], []
                    surface_space = "SpaceAfter=No" not in row[-1]
                else:
                    part = (int(row[0]), row[1], row[3], int(row[5]), row[6])
                    if part[0] > last:
                        words.append(Word(row[1], row[3], "SpaceAfter=No" not in row[-1], (part,), (row[2],), parallel))
                        continue
                    parts.append(part)
                    lemmas.append(row[2])
                    if part[0] == last:
                        if split and "".join(form for _, form, *_ in parts) == surface:
                            words += [
                                Word(part[1], part[2], part is parts[-1] and surface_space, (part,), (lemma,), parallel)
                                for part, lemma in zip(parts, lemmas, strict=True)
                            ]
                        else:
                            tag = "+".join(part[2] for part in parts)
                            words.append(Word(surface, tag, surface_space, tuple(parts), tuple(lemmas), parallel))
    except (OSError, EOFError, ValueError, IndexError) as error:
        raise InputError(f"{path} is not a gzipped CoNLL-U file with eight columns") from error
    if words:
        yield tuple(words)


def recase(sentence: Sentence, how: str) -> Sentence:
    """Return the sentence in lower case, in capitals or in title case."""
    change: Callable[[str], str] = {
        "lower": str.lower,
        "upper": str.upper,
        "title": lambda w: w[:1].upper() + w[1:],
    }[how]
    return tuple(replace(word, form=change(word.form)) for word in sentence)
