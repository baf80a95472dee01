"""Learn the shipped lemmas: `python -m embeddings.build.lemmas en --data TREEBANKS --out embeddings/lemmas`.

The training and development parts of a treebank give pairs of form and lemma for each group of tags, a
dictionary (simplemma) those of the frequent words that the treebank lacks. Endings become rules where enough
pairs agree; words whose rule is wrong become exceptions. The test part is only measured.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any, Final

import numpy as np

from embanon.language.detect import LANGUAGES
from embanon.language.lemmas import (
    GROUP_OF_TAG,
    OPEN_GROUPS,
    OTHER_GROUP,
    UNCHANGED,
    UNTAGGED,
    UNTAGGED_CAPITALIZED,
    LemmaRule,
    LemmaTable,
    Lemmatizer,
    SplitWord,
    fold_word,
    hash_text,
    tag_group,
)
from embeddings.build.treebank import Word, read_treebank

FREQUENT: Final = 60_000
"""Most frequent words that are looked up in the dictionary."""
SUPPORT: Final = 2
"""Words of a treebank that a rule needs; a word of the dictionary counts as `DICTIONARY`."""
DICTIONARY: Final = 0.5
GERMAN_CASE: Final = (("A", "V"), ("N",))
OTHER_CASE: Final = (("N", "A", "V"), ())
"""The groups of a lemma in lower case, and of one with a capital."""
NOMINAL: Final = 2
"""How much more a noun, an adjective or a name counts than a verb where there is no tag."""
SHARE: Final = 0.2
"""A group gets a pair of the dictionary if it is at least so likely."""
MEASURED_TAGS: Final = ("NOUN", "ADJ", "VERB", "PROPN")

Pairs = dict[str, tuple[str, float]]
"""Form -> its lemma, and what it counts as evidence."""


def gold_tag_and_lemma(word: Word) -> tuple[str, str]:
    """Return the tag and the lemma of a word; of a contraction, of its first part that has rules."""
    tags = word.tag.split("+")
    place = next((n for n, tag in enumerate(tags) if tag in GROUP_OF_TAG), 0)
    return tags[place], word.lemmas[place]


def shortest_edit(word: str, lemma: str, language: str) -> LemmaRule:
    """Return the shortest edit from a form to its lemma."""
    parts = SplitWord.from_word(word, language)
    found = []
    for base, infix in ((parts.word, False), (parts.without_infix, True)):
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(base, lemma, strict=False)))
        found.append(LemmaRule(len(base) - shared, lemma[shared:], infix))
    return min(found, key=lambda e: (e.strip + len(e.add), e.infix))


def collect_pairs(words: Iterable[Word]) -> dict[str, Pairs]:
    """Return each group's pairs: the commonest lemma of each form, and once more without regard to the tag."""
    counts: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for word in words:
        tag, lemma = gold_tag_and_lemma(word)
        form, lemma = fold_word(word.form), fold_word(lemma)
        if lemma == "_" or not any(map(str.isalpha, form)) or " " in form:
            continue
        group = tag_group(word.form, tag)
        counts[group][form][lemma] += 1
        if group in OPEN_GROUPS:
            counts[tag_group(word.form, "")][form][lemma] += 1 if group == "V" else NOMINAL
    return {
        group: {form: (lemmas.most_common(1)[0][0], 1.0) for form, lemmas in forms.items()}
        for group, forms in counts.items()
    }


def dictionary(language: str) -> dict[str, str]:
    """Return simplemma's forms and lemmas of a language."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    found: Mapping[Any, Any] = DefaultDictionaryFactory().get_dictionary(language)
    text = (lambda b: b.decode()) if found and isinstance(next(iter(found)), bytes) else str
    return {text(form): text(lemma) for form, lemma in found.items()}


def frequent_lemmas(language: str) -> dict[str, tuple[str, ...]]:
    """Return the dictionary's lemmas of the most frequent words, in their order: one or, of German, two."""
    from wordfreq import top_n_list

    known = dictionary(language)
    result: dict[str, tuple[str, ...]] = {}
    for word in top_n_list(language, FREQUENT):
        forms = (word, word.capitalize()) if language == "de" else (word,)
        lemmas = dict.fromkeys(known[form] for form in forms if form in known)
        if word.isalpha() and lemmas:
            result[word] = tuple(lemmas)
    return result


