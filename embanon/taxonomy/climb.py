"""Climb: from a phrase to a ladder of true generalizations, the most specific first.

A phrase may mean several concepts. A rung is true whatever is meant: it is broader than every sense that is likely
enough, of those that the phrase's type allows. With one likely sense that is all that is broader than it.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, NamedTuple

from embanon.language import (
    UNKNOWN_GENDER,
    Cue,
    Lemmatizer,
    Lexicon,
    compound_head,
    fold_name,
    is_dictionary_noun,
    is_known_noun,
    is_plural,
    key,
    noun_gender,
    word_share,
)
from embanon.taxonomy.concept import UPWARD_LINKS
from embanon.taxonomy.domains import DOMAINS, SYNSETS, TOPS
from embanon.taxonomy.entries import PART, Entries, Entry, comparable, without_article
from embanon.taxonomy.labels import load_inventory
from embanon.taxonomy.ladders import Context, is_excepted, ladder, simpler_forms
from embanon.taxonomy.ladders.heads import plain_head
from embanon.taxonomy.ladders.tables import NO_CONTEXT, load_tables
from embanon.taxonomy.senses import ALIAS_FACTOR, SenseScreen, is_general, unlikely
from embanon.taxonomy.store import SHIPPED, Link, Sense, Store, open_taxonomy
from embanon.text import AGE, STATEMENT

MIN_PROBABILITY: Final = 0.1
"""The probability from which a sense must be true of."""
MIN_TYPE_PROBABILITY: Final = 0.3
"""The probability that the senses of a type must have together."""
MIN_AT_HOME: Final = 0.001
"""That of a place in the country that the language comes from."""
MAX_SENSES: Final = 4
"""Senses that are looked at."""
MAX_RUNGS: Final = 64
"""Rungs of a ladder."""
FARTHEST: Final = 2
"""Steps that a store of the world at large is followed."""
WORK: Final = "work"
"""The kind of a rung that the text says of a work."""
WORKS: Final = frozenset(DOMAINS["work"].roots)
LANGUAGE: Final = "Q17376908"
"""What languages are under."""
MISTAKEN: Final = frozenset(("PERSON", "ORG", "MISC"))
"""Types of names that may be taken for each other: the film Jerry Maguire for somebody."""
TOWN: Final = "Q486972"
"""What towns are under."""
YEAR_BEHIND: Final = re.compile(r" \((?:18|19|20)\d\d\)")
LONGEST_GENERAL: Final = 8
"""Rungs that a store of the world at large adds."""
CONTEXT_FACTOR: Final = 4.0
"""How many times likelier a sense is whose ladder is as near to the context as can be."""
COMPUTED: Final = "computed"
HOMES: Final[Mapping[str, frozenset[str]]] = {
    "es": frozenset(("España",)), "pt": frozenset(("Portugal",)),
    "de": frozenset(("Deutschland", "Österreich", "Schweiz")),
}  # fmt: skip
"""Countries in which a place is never beyond doubt, where one of that name is larger elsewhere."""
WORDNET: Final = "wordnet"
"""The shipped store of common words: those of its concepts that are labels of the inventory are said."""
LISTED: Final = "label"
"""The kind of a rung that the inventory lists."""
OPENING_QUOTES: Final = tuple("\"“”„«‘'")
PATTERN_KINDS: Final = frozenset(("LOC.address", "LOC.postcode"))
"""Kinds whose words do not say what they are: Harbour Road is no port."""
LOCATED: Final = "located-in"
INSTANCE: Final = "instance"
HEAD: Final = "head of a description"
"""The kind of a rung that is the noun of the phrase itself."""
PERSON: Final = "person"
"""The kind of the rung that gets a number later: Person 1."""
CONTEXTUAL_TYPES: Final = frozenset(("PERSON", "QUANTITY"))
"""Types whose ladder hangs on what stands around the phrase, capitals or not."""
CONTEXT_FREE_TYPES: Final = frozenset(("DATETIME", "CODE"))
"""Types whose ladder does not look at what is around."""
NAMES: Final = frozenset(("name", "title"))
TEXT_STATED_KINDS: Final = frozenset(("work", "year", "beside"))
"""Kinds of computed rungs that the text itself says of a name: no store knows better what the film Skinner is."""
COMPUTED_ONLY_TYPES: Final = frozenset(("DATETIME", "QUANTITY", "CODE"))
"""Types of which no store knows more than the phrase says."""
ALLOWED_CONCEPT_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "LOC": frozenset(("LOC",)),
    "ORG": frozenset(("ORG",)),
    "PERSON": frozenset(("PERSON",)),
    "DEM": frozenset(("DEM", "PERSON", "")),
    "MISC": frozenset(("MISC", "DEM", "ORG", "")),
}
"""The type of a phrase -> those of the concepts that it may mean."""

BARE: Final = frozenset(("place", "location", "lugar", "ort"))
"""Labels of stores that say no more than a type, where nothing that is computed says the same."""
HEADS: Final[Mapping[str, int]] = {
    "ORG": int(Cue.ORG_HEAD),
    "LOC": int(Cue.PLACE_HEAD),
    "MISC": int(Cue.AWARD_HEAD | Cue.EVENT_HEAD | Cue.WORK_HEAD),
}
"""The type of a name -> what its last noun must be known as, to say what the name is."""
ATTRIBUTED: Final = re.compile(r" ([a-z]{3,})")
ALTERNATIVES: Final = re.compile(r" (?:o|ou|oder) ")
"""In a label that leaves open which of two it is."""
LONGEST_ACRONYM: Final = 5
OWN_ARTICLES: Final[Mapping[str, Mapping[str, str]]] = {
    "es": {"m": "un", "f": "una"}, "pt": {"m": "um", "f": "uma"}, "de": {"m": "ein", "f": "eine", "n": "ein"},
}  # fmt: skip
PREPOSITION: Final = re.compile(r" (?:of|for|on|in|at|to|and) ")

Similarity = Callable[[Sequence[str]], Sequence[float]]
"""The cosines of labels with what stands around the phrase."""


@dataclass(frozen=True, slots=True)
class Rung:
    """A true generalization: what it says, who says so, and how much of the phrase's information it keeps.

    `kind` is that of a computed rung, else the link that leads to it; `bare` rungs say no more than a type does.
    `concept` is an id of the source; `kept` is between 0 and 1, or `None` where nothing is known of it. What a store
    that the user names says is the user's own (`is_own`).
    """

    label: str = field(repr=False)
    source: str
    kind: str
    concept: str = ""
    kept_information: float | None = None
    is_bare: bool = False
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Ladder:
    """A ladder, most specific first; the form of the phrase that a store knows, and the senses that it is true of.

    `entries` are those of stores that the user names, where these know the phrase itself: they decide.
    """

    rungs: tuple[Rung, ...] = ()
    form: str = field(default="", repr=False)
    senses: tuple[tuple[str, str, float], ...] = ()
    entries: tuple[Entry, ...] = field(default=(), repr=False)


class _BroaderConcept(NamedTuple):
    """What is broader than a concept, and why."""

    source: str
    concept: int
    kind: str
    distance: int = 0


class _NamedConcept(NamedTuple):
    """What a concept is called, that without case and article, its information, and its id."""

    label: str
    bare: str
    information: float
    id: str
    is_plain: bool = True


class Climber:
    """Climbs stores in order: the first that knows a phrase, and then those that know a concept of it by its id.

    What those that the user names (`named`) know of a phrase itself goes before all else.
    """

    def __init__(self, stores: Mapping[str, Store], language: str, named: Collection[str] = ()) -> None:
        self.stores, self.language = dict(stores), language
        self.entries = Entries({name: store for name, store in stores.items() if name in named}, language)
        self.lemma = Lemmatizer.load(language).lemma
        self._lexicon = Lexicon.load(language)
        self._general = {name for name, store in self.stores.items() if is_general(store)}
        self._screen = SenseScreen(language)
        self.climb_entries = lru_cache(maxsize=65_536)(self._climb_entries)
        self._all_broader = lru_cache(maxsize=262_144)(self._find_all_broader)
        self._climb_without_context = lru_cache(maxsize=262_144)(
            lambda phrase, type, kind, form, head: self._climb(phrase, type, kind, form, Context(head=head))
        )
        self._cached_look_up = lru_cache(maxsize=65_536)(self._look_up)
        self._named = lru_cache(maxsize=262_144)(self._name_concept)
        self._links = lru_cache(maxsize=262_144)(self._links_up)
        self._shared = lru_cache(maxsize=None)(lambda name, other: stores[name].shared_concepts(stores[other]))
        self._climb_head = lru_cache(maxsize=65_536)(self._find_by_head)
        self._listed = lru_cache(maxsize=65_536)(self._listed_rungs)
        self._broader = lru_cache(maxsize=65_536)(self._broader_ids)
        self._head = lru_cache(maxsize=65_536)(self._find_head)

    def __reduce__(self) -> tuple[type[Climber], tuple[dict[str, Store], str, tuple[str, ...]]]:
        return Climber, (self.stores, self.language, tuple(self.entries.stores))

    def climb(
        self, phrase: str, type: str = "", kind: str = "", form: str = "common",
        context: Context = NO_CONTEXT, similarity: Similarity | None = None,
    ) -> Ladder:  # fmt: skip
        """Return the ladder of a phrase: what the stores say, and what is computed from it."""
        # A common phrase, a date and a code say the same wherever they stand.
        alone = type in CONTEXT_FREE_TYPES or (type not in CONTEXTUAL_TYPES and phrase.islower())
        if similarity is None and (context is NO_CONTEXT or alone):
            return self._climb_without_context(phrase, type, kind, form, context.head)
        return self._climb(phrase, type, kind, form, context, similarity)

    def _climb_entries(
        self, phrase: str, type: str = "", form: str = "common", head: str = "", *, is_whole: bool = False
    ) -> Ladder:
        """Return what the stores that the user names say of a phrase itself, in their order, the nearest first.

        Of a description that they do not know, what they say of its noun, unless all of it is meant (`is_whole`).
        """
        if not self.entries:
            return Ladder()
        rungs, meant, entries, known = list[Rung](), list[tuple[str, str, float]](), list[Entry](), {comparable(phrase)}
        for entry in self._find_entries(phrase, type, form, head, is_whole=is_whole):
            store = self.stores[entry.store]
            senses = _likely(_of_type(store, entry.senses, type))
            # Sorted again: of those that say as much as each other, the nearest goes first.
            above = self._common_rungs(entry.store, senses)[::-1]
            above.sort(key=lambda rung: -(rung.kept_information or 0))
            for rung in above:
                if comparable(rung.label) not in known:
                    known.add(comparable(rung.label))
                    rungs.append(replace(rung, is_own=True))
            if above:
                entries.append(entry)
                meant += [(entry.store, store.id(sense.concept), sense.probability) for sense in senses]
        form = entries[0].label if entries else ""
        return Ladder(tuple(rungs), form, tuple(meant), tuple(entries))

    def _find_entries(self, phrase: str, type: str, form: str, head: str, *, is_whole: bool) -> Sequence[Entry]:
        if entries := self.entries.find(phrase, form in NAMES):
            return entries
        longer = [phrase]
        for shorter in () if is_whole or form != "common" else self._shorter_forms(phrase, head):
            if entries := self.entries.find(shorter, False):
                if any(self._is_other(known, shorter, type) for known in longer):
                    break
                return [entry._replace(match=PART) for entry in entries]
            longer.append(shorter)
        return ()

    def _is_other(self, phrase: str, shorter: str, type: str) -> bool:
        """Return whether a description is known, and as something else than its noun: a tree surgeon is no surgeon."""
        inventory = load_inventory(self.language)
        listed = inventory.labels_of_entry(phrase, type) if inventory else ()
        alike = {rung.label for rung in self._listed(shorter, type, "common", "")}
        if listed and comparable(shorter) not in map(comparable, listed) and alike.isdisjoint(listed):
            return True
        for name, store in self.stores.items():
            senses = [] if name in self.entries.stores else self._common_senses(store, phrase)
            parts = {(name, concept) for concept in self._common_senses(store, shorter)} if senses else set()
            if senses and not any(parts & {(name, one), *self._broader_in_store(name, one)} for one in senses):
                return True
        return False

    def _common_senses(self, store: Store, phrase: str) -> list[int]:
        """Return what a store calls by a description or its dictionary form, and by no name."""
        *first, last = phrase.split()
        forms = dict.fromkeys((phrase, " ".join((*first, self.lemma(last)))))
        known = next(filter(None, (store.senses(form, self.language) for form in forms)), ())
        return [sense.concept for sense in known if not self._is_named_place(store, sense.concept)]

    def _shorter_forms(self, phrase: str, head: str) -> Iterator[str]:
        """Yield a description without what stands behind its noun, and then without what stands before it."""
        words, tables = phrase.split(), load_tables(self.language)
        cut = tables.words("nouns", "cut") if tables else frozenset[str]()
        for place in range(len(words) - 1, 0, -1):
            if fold_name(words[place]) in cut or self._lexicon.flags(words[place].lower()) & (Cue.STOP | Cue.CONNECTOR):
                yield " ".join(words[:place])
        # A surgeon's son is no surgeon.
        if head and head != phrase and (match := re.search(rf"(?<!\w){re.escape(head)}(?![\w'’])", phrase)):
            yield phrase[: match.end()]
        yield from simpler_forms(phrase, self.language, head)

    def labels_implied_by(self, chosen: Rung, rungs: Sequence[Rung]) -> tuple[str, ...]:
        """Return the labels of the rungs that are true wherever the chosen one is: they tell no more than it does."""
        broader = self._broader(chosen.source, chosen.concept)
        return tuple(
            rung.label for rung in rungs
            if rung.is_bare or rung.source == COMPUTED == chosen.source or (rung.source, rung.concept) in broader
        )  # fmt: skip

    def _climb(
        self, phrase: str, type: str, kind: str, form: str, context: Context, similarity: Similarity | None = None
    ) -> Ladder:
        """Return what the user's stores say of the phrase itself, and behind it what else is known and computed."""
        exact = self.climb_entries(phrase, type, form, context.head, is_whole=kind.endswith(f".{STATEMENT}"))
        known = self._climb_all(phrase, type, kind, form, context, similarity)
        if not exact.rungs:
            return known
        labels = {comparable(rung.label) for rung in exact.rungs}
        return replace(
            exact, rungs=exact.rungs + tuple(one for one in known.rungs if comparable(one.label) not in labels)
        )

    def _climb_all(
        self, phrase: str, type: str, kind: str, form: str, context: Context, similarity: Similarity | None
    ) -> Ladder:
        computed = [
            Rung(rung.label, COMPUTED, rung.kind, is_bare=rung.kind == "type")
            for rung in ladder(phrase, type, kind.partition(".")[2] or kind, self.language, context)
        ]
        if type in COMPUTED_ONLY_TYPES or kind == AGE:
            return Ladder(tuple(computed))
        quoted = type == "MISC" and context.before.endswith(OPENING_QUOTES)  # „Orgel für Haiti“ is no organ
        listed = () if quoted or kind in PATTERN_KINDS else self._listed(phrase, type, form, context.head)
        computed.sort(key=lambda rung: rung.is_bare or rung.kind == "kind")
        telling = 0 if type == "ORG" else sum(not (rung.is_bare or rung.kind == "kind") for rung in computed)
        computed[telling:telling] = listed
        is_stated = any(rung.kind in TEXT_STATED_KINDS for rung in computed)
        if not is_stated and type in ("LOC", "ORG") and form in NAMES and _is_dated_title(phrase, context):
            return Ladder(tuple(rung for rung in computed if rung.is_bare))
        alone = type == "PERSON" and " " not in phrase and phrase[:1].isupper()  # Lords, Helen: whoever they are
        letter = len(phrase) == 1 and phrase.isascii()
        if is_stated and form in NAMES and self._general and any(rung.kind == WORK for rung in computed):
            return self._climb_work(phrase, computed)
        if is_stated or alone or letter or (type == "DEM" and self._is_attributive(phrase, context)):
            return Ladder(tuple(computed))
        look_up = self._cached_look_up if similarity is None else partial(self._look_up, similarity=similarity)
        known = look_up(phrase, type, form, context.head)
        if not known.rungs and form in NAMES and all(rung.is_bare for rung in computed):
            known = self._climb_head(phrase, type)
        if known.rungs and known.rungs[0].source in self._general:
            known = replace(known, rungs=self._fitting_rungs(phrase, type, form, context, known.rungs))
        if not known.rungs:
            return replace(known, rungs=tuple(computed))
        # A plain word for the word itself is surer than what a dictionary has above one of its senses.
        if listed and known.rungs[0].source == WORDNET:
            return replace(known, rungs=tuple(computed))
        rungs = self._merge_rungs(phrase, known.rungs, computed)
        if all(rung.source == COMPUTED for rung in rungs):  # the stores say the phrase itself, and no more
            return Ladder(rungs)
        return replace(known, rungs=rungs)

    def _fitting_rungs(
        self, phrase: str, type: str, form: str, context: Context, rungs: Sequence[Rung]
    ) -> tuple[Rung, ...]:
        """Return what a store of the world at large says that what stands beside the phrase does not contradict."""
        if form not in NAMES:
            return () if phrase.isupper() else tuple(rungs)  # PET-CT is no pet, nor PRIVATE a soldier
        if self._screen.is_part(type, context.before, context.after):
            return ()
        if type == "LOC" and self._screen.is_elsewhere(phrase, context.after):
            return tuple(rung for rung in rungs if rung.concept in SYNSETS)
        return tuple(rungs)

    def _climb_work(self, phrase: str, computed: Sequence[Rung]) -> Ladder:
        """Return what stores of the world at large know of a work, where the text says the same of it, or no more."""
        stated = [comparable(rung.label) for rung in computed if rung.kind == WORK]
        for name in self._general:
            store = self.stores[name]
            senses = store.senses(phrase, self.language)
            above = self._ids_above(name, [sense.concept for sense in senses])
            screened = self._screen.screen(store, phrase, "MISC", senses, above, is_name=True)
            works = [sense for sense in screened if not WORKS.isdisjoint(above[sense.concept])][:MAX_SENSES]
            rungs = self._common_rungs(name, works) if works else []
            if rungs and (len(stated) == 1 or stated[0] in map(comparable, (rung.label for rung in rungs))):
                meant = tuple((name, store.id(sense.concept), sense.probability) for sense in works)
                return Ladder(self._merge_rungs(phrase, rungs, computed), phrase, meant)
        return Ladder(tuple(computed))

    def _listed_rungs(self, phrase: str, type: str, form: str, head: str) -> tuple[Rung, ...]:
        """Return what the inventory of plain labels says of a phrase."""
        inventory = load_inventory(self.language)
        labels = inventory.look_up(phrase, type, head, named=form in NAMES) if inventory else ()
        rungs = tuple(Rung(label, COMPUTED, LISTED) for label in labels)
        is_either = type in ("ORG", "LOC") and form in NAMES and bool(labels) and bool(ALTERNATIVES.search(labels[0]))
        noun = self._own_noun(phrase) if is_either else ""
        return (Rung(noun, COMPUTED, LISTED), *rungs) if noun else rungs

    def _own_noun(self, name: str) -> str:
        """Return the noun that a name begins with and that says what it names: a Juzgado is no juzgado o tribunal."""
        if self.language == "en":
            return ""
        word = name.split()[0].strip(",.;:")
        noun = word.capitalize() if self.language == "de" else word.lower()
        flags = self._lexicon.flags(noun) & (Cue.ORG_HEAD | Cue.PLACE_HEAD)
        is_single = not word.isupper() or len(word) > LONGEST_ACRONYM
        known = bool(flags) and is_single and word.isalpha() and self.is_noun(noun) and " " in name
        gender = noun_gender(noun, self.language) if known else UNKNOWN_GENDER
        article = OWN_ARTICLES[self.language].get(gender, "")
        return f"{article} {noun}" if article and not is_plural(noun, self.language) else ""

    def head_of(self, phrase: str, type: str, *, is_clause: bool = False) -> tuple[str, str]:
        """Return the noun that a description is built on, and what says that it no longer is so; empty of none."""
        return self._head(phrase, type, is_clause)

    def _find_head(self, phrase: str, type: str, is_clause: bool) -> tuple[str, str]:
        tables = load_tables(self.language)
        if tables is None:
            return "", ""
        if type == "DEM":  # Minister for Health
            words = phrase.split(" ")
            phrase = " ".join(word.lower() if self._lexicon.flags(word.lower()) & Cue.ROLE else word for word in words)
        return plain_head(phrase, tables, self.is_noun, is_clause=is_clause)

    def climb_from_head(self, phrase: str, type: str, *, is_clause: bool) -> tuple[Rung, ...]:
        """Return what can be said of a description by its noun: a label that people use, and the noun itself."""
        head, former = self.head_of(phrase, type, is_clause=is_clause)
        if not head:
            return ()
        labels = [rung.label for rung in self._listed(head, type, "common", "")]
        if former:
            labels = [f"{former} {without_article(label)}" for label in labels]
        rungs = [Rung(label, COMPUTED, LISTED) for label in labels]
        last = "" if labels or self.language != "de" else _last_part(head)
        if last:
            rungs.append(Rung(last, COMPUTED, HEAD))  # a Leiterwagen is a Wagen, in the same gender and case
        return (*rungs, Rung(f"{former} {head}" if former else head, COMPUTED, HEAD))

    def is_listed_with_more(self, phrase: str, noun: str) -> bool:
        """Return whether plain labels are known of more of a description than of its noun."""
        return self._listed(phrase, "DEM", "common", "") != self._listed(noun, "DEM", "common", "")

    def is_listed(self, noun: str) -> bool:
        """Return whether the inventory knows what an organization, a place or a thing is that is called so."""
        return any(self._listed(noun, type, "common", "") for type in ("ORG", "LOC", "MISC"))

    def plain_labels(self, noun: str) -> tuple[str, ...]:
        """Return what the inventory says that a thing, an animal or somebody is that is called so."""
        return tuple(rung.label for type in ("MISC", "DEM") for rung in self._listed(noun, type, "common", ""))

    def is_noun(self, word: str) -> bool:
        """Return whether a word is known as a noun, whatever else it is."""
        if is_known_noun(word, self.language) or is_known_noun(self.lemma(word), self.language):
            return True
        if self.language == "de" and word[:1].isupper() and compound_head(word):
            return True
        forms = {word, self.lemma(word)} if word.endswith("s") or self.language != "en" else {word}
        return any(map(self.is_fixed, forms))

    def is_compound_or_noun(self, word: str) -> bool:
        """Return whether a German word is in the dictionary, or a compound of such words."""
        return is_dictionary_noun(word, self.language) or self.is_noun(word)

    def is_fixed(self, phrase: str) -> bool:
        """Return whether words are an entry of the dictionary: American football."""
        store = self.stores.get(WORDNET)
        return store is not None and bool(store.senses(phrase, self.language))

    def _is_attributive(self, phrase: str, context: Context) -> bool:
        """Return whether a word for people stands before what it is said of.

        In the Hindu tradition nobody is a person.
        """
        following = ATTRIBUTED.match(context.after) if self.language == "en" and phrase[:1].isupper() else None
        if not following or self._lexicon.flags(phrase) & Cue.NATIONALITY:
            return False
        return not self._lexicon.flags(following[1]) & (Cue.STOP | Cue.CONNECTOR)

    def _look_up(self, phrase: str, type: str, form: str, head: str, similarity: Similarity | None = None) -> Ladder:
        """Climb from the first form of the phrase that a store knows."""
        tried, is_other = list[str](), False
        for written in self.forms(phrase, type, form, head):
            rungs, meant = list[Rung](), list[tuple[str, str, float]]()
            if self.entries and not is_other:
                is_other = any(self._is_other(longer, written, type) for longer in tried)
                tried.append(written)
            for name, store in self.stores.items():
                if is_other and name in self.entries.stores:
                    continue
                climbed = self._climb_store(name, store, written, type, form, similarity)
                senses, labeled = climbed or ([], [])
                if labeled and not rungs and written.casefold() != phrase.casefold():
                    rungs += self._simpler_form_rung(name, senses, phrase, written)
                known = {comparable(rung.label) for rung in rungs}
                labeled = [replace(rung, is_own=name in self.entries.stores) for rung in labeled]
                rungs += [rung for rung in labeled if comparable(rung.label) not in known]
                meant += [(name, store.id(sense.concept), sense.probability) for sense in senses if labeled]
                if labeled and type in ("LOC", "DEM"):
                    break  # two gazetteers may mean two places of one name, and a people is not its language
            if meant:
                if len({rung.source for rung in rungs}) > 1:
                    rungs.sort(key=lambda rung: -(rung.kept_information or 0))
                elif rungs and rungs[0].source in self._general:
                    del rungs[LONGEST_GENERAL:]  # with a simpler form
                return Ladder(tuple(rungs), written, tuple(meant))
        return Ladder()

    def _climb_store(
        self, name: str, store: Store, written: str, type: str, form: str, similarity: Similarity | None
    ) -> tuple[list[Sense], list[Rung]] | None:
        """Return what one store says of a form of the phrase."""
        senses = self._likely_senses(name, store, written, type, form, similarity)
        if not senses and type == "LOC" and "," in written:
            senses = self._senses_within(name, store, written)[:MAX_SENSES]
        if not senses:
            return None
        rungs = self._common_rungs(name, senses)
        if name in self._general and (form == "common" or type == "DEM"):
            noun = written if form == "common" else written.lower()  # the Treasurer
            labels = {rung.label: rung.concept in TOPS for rung in rungs}
            sure = self._screen.confirmed_of(noun, type, labels, is_open=form == "common")
            rungs = [rung for rung in rungs if rung.label in sure]
        if type == "LOC" and name in self._general:
            known, region_in = self._screen.regions(written), self._screen.region_in
            rungs = [
                rung for rung in rungs
                if (rung.concept in SYNSETS if known is None else region_in(rung.label) in known | {""})
            ]  # fmt: skip
        if type == "DEM":  # where a people lives is not what it is
            rungs = [rung for rung in rungs if rung.kind != LOCATED]
        return senses, rungs

    def _find_by_head(self, phrase: str, type: str) -> Ladder:
        """Climb from the common noun that a name ends in: the Banking Commission is a commission, JKA karate karate."""
        words = phrase.split()
        if self.language != "en" or len(words) < 2 or is_excepted(phrase, type, self.language):
            return Ladder()
        if words[-1].islower() and words[-1].isalpha() and not phrase.islower() and not PREPOSITION.search(phrase):
            others = ALLOWED_CONCEPT_TYPES["MISC"]
            head, allowed = words[-1], others | ALLOWED_CONCEPT_TYPES.get(type, others)
        else:
            words = PREPOSITION.split(phrase)[0].split() or [""]
            head, allowed = words[-1], ALLOWED_CONCEPT_TYPES.get(type, frozenset())
            if not head[:1].isupper() or not self._lexicon.flags(head) & HEADS.get(type, 0):
                return Ladder()
        for name, store in self.stores.items():
            for noun in dict.fromkeys((head.lower(), self.lemma(head.lower()))):
                senses = self._likely_senses(name, store, noun, type if head[:1].isupper() else "", "common", None)
                if senses and all(store.type(sense.concept) in allowed for sense in senses):
                    first = Rung(head.lower(), name, "head", "", 1.0)
                    meant = tuple((name, store.id(sense.concept), sense.probability) for sense in senses)
                    return Ladder((first, *self._common_rungs(name, senses)), noun, meant)
        return Ladder()

    def _senses_within(self, name: str, store: Store, phrase: str) -> list[Sense]:
        """Return the senses of a place that are where the phrase says: Racine, Wisconsin."""
        first, *rest = (part.strip() for part in phrase.split(","))
        if not rest or not all((first, *rest)):
            return []
        around = [{sense.concept for sense in store.senses(part, self.language)} for part in rest]
        senses = store.senses(first, self.language)
        return [
            sense for sense in senses
            if all(any(one.concept in some for one in self._all_broader(name, sense.concept)) for some in around)
        ]  # fmt: skip

    def _simpler_form_rung(self, name: str, senses: Sequence[Sense], phrase: str, written: str) -> list[Rung]:
        """Return a simpler form as a rung of its own; a dictionary form says what the phrase says."""
        if len(written.split()) == len(phrase.split()):
            return []
        information = min(self.stores[name].information(sense.concept) for sense in senses)
        return [Rung(written, name, "simpler", "", self._share_kept(information, information))]

    @staticmethod
    def _merge_rungs(phrase: str, rungs: Sequence[Rung], computed: Sequence[Rung]) -> tuple[Rung, ...]:
        """Put what is computed behind what stores say, each label once, and none that says the phrase itself."""
        labels = {comparable(phrase)}
        types = BARE | {comparable(rung.label) for rung in computed if rung.is_bare}
        merged = []
        for rung in (*rungs, *computed):
            label = comparable(rung.label)
            if rung.kind == PERSON or label not in labels:
                labels.add(label)
                merged.append(replace(rung, is_bare=True) if label in types and not rung.is_bare else rung)
        return tuple(merged)

    def forms(self, phrase: str, type: str, form: str, head: str) -> Iterator[str]:
        """Yield the phrase, its dictionary form, and simpler forms if it is no name."""
        yield phrase
        if type == "DEM" and form == "name" and self.language == "en" and " " in phrase:
            phrase, form, head = PREPOSITION.split(phrase)[0].lower(), "common", ""  # House Minority Leader: a role
        if form != "common":
            return
        for written in (phrase, *simpler_forms(phrase, self.language, head)):
            if written != phrase:
                yield written
            *first, last = written.split() or [""]
            lemma = " ".join((*first, self.lemma(last)))
            if lemma != written:
                yield lemma

    def _likely_senses(
        self, name: str, store: Store, phrase: str, type: str, form: str, similarity: Similarity | None
    ) -> list[Sense]:
        """Return the likely senses that the type allows."""
        senses = store.senses(phrase, self.language)
        if name in self._general:
            above = self._ids_above(name, [sense.concept for sense in senses])
            senses = self._screen.screen(store, phrase, type, senses, above, is_name=form in NAMES)
            if type == "LOC":
                senses = [sense for sense in senses if self._is_where_it_is(name, phrase, sense.concept)]
            if type == "DEM" and self._lexicon.flags(phrase) & Cue.NATIONALITY:  # an Irish actor is no language
                senses = [
                    sense for sense in senses
                    if store.type(sense.concept) == type and LANGUAGE not in above[sense.concept]
                ]  # fmt: skip
        if form == "common" and phrase.islower():  # the economy is not Economy, Pennsylvania
            senses = [sense for sense in senses if not self._is_named_place(store, sense.concept)]
            if self.language == "en":  # Masters may mean the poet of that name, but not in small letters
                senses = [sense for sense in senses if self._is_common(store, sense.concept)]
        allowed = ALLOWED_CONCEPT_TYPES.get(type)
        words = PREPOSITION.split(phrase)[0].split()
        if type == "DEM" and words and self._lexicon.flags(words[-1]) & Cue.ROLE:
            allowed = ALLOWED_CONCEPT_TYPES["DEM" if name in self._general else "PERSON"]
        elif type == "ORG" and self._lexicon.flags(phrase) & Cue.COUNTRY:
            allowed = ALLOWED_CONCEPT_TYPES["ORG"] | ALLOWED_CONCEPT_TYPES["LOC"]  # a country that acts, or plays
        elif type == "MISC" and form == "common" and name in self._general:
            allowed = ALLOWED_CONCEPT_TYPES["MISC"] - {"DEM"}  # screenwriting is nobody
        if allowed is not None and name in self.entries.stores:
            allowed |= {""}
        fitting = [sense for sense in senses if allowed is None or store.type(sense.concept) in allowed]
        # Where what usually is meant is of another type, the type may be wrong: then all must be true.
        if name in self._general:
            senses = fitting or self._of_another_type(store, phrase, type, form, senses)
        elif form != "common" or sum(sense.probability for sense in fitting) >= MIN_TYPE_PROBABILITY:
            senses = fitting
        if not senses:
            return []
        if type == "LOC" and len(senses) > 1:  # Orsa is Orsa in Sweden before it is Orsha in Belarus
            senses = sorted((self._unless_alias(store, phrase, sense) for sense in senses), key=unlikely)
        if similarity is not None and len(senses) > 1:
            senses = self._weigh_by_context(name, senses, similarity)
        total = sum(sense.probability for sense in senses)
        likely = _likely(senses)
        if type == "LOC" and len(senses) > len(likely) and not any(self._is_at_home(name, sense) for sense in likely):
            known = (sense for sense in senses if sense.probability >= MIN_AT_HOME * total)
            if at_home := next((sense for sense in known if self._is_at_home(name, sense)), None):
                likely = [*likely[: MAX_SENSES - 1], at_home]
        return likely[:MAX_SENSES]

    def _of_another_type(self, store: Store, phrase: str, type: str, form: str, senses: Sequence[Sense]) -> list[Sense]:
        """Return what a store of the world at large calls by exactly this name: the type of the phrase may be wrong."""
        if form not in NAMES or type not in MISTAKEN or phrase.isupper():
            return []
        return [
            sense for sense in senses
            if store.type(sense.concept) in MISTAKEN and self._screen.is_named_so(store, sense.concept, phrase)
        ]  # fmt: skip

    def _is_where_it_is(self, name: str, phrase: str, concept: int) -> bool:
        """Return whether its classes name no region but those that the place may be in: a city of the United States."""
        known = self._screen.regions(phrase)
        if known is None:
            return True  # and then only what all places of the name are is said of it
        if self._screen.is_town_and_region(phrase) and TOWN not in self._ids_above(name, (concept,))[concept]:
            return False
        nearest = (broad for broad in self._all_broader(name, concept) if broad.distance == 1)
        above = (self._named(broad.source, broad.concept) for broad in nearest)
        regions = {self._screen.region_in(named.label) for named in above if named}
        return regions - {""} <= known

    def _ids_above(self, name: str, concepts: Iterable[int]) -> dict[int, list[str]]:
        """Return the ids of concepts, and of what their store has above them, the nearest first."""
        id = self.stores[name].id
        return {
            concept: [id(concept), *(id(place) for _, place in self._broader_in_store(name, concept))]
            for concept in concepts
        }

    def _is_at_home(self, name: str, sense: Sense) -> bool:
        """Return whether a place is where the language comes from: Cuenca may be that of Spain, however small."""
        home = HOMES.get(self.language, frozenset())
        above = (self._named(broad.source, broad.concept) for broad in self._all_broader(name, sense.concept))
        return bool(home) and any(named is not None and named.label in home for named in above)

    def _is_common(self, store: Store, concept: int) -> bool:
        return not (store.label(concept, self.language) or "")[:1].isupper()

    def _is_named_place(self, store: Store, concept: int) -> bool:
        return store.type(concept) == "LOC" and (store.label(concept, self.language) or "")[:1].isupper()

    def _unless_alias(self, store: Store, phrase: str, sense: Sense) -> Sense:
        known_as = key(store.label(sense.concept, self.language) or "")
        return sense if known_as == key(phrase) else Sense(sense.concept, sense.probability * ALIAS_FACTOR)

    def _weigh_by_context(self, name: str, senses: list[Sense], similarity: Similarity) -> list[Sense]:
        """Weigh senses by how near what is above them is to the context."""
        weighed = []
        for sense in senses:
            above = self._all_broader(name, sense.concept)[:5]
            labels = [named.label for broad in above if (named := self._named(broad.source, broad.concept))]
            near = [value for value in similarity(labels) if value == value] if labels else []
            weighed.append(Sense(sense.concept, sense.probability * CONTEXT_FACTOR ** max(near, default=0.0)))
        return sorted(weighed, key=unlikely)

    def _common_rungs(self, name: str, senses: Sequence[Sense]) -> list[Rung]:
        """Return what is broader than all of the senses, what says most first."""
        above = [
            {(broad.source, broad.concept): broad for broad in self._all_broader(name, sense.concept)}
            for sense in senses
        ]
        # A sense may be above the others: a bank as a building is one as a company's.
        for sense, ones in zip(senses, above, strict=True):
            ones.setdefault((name, sense.concept), _BroaderConcept(name, sense.concept, "itself"))
        shared = set(above[0]).intersection(*above[1:])
        if len(senses) == 1:
            shared.discard((name, senses[0].concept))
        least = min(self.stores[name].information(sense.concept) for sense in senses)
        order = {broad: place for place, broad in enumerate(above[0])}
        rungs, ranks = dict[str, Rung](), dict[str, tuple[float, ...]]()
        for broad in sorted(shared, key=order.__getitem__, reverse=True):
            if named := self._named(*broad):
                kept = self._share_kept(named.information, least)
                rungs[named.bare] = Rung(named.label, broad[0], above[0][broad].kind, named.id, kept)
                is_top = named.id in TOPS
                distance = max(ones[broad].distance for ones in above)
                ranks[named.bare] = (is_top, not named.is_plain, distance, -kept)
        if name not in self._general:
            return sorted(rungs.values(), key=lambda rung: -(rung.kept_information or 0))
        # Of what the world knows, what is near says more than what is rare; what is far is no longer sure.
        main = (self.stores[name].label(sense.concept, self.language) or "" for sense in senses)
        nearest = [rungs[bare].label for bare in rungs if ranks[bare][2] <= 1]
        far = [rungs[bare].label for bare in rungs if ranks[bare][2] <= FARTHEST]
        sure = self._screen.confirmed((*nearest, *main), far)
        near = [bare for bare, rung in rungs.items() if rung.label in (*nearest, *sure) or rung.concept in SYNSETS]
        if any(not ranks[bare][1] for bare in near):
            near = [bare for bare in near if not ranks[bare][1]]
        return [rungs[bare] for bare in sorted(near, key=ranks.__getitem__)[:LONGEST_GENERAL]]

    @staticmethod
    def _share_kept(information: float, whole: float) -> float:
        return round(min(information / whole, 1.0), 4) if whole > 0 else 0.0

    def _find_all_broader(self, name: str, concept: int) -> tuple[_BroaderConcept, ...]:
        """Return all that is broader than a concept, the nearest first; other stores go on from ids that they have."""
        distances = self._broader_in_store(name, concept)
        for other in self.stores:
            # Each store is entered once: two that each go on in the other would never end.
            for reached in list(distances.values()) if other != name else ():
                same = None if reached.source == other else self._shared(reached.source, other).get(reached.concept)
                if same is not None:
                    further_up = self._broader_in_store(other, same).values() if reached.kind != LOCATED else ()
                    for above in (_BroaderConcept(other, same, reached.kind), *further_up):
                        further = above._replace(distance=reached.distance + above.distance)
                        distances.setdefault((above.source, above.concept), further)
        return tuple(distances.values())

    def _broader_in_store(self, name: str, concept: int) -> dict[tuple[str, int], _BroaderConcept]:
        """Return all that one store knows to be broader, the nearest first."""
        links, reached = self._links, dict[tuple[str, int], _BroaderConcept]()
        waiting = deque([(concept, False, 0)])
        while waiting and len(reached) < MAX_RUNGS:
            concept_number, inside, distance = waiting.popleft()
            for link in links(name, concept_number):
                # What is in a country is no country: from there on only what it is in as well is true.
                within = link.kind == LOCATED
                if (inside and not within) or link.concept == concept:
                    continue
                if distance and link.kind == INSTANCE and name in self._general:
                    continue  # what is of a class is not what the class is an instance of
                if (name, link.concept) not in reached:
                    reached[name, link.concept] = _BroaderConcept(name, link.concept, link.kind, distance + 1)
                    waiting.append((link.concept, within, distance + 1))
        return reached

    def _broader_ids(self, name: str, id: str) -> frozenset[tuple[str, str]]:
        """Return the sources and ids of all that is broader than a rung."""
        concept = self.stores[name].find(id) if id and name in self.stores else None
        above = () if concept is None else self._all_broader(name, concept)
        return frozenset((one.source, self.stores[one.source].id(one.concept)) for one in above)

    def _links_up(self, name: str, concept: int) -> list[Link]:
        return [link for link in self.stores[name].broader(concept) if link.kind in UPWARD_LINKS]

    def _name_concept(self, name: str, concept: int) -> _NamedConcept | None:
        """Return the label of a concept; `None` where it is hidden, or has no name in the language."""
        store = self.stores[name]
        label = None if store.hidden(concept) else store.label(concept, self.language)
        if label and name == WORDNET and (inventory := load_inventory(self.language)):
            label = inventory.label(label)
        is_plain = True
        if label and name in self._general:
            above = self._ids_above(name, (concept,))[concept]
            label, is_plain = self._screen.plainest(store, concept, above) or (None, False)
        if label is None:
            return None
        return _NamedConcept(label, comparable(label), store.information(concept), store.id(concept), is_plain)