@dataclass(frozen=True, slots=True)
class EditHabits:
    """How often a group has an edit, and its lemmas an ending: tells which groups a new pair fits."""

    language: str
    edits: Mapping[str, Counter[LemmaRule]]
    endings: Mapping[str, Counter[str]]
    lemmas: Mapping[str, frozenset[str]]

    @classmethod
    def from_pairs(cls, groups: Mapping[str, Pairs], language: str) -> EditHabits:
        """Count the pairs of a treebank by group."""
        pairs = {group: groups[group] for group in ("N", "A", "V")}
        return cls(
            language,
            {g: Counter(shortest_edit(f, lemma, language) for f, (lemma, _) in p.items()) for g, p in pairs.items()},
            {g: Counter(lemma[-3:] for lemma, _ in p.values()) for g, p in pairs.items()},
            {g: frozenset(lemma for lemma, _ in p.values()) for g, p in pairs.items()},
        )

    def fitting_groups(self, word: str, lemma: str) -> tuple[str, ...]:
        """Return the groups that a pair of the dictionary fits."""
        folded = fold_word(lemma)
        fitting = (GERMAN_CASE if self.language == "de" else OTHER_CASE)[lemma[:1].isupper()]
        change = shortest_edit(word, folded, self.language)
        known = [group for group in fitting if folded in self.lemmas[group]]
        scores = {
            # An irregular form of a known lemma has no habit, and still some group.
            group: (self.edits[group][change] or 0.1 * len(known)) * (self.endings[group][folded[-3:]] + 1)
            for group in known or fitting
        }
        total = sum(scores.values())
        return tuple(group for group, score in scores.items() if total and score >= SHARE * total)


def with_dictionary(groups: dict[str, Pairs], language: str) -> dict[str, Pairs]:
    """Add the dictionary's pairs of the words that the treebank lacks in a group."""
    habits = EditHabits.from_pairs(groups, language)
    result = {group: dict(pairs) for group, pairs in groups.items()}
    for word, lemmas in frequent_lemmas(language).items():
        key = fold_word(word)
        for lemma in lemmas:
            # German lemmas say by their capital how their forms are written; other capitals are mostly names,
            # which the dictionary would take for plurals (Flores, Santos).
            untagged = UNTAGGED_CAPITALIZED if language == "de" and lemma[:1].isupper() else UNTAGGED
            for group in (*habits.fitting_groups(word, lemma), untagged):
                result[group].setdefault(key, (fold_word(lemma), DICTIONARY))
    return result


def learn_edits(pairs: Pairs, group: str, language: str) -> dict[str, LemmaRule]:
    """Learn a group's rules, of longer endings only where they differ, and the words that they get wrong."""
    counts: dict[str, Counter[LemmaRule]] = defaultdict(Counter)
    shorter: dict[str, str] = {}
    for form, (lemma, weight) in pairs.items():
        change = shortest_edit(form, lemma, language)
        names = list(SplitWord.from_word(form, language).ending_keys(group))
        shorter.update(pairwise(names))
        for name in names:
            counts[name][change] += weight  # type: ignore[assignment]
    rules: dict[str, LemmaRule] = {}
    in_force: dict[str, LemmaRule | None] = {}
    for name in sorted(counts, key=len):
        # The shortest ending after an infix is followed by many: nothing is in force there.
        before = None if name == f"{group}~" else in_force.get(shorter.get(name, ""))
        change, count = counts[name].most_common(1)[0]
        in_force[name] = before
        if count >= SUPPORT and change != before:
            rules[name] = in_force[name] = change
    return rules | _exceptions(pairs, rules, group, language)