def _is_dated_title(phrase: str, context: Context) -> bool:
    """Return whether a name is followed by a year as a film is: Office Space (1999), and not at Wren Clinic (2004)."""
    return " " in phrase and bool(YEAR_BEHIND.match(context.after)) and not context.before.endswith(" at ")


def _likely(senses: Sequence[Sense]) -> list[Sense]:
    """Return the senses that are likely enough for what is said to be true of them."""
    total = sum(sense.probability for sense in senses)
    return [sense for sense in senses if sense.probability >= MIN_PROBABILITY * total] or list(senses[:1])


def _of_type(store: Store, senses: Sequence[Sense], type: str) -> Sequence[Sense]:
    """Return the senses that a type allows; all, if none is of it: what a phrase is taken for may be wrong."""
    allowed = ALLOWED_CONCEPT_TYPES.get(type, frozenset((type,))) | {""}
    return [sense for sense in senses if not type or store.type(sense.concept) in allowed] or senses


def _last_part(noun: str) -> str:
    """Return the noun that a German compound ends in; empty of what is none."""
    before, _, last = noun.rpartition("-")
    if not before and word_share(noun, "de") > 0:
        return ""  # a Handschuh is no Schuh
    return last if before and last.istitle() else compound_head(noun)


def named_entries(names: Sequence[str], language: str) -> Entries:
    """Return the entries of the stores among these that a user names; none of shipped ones, which are not opened."""
    return climber(tuple(names), language).entries if set(names).difference(SHIPPED) else _no_entries(language)


@lru_cache(maxsize=16)
def _no_entries(language: str) -> Entries:
    return Entries({}, language)


@lru_cache(maxsize=16)
def climber(names: Sequence[str] = SHIPPED, language: str = "en") -> Climber:
    """Return what climbs taxonomies, in this order, in a language."""
    known, named = dict[str, Store](), list[str]()
    for name in names:
        short = Path(name).name
        short = name if short in known or not short else short
        known[short] = open_taxonomy(name)
        if name not in SHIPPED and known[short].is_authored:
            named.append(short)
    return Climber(known, language, named)