def _exceptions(pairs: Pairs, rules: Mapping[str, LemmaRule], group: str, language: str) -> dict[str, LemmaRule]:
    found: dict[str, LemmaRule] = {}
    # The shorter first, because they count at the ends of the longer ones.
    for form in sorted(pairs, key=lambda form: (len(form), form)):
        parts, lemma = SplitWord.from_word(form, language), pairs[form][0]
        exceptions = parts.exception_keys(group)
        known = [found[name] for name in exceptions if name in found]
        known += [rules[name] for name in parts.ending_keys(group) if name in rules]
        if exceptions and parts.apply(known[0] if known else UNCHANGED) != lemma:
            # Pronouns taken off, two forms may be one: the one without them counts.
            found.setdefault(exceptions[0], shortest_edit(form, lemma, language))
    return found


def build(words: Iterable[Word], language: str) -> LemmaTable:
    """Learn all groups of a language."""
    edits: dict[str, LemmaRule] = {}
    for group, pairs in with_dictionary(collect_pairs(words), language).items():
        if group == OTHER_GROUP:
            edits |= _exceptions(pairs, {}, group, language)
        else:
            edits |= learn_edits(pairs, group, language)
    numbers = {change: n for n, (change, _) in enumerate(Counter(edits.values()).most_common())}
    table = {hash_text(name): numbers[change] for name, change in edits.items()}
    keys = sorted(table)
    return LemmaTable(np.array(keys, np.uint32), np.array([table[key] for key in keys], np.uint16), tuple(numbers))


@dataclass(frozen=True, slots=True)
class LemmaAccuracy:
    """Percent of words whose lemma is right: with the treebank's tag, without a tag, and taken as it is."""

    words: int
    tagged: float
    untagged: float
    floor: float

    def __str__(self) -> str:
        return f"{self.words} | {self.tagged:.2f} | {self.untagged:.2f} | {self.floor:.2f}"


def measure(lemmatizer: Lemmatizer, words: Iterable[Word]) -> dict[str, LemmaAccuracy]:
    """Compare with the treebank's lemmas, folded, by tag and for all four together."""
    right: dict[str, Counter[str]] = defaultdict(Counter)
    for word in words:
        tag, lemma = gold_tag_and_lemma(word)
        if tag not in MEASURED_TAGS or lemma == "_":
            continue
        said = {
            "tagged": lemmatizer.lemma(word.form, tag),
            "untagged": lemmatizer.lemma(word.form),
            "floor": fold_word(word.form),
        }
        hits = ["words", *(how for how, given in said.items() if given == fold_word(lemma))]
        right[tag].update(hits)
        right["all"].update(hits)
    return {
        tag: LemmaAccuracy(n["words"], *(100 * n[how] / n["words"] for how in ("tagged", "untagged", "floor")))
        for tag, n in ((tag, right[tag]) for tag in (*MEASURED_TAGS, "all"))
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn the lemmas of the languages named on the command line, write them, and print their figures."""
    parser = argparse.ArgumentParser(prog="python -m embeddings.build.lemmas", description=__doc__)
    parser.add_argument("languages", nargs="+", choices=LANGUAGES)
    parser.add_argument("--data", type=Path, required=True, help="folder with en/train.conllu.gz and so on")
    parser.add_argument("--out", type=Path, required=True, help="folder to write into")
    options = parser.parse_args(arguments)
    show = partial(print, flush=True)
    show("| language | tag | words | with tag | without | the word itself |\n|---|---|---|---|---|---|")
    for language in options.languages:

        def words(part: str, language: str = language) -> list[Word]:
            path = options.data / language / f"{part}.conllu.gz"
            return [word for sentence in read_treebank(path, split=language == "en") for word in sentence]

        lemmas = build(words("train") + words("dev"), language)
        (options.out / f"{language}.npz").write_bytes(lemmas.to_bytes())
        for tag, found in measure(Lemmatizer(language, lemmas), words("test")).items():
            show(f"| {language} | {tag} | {found} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
