"""Choose the replacement of each risky phrase: the most specific true generalization that is harmless and fits.

Where no rung of its ladder is left, brackets say what stood there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from embanon.config import METHODS, RiskLimits
from embanon.document import Phrase
from embanon.entities import PROJECT_NOUNS, Entity
from embanon.language import Cue, Lexicon, key
from embanon.replace.attributes import leave_out
from embanon.replace.called import (
    fit_as_written,
    fit_determined,
    fit_instead_of,
    indefinite_ahead,
    is_bound,
    is_determined,
)
from embanon.replace.checks import SAFE, WORD, LabelRisk, LabelTest, collect_forbidden
from embanon.replace.deeds import is_sentence
from embanon.replace.edges import OVER, Edges, genitive_of
from embanon.replace.edit import (
    NO_LADDER,
    SUPPRESSION_MARK,
    Edit,
    ScreenedLadder,
    mask_characters,
)
from embanon.replace.grammar import (
    FittedLabel,
    Slot,
    fit_label,
    keep_noun,
    strip_person_article,
    without_article,
)
from embanon.replace.grammar.cases import is_case_known
from embanon.replace.merging import (
    ADDRESS,
    LIST_SEPARATOR,
    POSTCODE,
    closing_of_aside,
    continues_address,
    merge_into_list,
    repeats_in_list,
    surrounds_byname,
)
from embanon.replace.methods import SURROGATE_METHODS, Methods
from embanon.replace.naming import (
    ELLIPSIS,
    NUMBERED_TYPES,
    ExistingPlaceholders,
    Naming,
    as_another,
    placeholder_pattern,
)
from embanon.replace.ordinary import NAMELIKE, is_clause
from embanon.replace.screen import BARE_PLACES, PLAIN_RUNGS, LadderScreen, is_proper
from embanon.replace.slots import SLOT_CONTEXT, build_slot, is_salutation
from embanon.replace.surrogates import Surrogates
from embanon.replace.surrogates.codes import mask_with_checksum
from embanon.risk import TOPIC, PhraseScorer, Rarity, ScoredPhrases, compared_names, phrase_spans
from embanon.taxonomy import ADJECTIVE, COMPUTED, HEAD, MORE, STAGE, Climber, Rung
from embanon.text import AGE, DEFAULT_KINDS, is_guess

DEFINITE_BEFORE: Final = re.compile(
    r"\b(?:the|el|la|los|las|del|al|o|a|os|as|do|da|dos|das|no|na|ao|à|der|die|das|dem|den|im|am|vom|zum|zur) $",
    re.IGNORECASE,
)
LABEL_BEFORE: Final = re.compile(r"([^\W_][^\s:]*)[ \u00a0]$")
CODE_LABELS: Final = int(Cue.CODE_HEAD | Cue.NUMBER_MARK | Cue.REFERENCE)
AGED: Final = re.compile(r"\bold\b|jähr")
"""In an age that stands for somebody: a 45-year-old."""
SECOND: Final = 2
SEVERAL: Final = frozenset(("several", "many", "a few"))
UNSAID_KINDS: Final = frozenset((AGE, "MISC.work", "LOC.address", "LOC.postcode"))
"""Kinds of which nothing is said where only the kind is left."""
NUMBERS: Final = frozenset(f"CODE.{kind}" for kind in "phone plate account-number case-number id-number".split())
"""Kinds of codes that are called numbers where it is said before them of what."""
NEXT_WORDS: Final = re.compile(r"[^\W\d_]+")
PEOPLE: Final = int(Cue.ROLE | Cue.KIN | Cue.DEM)
PROJECT: Final = "MISC.project"
PROJECT_HEAD: Final = re.compile(rf"\b(?:{'|'.join(PROJECT_NOUNS)}) ", re.IGNORECASE)
SAID_TYPES: Final = frozenset(("PERSON", "ORG", "LOC"))
"""Types that who is protected may be said to be of."""
DEED: Final = "deed"
KEEP: Final = "keep"
WORDLESS: Final = frozenset(("suppress", "mask"))
"""Methods whose marks are no words."""
SIMILARITY_CONTEXT: Final = 240
SURELY_SOMEBODY: Final = 0.7
"""From this risk on, a German noun that no person has for a name is somebody all the same."""
LIMITED: Final = re.compile(
    r"\b(?:bis(?: zu)?|hasta|até|up to|less than|under|below|at most|no more than|nearly|almost|barely|unter"
    r"|weniger als|höchstens|maximal|fast|knapp|kaum|menos de|como mucho|casi|quase|no máximo) $",
    re.IGNORECASE,
)
"""Before a number that is no less, or no more."""
TURNS: Final = re.compile(
    r"\b(?:cumpl\w*|complet\w*|fez|faz|fazia|fizera|fará|m[ae][yi]or(?:es)? de|menor(?:es)? de|m[aá]i?s de"
    r"|al?os|desde l?os|con los) $",
    re.IGNORECASE,
)
PART_BEFORE: Final = re.compile(r"\b(?:antes|después|depois) d(?:e|el|o|a) $", re.IGNORECASE)
PART_LABEL: Final = re.compile(r"(?:a |o )?(?:principios|mediados|finales|início|meados|final) ")
BELOW: Final = re.compile(r"menos de |entre ")
"""What somebody does on a day, or is more than, and an age that is no such: cumplió 16 años."""
ADDRESSES: Final = frozenset((ADDRESS, POSTCODE))
EMAIL: Final = "CODE.e-mail"
CLAUSE_OPENS: Final = re.compile(
    r",( )(?:who|which|that|que|quem|(?:der|die|das|dem|den)(?: (?:der|die|das|dem|den|ein|eine|einen))?) $"
    r"|(?:^|(?<=[.:;!?] ))()(?:I|he|she|we|they|you|ich|er|sie|wir|yo|él|ella|eu|ele|ela) $",
    re.IGNORECASE,
)
"""What goes with the clause behind it that is left out."""
ARTICLE_OF_CLAUSE: Final = re.compile(
    r"()\b(?:the|an?|el|l[ao]s?|un[ao]?s?|os|as|uma?|d(?:er|ie|as|en|em)|eine?[nmr]?|me|se|yo|eu)"
    r"(?: (?:l[ao]s?|se))? $",
    re.IGNORECASE,
)
"""An article or a pronoun that says nothing alone: los […], y la […]."""
ARTICLE_BEFORE: Final = re.compile(r"\b(the|el|la|o|a|der|die|das|den|dem) (?:([^\W\d_]+) )?$")
SALUTATION: Final = re.compile(r"\b(?:[Ss]ehr )?(?:geehrter?|[Ll]ieber?) $")
GERMAN_TITLE: Final = re.compile(r"(?:Herr|Frau) ")
"""Behind *Sehr geehrter*, what nobody leaves out."""
DATELINE: Final = re.compile(r", (?:(?:the|den|a|am|em|el|aos) )?")


@dataclass(frozen=True, slots=True)
class Replacer:
    """Replaces risky phrases in texts of one language."""

    climber: Climber
    rarity: Rarity
    limits: RiskLimits
    methods: Methods = field(default_factory=Methods)
    similarity: PhraseScorer | None = None
    """What compares originals and replacements with protected names, where that is what counts."""
    label_risk: LabelRisk = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Judge labels by the same rarity and limits."""
        object.__setattr__(self, "label_risk", LabelRisk(self.rarity, self.limits))

    def plan_edits(
        self, text: str, scored: ScoredPhrases, sentences: Sequence[int], protect: Sequence[Entity], before: Any = None,
        tests: Sequence[LabelTest] = (),
    ) -> list[Edit]:  # fmt: skip
        """Choose the edits of a text, in order and without overlap.

        `before` are those of an earlier run; labels pass `tests` of what they tell an attacker, or of a topic.
        """
        hidden = collect_forbidden(scored, protect, self.climber.language, tests)
        phrases = _typed_as_protected(text, scored, protect)
        label_risk = self.label_risk
        if self.similarity is not None:
            names = compared_names(protect, text, () if protect else scored.people)
            label_risk = replace(label_risk, similarity=self.similarity, names=names)
        screen = LadderScreen.for_text(text, phrases, self.climber, label_risk, self.limits, hidden)
        made_up = bool(self.methods.in_use & SURROGATE_METHODS)
        surrogates = Surrogates(text, self.methods, self.climber, self.label_risk, hidden, protect) if made_up else None
        existing = ExistingPlaceholders.from_text(text, before)
        named = scored.named.tolist()

        def stays(place: int) -> bool:
            """Return whether a phrase stays whatever its risk: a name of somebody only where it labels a field."""
            phrase = phrases[place]
            if self.similarity is not None:
                return _is_existing_placeholder(text, phrase, existing)
            if named[place]:
                return not protect and screen.ordinary.is_field_label(phrase)
            if screen.entry_ladder(phrase).harmless:  # the user says what it is
                return _is_existing_placeholder(text, phrase, existing) or screen.ordinary.is_field_label(phrase)
            if scored.risk[place] < SURELY_SOMEBODY and screen.ordinary.is_thing_for_person(phrase):
                return True
            is_placeholder = _is_existing_placeholder(text, phrase, existing)
            return is_placeholder or screen.ordinary.is_field_label(phrase) or screen.ordinary.is_harmless(phrase)

        risky = [place for place in np.flatnonzero(scored.at_least(self.limits)).tolist() if not stays(place)]
        # What is broader than a topic tells of it: diagnosed a nervous disorder.
        owners = scored.owner.tolist()
        topical = frozenset(
            place for place in risky
            if named[place] and (_is_topic(owners[place], protect) or phrases[place].kind == PROJECT)
        )  # fmt: skip
        plan = _Plan(
            text, scored, phrases, risky, self.methods, screen, topical, surrogates, frozenset(sentences), existing
        )
        for place in risky:
            plan.add(place)
        return plan.edits if self.similarity is None else [plan.seal(edit) for edit in plan.edits]


@dataclass(slots=True, eq=False)
class _Plan:
    """The edits of a text, as far as they are chosen."""

    text: str = field(repr=False)
    scored: ScoredPhrases = field(repr=False)
    phrases: list[Phrase] = field(repr=False)
    risky: list[int]
    """The numbers of the phrases to replace."""
    methods: Methods
    screen: LadderScreen
    topical: frozenset[int]
    """Those that name a topic."""
    surrogates: Surrogates | None
    sentence_starts: frozenset[int]
    existing: ExistingPlaceholders
    edits: list[Edit] = field(default_factory=list)
    last: tuple[FittedLabel, Phrase] | None = None
    merged: dict[int, int] = field(default_factory=dict)
    """Groups that are said with another one, and with which."""
    tags: dict[str, str] = field(default_factory=dict, repr=False)
    """The numbered tag of each name, folded."""
    method_of: dict[int, str] = field(init=False)
    edges: Edges = field(init=False)
    naming: Naming = field(init=False)
    mentions: Counter[int] = field(init=False)
    """How often each group is replaced."""
    sure_people: set[int] = field(init=False)
    """Groups of which at least one phrase is surely a person."""
    numbers: dict[int, tuple[str, int]] = field(init=False)
    unnumbered: set[int] = field(init=False)
    """Groups whose number is none of a person, as they are called by their entry."""
    longest: dict[int, str] = field(init=False)
    ladders: dict[tuple[int, str], ScreenedLadder] = field(init=False)
    entries: dict[tuple[int, str], list[tuple[frozenset[str], ScreenedLadder]]] = field(init=False)
    """What the user's stores say of the phrases of a group that they know, with the words of each."""

    def __post_init__(self) -> None:
        """Number the groups, and climb from them."""
        phrases, groups, risky = self.phrases, self.groups, self.risky
        self.mentions = Counter(groups[place] for place in risky)
        self.naming = Naming(self.screen.climber.language, self.existing.highest)
        self.edges = Edges(self.text, self.screen.climber.language, self.screen.ordinary.is_weekday)
        self.method_of = {place: self.methods.method_for(phrases[place].type, phrases[place].kind) for place in risky}
        generalized = [place for place in risky if self.method_of[place] == "generalize"]
        people = [place for place in risky if phrases[place].type == "PERSON"]
        self.sure_people = {groups[place] for place in people if not is_guess(phrases[place].kind)}
        self.entries = {}
        for place in generalized:
            if (ladder := self.screen.entry_ladder(phrases[place])).harmless:
                known = self.entries.setdefault((groups[place], phrases[place].type), [])
                known.append((self.screen.words_of(phrases[place]), ladder))
        entered = {
            place for place in generalized
            if any(self._has_known_case(phrases[place], rung.label) for rung in self._entry_ladder(place).harmless)
        }  # fmt: skip
        unentered = {groups[place] for place in risky if place not in entered}
        entered = {place for place in entered if groups[place] not in unentered}
        nameless = {place for place in people if groups[place] not in self.sure_people}.intersection(generalized)
        if self.screen.label_risk.similarity is None:  # else a rung may be refused where it stands
            nameless |= entered
        self.numbers = _assign_numbers(groups, phrases, risky, self.existing, nameless)
        self.unnumbered = {groups[place] for place in entered if place in nameless}
        self.longest = _longest_names(self.text, self.scored, groups) if self.surrogates else {}
        named = [(place, groups[place], self.screen.sayable(phrases[place]).type) for place in generalized]
        self.ladders = _ladders_by_group(named, self._own_ladder)

    @property
    def groups(self) -> Sequence[int]:
        """The number that phrases share that mean the same."""
        return self.scored.groups.numbers

    def add(self, place: int) -> None:
        """Choose the edit of a phrase, or let the last one stand for it as well."""
        if self.edits and self.phrases[place].end <= self.edits[-1].end:
            return  # went with what stands before it
        phrase, group, fit, ladder = self.phrases[place], self.groups[place], *self._fit(place)
        risk, owner = _known(float(self.scored.risk[place])), int(self.scored.owner[place])
        if self.edits and self.last and repeats_in_list(self.text, self.edits[-1], self.last, fit, phrase):
            self.merged[group] = self._merged(self.edits[-1].group)
            self.edits[-1] = merge_into_list(self.edits[-1], phrase.end, risk, owner)
            return
        if surrounds_byname(self.text, self.edits, fit):
            self.edits.pop()
        if self.edits and (closing := closing_of_aside(self.text, self.edits[-1], fit, phrase)):
            self.edits[-1] = merge_into_list(self.edits[-1], closing, risk, owner)
            return
        is_own = 0 <= fit.rung_index < len(ladder.harmless) and ladder.harmless[fit.rung_index].is_own
        if not is_own and self.edits and continues_address(self.text, self.edits[-1], self.last, fit, phrase):
            self._extend_address(fit, phrase, risk, owner)
            return
        stays = fit.rung == HEAD and fit.text == _written(self.text, phrase)  # nothing tells but what is gone
        if stays and self.screen.label_risk.similarity is None:
            return
        end = phrase.end
        if fit.rung not in METHODS:
            fit, end = self.edges.fit(phrase, fit, self.edits[-1].end if self.edits else 0)
        self.last = fit, phrase
        if fit.needs_number:
            self.naming.note(fit.label, self._merged(group))
        self.edits.append(Edit(
            fit.start, end, fit.text, risk, fit.risk, phrase.type, owner, fit.rung, group, ladder,
            fit.rung_index,
        ))  # fmt: skip

    def seal(self, edit: Edit) -> Edit:
        """Return an edit with its similarity to protected names; at or above the limit, or unknown, it is but marks."""
        if edit.rung == KEEP:
            return edit
        around = self._around(edit.start, edit.end)
        is_made_up, similarity_of = edit.rung in SURROGATE_METHODS, self.screen.label_risk.similarity_of
        value = 0.0 if edit.rung in WORDLESS else similarity_of(edit.replacement, around, is_made_up=is_made_up)
        if value is None and is_made_up:
            value = 0.0  # what is made up stands in no text
        if value is not None and value < self.screen.limits.for_type(edit.type):
            return replace(edit, replacement_risk=value)
        return replace(edit, replacement=SUPPRESSION_MARK, replacement_risk=0.0, rung="suppress", rung_index=-1)

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self.text[max(0, start - SIMILARITY_CONTEXT) : start], self.text[end : end + SIMILARITY_CONTEXT]

    def _unless_similar(self, fit: FittedLabel, phrase: Phrase, label: str) -> FittedLabel | None:
        """Return a label with its similarity to protected names, if that is what counts and is below the limit."""
        if self.screen.label_risk.similarity is None:
            return fit
        value = self.screen.label_risk.similarity_of(fit.text, self._around(fit.start, phrase.end), label)
        is_below = value is not None and value < self.screen.limits.for_type(phrase.type)
        return replace(fit, risk=value or 0.0) if is_below else None

    def _extend_address(self, fit: FittedLabel, phrase: Phrase, risk: float | None, owner: int) -> None:
        """Let one label stand for a postcode and its town, or for an address and its town."""
        last, known = self.edits[-1], self.last
        takes_over = last.type != "LOC" or (known is not None and known[1].kind == POSTCODE)
        changed = merge_into_list(last, phrase.end, risk, owner)
        if takes_over and phrase.kind != POSTCODE:
            changed = replace(changed, replacement=fit.text, replacement_risk=fit.risk, type=phrase.type, rung=fit.rung)
            self.last = fit, phrase
        self.edits[-1] = changed

    def _merged(self, group: int) -> int:
        return self.merged.get(group, group)

    def _fit(self, place: int) -> tuple[FittedLabel, ScreenedLadder]:
        """Return what stands for a phrase, and the ladder that it was chosen from."""
        phrase, group, method = self.phrases[place], self.groups[place], self.method_of[place]
        number = self.numbers[group]
        if fit := _fit_without_context(self.text, phrase, method, number, self.methods):
            return fit, NO_LADDER
        entered = self._entry_ladder(place) if method == "generalize" else NO_LADDER
        if entered.harmless and (fit := self._fit_entry(place, entered)):
            return fit, entered
        if group in self.unnumbered:  # refused where it stands
            self.unnumbered.discard(group)
            others = [count for other, (type, count) in self.numbers.items() if type == number[0] and other != group]
            number = self.numbers[group] = number[0], max((*others, self.existing.highest.get(number[0], 0))) + 1
        fit, ladder = self._fit_unentered(place, number)
        is_listed = not entered.rungs or any(rung.is_own for rung in ladder.rungs)
        return fit, ladder if is_listed else replace(ladder, rungs=(*entered.rungs, *ladder.rungs))

    def _fit_unentered(self, place: int, number: tuple[str, int]) -> tuple[FittedLabel, ScreenedLadder]:
        """Return what stands for a phrase that the user's stores have no rung for."""
        phrase, group, method = self.phrases[place], self.groups[place], self.method_of[place]
        is_person = phrase.type == "PERSON" and (group in self.sure_people or not is_guess(phrase.kind))
        person = self._fit_person(phrase, number[1])
        if is_person and method == "generalize":
            return person, NO_LADDER
        slot = self._slot(place)
        if self.surrogates and method in SURROGATE_METHODS:
            owner, who = int(self.scored.owner[place]), self.scored.groups.people.get(group)
            if fit := self.surrogates.for_slot(method, slot, owner, who, self.longest[group]):
                return fit, NO_LADDER
        return (person, NO_LADDER) if is_person else self._generalize(place, slot)

    def _slot(self, place: int) -> Slot:
        near = self.phrases[max(0, place - 1) : place + 2]
        last = self.edits[-1] if self.edits else None
        return build_slot(self.text, near, self.phrases[place], last, self.sentence_starts)

    def _entry_ladder(self, place: int) -> ScreenedLadder:
        """Return what the user's stores say of a phrase, or of a longer one that means the same.

        What they have of Tom Hollis goes for Hollis as well; what they have of Hollis, for no Tom Hollis.
        """
        phrase = self.phrases[place]
        exact, others = self.screen.entry_ladder(phrase), self.entries.get((self.groups[place], phrase.type), ())
        if exact.harmless or not others:
            return exact
        words = self.screen.words_of(phrase)
        return next((ladder for known, ladder in others if _are_among(words, known)), exact)

    def _fit_entry(self, place: int, ladder: ScreenedLadder) -> FittedLabel | None:
        """Fit what the user calls a phrase, the first that may be said; where no grammar can, as it is written."""
        slot, group = self._slot(place), self._merged(self.groups[place])
        if slot.phrase.type == "PERSON" and is_salutation(slot.before, slot.after, self.screen.climber.language):
            slot = replace(slot, stands_alone=True)  # Dear engineer
        for number, rung in enumerate(ladder.harmless):
            for fit in self._entry_fits(slot, rung, group):
                if below := self._unless_similar(fit, slot.phrase, rung.label):
                    return replace(below, rung_index=number)
        return None

    def _entry_fits(self, slot: Slot, rung: Rung, group: int) -> Iterator[FittedLabel]:
        """Yield how a rung of the user's may stand in its sentence, the best first; if none can, as it is written."""
        language = self.screen.climber.language
        if not self._has_known_case(slot.phrase, rung.label):
            return
        risk = self.screen.risk_of(rung, ())
        if article := indefinite_ahead(slot, rung.label, language):
            if not article[1] and len(article[0]) <= slot.editable_before:  # has a cold: has infections of the lung
                yield replace(fit_instead_of(article[0], slot, rung.label), rung=rung.kind, risk=risk)
            return
        determined = is_determined(rung.label, language)
        fits = [] if determined else list(self._fits(slot, (rung,), group))
        if fits:
            yield from fits
            return
        fit = fit_determined(slot, rung.label, language) if determined else None
        if fit is None and determined and is_bound(slot, language):
            return  # the beautiful our site
        yield replace(fit or fit_as_written(slot, rung.label), rung=rung.kind, risk=risk)

    def _has_known_case(self, phrase: Phrase, label: str) -> bool:
        """Return whether the case is known in which a label for a person is to stand; of other phrases it has to be."""
        if phrase.type != "PERSON" or phrase.form not in ("name", "title") or self.screen.climber.language != "de":
            return True
        if genitive_of(self.text, phrase.end, _written(self.text, phrase), "de")[0]:
            return False
        return is_case_known(self.text[max(0, phrase.start - SIMILARITY_CONTEXT) : phrase.start], label)

    def _fit_person(self, phrase: Phrase, number: int) -> FittedLabel:
        """Return a person's number, without the article that names may have: o Beto is Pessoa 2."""
        free = self.edits[-1].end if self.edits else 0
        written = self.text[max(free, phrase.start - SLOT_CONTEXT) : phrase.start]
        name = _written(self.text, phrase)
        absorbed, before = strip_person_article(written, self.screen.climber.language, name)
        title = GERMAN_TITLE.match(name) if SALUTATION.search(written) else None
        text = f"{before}{title[0] if title else ''}{self.naming.person(number)}"
        return FittedLabel(phrase.start - absorbed, text, "person", SAFE)

    def _generalize(self, place: int, slot: Slot) -> tuple[FittedLabel, ScreenedLadder]:
        """Return the most specific harmless label that fits, else what stands in brackets."""
        phrase, group = self.screen.sayable(self.phrases[place]), self.groups[place]
        ladder = self.ladders.get((group, phrase.type), NO_LADDER)
        if not ladder.harmless:
            ladder = self.ladders[group, phrase.type] = self._own_ladder(place)
        slot = replace(slot, phrase=phrase, head=self.screen.head_of(phrase) or slot.head)
        rungs = () if phrase.type == "LOC" and self._opens_dateline(place) else ladder.harmless
        if phrase.type == "CODE":  # passport [number] reads better than passport a number
            rungs = tuple(rung for rung in rungs if rung.source != COMPUTED)
            is_said = slot.stands_alone or _repeats_its_label(slot, self.screen.climber.language)
            phrase = replace(phrase, kind=DEFAULT_KINDS["CODE"]) if is_said and phrase.kind in NUMBERS else phrase
        deed = self._fit_deed(phrase) if is_clause(phrase) else None
        if deed and "," not in slot.written:
            return deed, ladder
        fit = self._fit_one_of_many(slot, rungs, group) or self._fit_first_rung(slot, rungs, self._merged(group))
        says_kind = fit is not None and not rungs[fit.rung_index].is_bare
        if not says_kind and phrase.type in NAMELIKE and phrase.kind not in ADDRESSES:
            fit = leave_out(slot, self.screen.climber, self.screen.may_say) or fit
        if fit and fit.rung == HEAD and is_clause(phrase) and is_sentence(slot.written, self.screen.climber.language):
            fit = replace(fit, text=f"{fit.text} {ELLIPSIS}")  # mi padre […], and not: mi padre
        if fit:
            return fit, ladder
        if deed := deed if is_clause(phrase) else self._fit_deed(phrase):
            return deed, ladder
        if is_clause(phrase) and (fit := _leave_out_clause(slot)):
            return fit, ladder
        if phrase.kind == EMAIL and slot.before.endswith("<") and slot.after.startswith(">"):  # of a message's header
            address = self.naming.address(slot.before, self._merged(group))
            return FittedLabel(phrase.start, address, "tag", SAFE), ladder
        tag = self.naming.bracket(phrase, self._merged(group))
        written = _written(self.text, phrase)
        tells = self.scored.named[place] or self.scored.topical[place] or self.screen.hidden.matches(written)
        if tag == ELLIPSIS and not tells and self.screen.ordinary.is_ordinary(phrase):
            return FittedLabel(phrase.start, written, HEAD, SAFE), ladder
        if tag[-2:-1].isdecimal():  # whatever it is taken for at each place, the same name has one tag
            tag = self.tags.setdefault(key(written), tag)
        fit = FittedLabel(phrase.start, tag, "tag", SAFE)
        if self.screen.climber.language == "en":
            fit = _absorb_indefinite(self.text, fit, self.edits[-1].end if self.edits else 0)
        return fit, ladder

    def _fit_deed(self, phrase: Phrase) -> FittedLabel | None:
        """Return what somebody did in plain words, if it can be said so."""
        deed = self.screen.plain_deed(phrase)
        return FittedLabel(phrase.start, deed, DEED, self.screen.label_risk.risk(deed.lower())) if deed else None

    def _fit_one_of_many(self, slot: Slot, rungs: Sequence[Rung], group: int) -> FittedLabel | None:
        """Fit a label for what was the only one of its kind with an indefinite article: the only woman is a woman."""
        article, language = self._article_of_unique(slot), self.screen.climber.language
        if not article:
            return None
        alone = replace(slot, before=slot.before[: -len(article)], editable_before=slot.editable_before - len(article))
        fit = self._fit_first_rung(alone, rungs, self._merged(group))
        if fit is None or fit.start != slot.phrase.start or self.screen.ordinary.says_unique(fit.text):
            return None
        if fit.rung == HEAD:
            text = f"{self.screen.indefinite(article.split()[0], fit.text)}{fit.text}"
        else:
            text = fit.text if language == "de" else rungs[fit.rung_index].label
        return replace(fit, start=fit.start - len(article), text=text)

    def _article_of_unique(self, slot: Slot) -> str:
        """Return the definite article, with what says so, before what is the only, first or last of its kind."""
        match = ARTICLE_BEFORE.search(slot.before)
        if not match or len(match[0]) > slot.editable_before or not self.screen.indefinite(match[1]):
            return ""
        ordinary = self.screen.ordinary
        says_so = ordinary.says_unique(match[2]) if match[2] else ordinary.is_unique(slot.phrase)
        return match[0] if says_so and slot.phrase.type == "DEM" else ""

    def _opens_dateline(self, place: int) -> bool:
        """Return whether a place begins a line, with a date behind it: Zafra, 3 May 2021."""
        phrase, text = self.phrases[place], self.text
        following = self.phrases[place + 1] if place + 1 < len(self.phrases) else None
        begins = not text[: phrase.start].rpartition("\n")[2].strip()
        dated = (
            following is not None and following.type == "DATETIME" and any(map(str.isdigit, _written(text, following)))
        )
        return begins and dated and bool(DATELINE.fullmatch(text[phrase.end : following.start if following else 0]))

    def _fit_another(self, slot: Slot, rung: Rung, group: int) -> FittedLabel | None:
        """Fit a label as that of another one of its kind: the second hospital, if the text speaks of it once."""
        language, bare = self.screen.climber.language, without_article(rung.label)
        place, _ = self.naming.number(bare, group)
        between = self.text[self.edits[-1].end : slot.phrase.start] if self.edits else ""
        in_list = self.last is not None and self.last[0].label == bare and LIST_SEPARATOR.fullmatch(between)
        if place != SECOND or self.mentions[group] > 1 or slot.stands_alone or in_list:
            return None
        fit = fit_label(slot, rung.label, language)
        text = as_another(fit.text, language) if fit else ""
        return replace(fit, text=text, label=bare) if fit and text else None

    def _own_ladder(self, place: int) -> ScreenedLadder:
        return self.screen.ladder(self.screen.sayable(self.phrases[place]), bare=place in self.topical)

    def _fit_first_rung(self, slot: Slot, rungs: Sequence[Rung], group: int) -> FittedLabel | None:
        """Fit the first rung that fits into its sentence, as what stands for a group, and is not too similar."""
        for fit in self._fits(slot, rungs, group):
            if below := self._unless_similar(fit, slot.phrase, rungs[fit.rung_index].label):
                return below
        return None

    def _fits(self, slot: Slot, rungs: Sequence[Rung], group: int) -> Iterator[FittedLabel]:
        """Yield the rungs that fit into their sentence, in order."""
        language = self.screen.climber.language
        for place, rung in enumerate(rungs):
            if rung.is_own and is_determined(rung.label, language):
                continue  # what could not stand here
            if rung.kind == ADJECTIVE and not (slot.is_modifier and _precedes_person(slot, language)):
                continue
            if rung.kind == STAGE and not (slot.is_modifier or AGED.search(slot.written)):
                continue  # she turned 47
            if PART_BEFORE.search(slot.before) and PART_LABEL.match(rung.label):
                continue  # antes de principios de mayo
            if rung.is_bare and slot.phrase.type == "QUANTITY" and OVER.search(slot.before):
                continue  # mais de um número
            before_noun = slot.is_modifier and slot.phrase.form == "name"
            if rung.is_bare and (before_noun or slot.phrase.type == "DATETIME" or slot.phrase.kind in UNSAID_KINDS):
                continue  # [date] reads better than on a date, [place 1] office than place office
            if rung.is_bare and key(rung.label) in BARE_PLACES and DEFINITE_BEFORE.search(slot.before):
                continue  # off the place
            if rung.kind == MORE and LIMITED.search(slot.before):
                continue  # up to more than 200
            if slot.phrase.kind == AGE and TURNS.search(slot.before) and BELOW.match(rung.label):
                continue  # cumplió menos de 18 años
            if rung.kind == HEAD:  # the noun stays as it is, and what agrees with it
                start, text = keep_noun(slot, rung.label, language)
                yield FittedLabel(start, text, rung.kind, self.screen.risk_of(rung, rungs), rung_index=place)
                continue
            is_counted = slot.phrase.type in NUMBERED_TYPES or (rung.is_own and slot.phrase.type == "PERSON")
            named = is_counted and slot.phrase.form in ("name", "title")
            named &= slot.phrase.kind != ADDRESS
            counted = named and not is_proper(rung.label, language)
            another = self._fit_another(slot, rung, group) if counted else None
            risk = SAFE if rung.is_bare or rung.kind in PLAIN_RUNGS else self.screen.risk_of(rung, rungs)
            if another is not None:
                yield replace(another, rung=rung.kind, risk=risk, needs_number=True, rung_index=place)
            variants = self.naming.variants(rung.label, group, alone=slot.stands_alone) if counted else (rung.label,)
            fits = (fit_label(slot, label, language) for label in variants)
            if fit := next(filter(None, fits), None):
                counted &= fit.text.lower() not in SEVERAL
                bare = without_article(rung.label)
                yield FittedLabel(fit.start, fit.text, rung.kind, risk, counted, place, fit.bare, bare)


def _leave_out_clause(slot: Slot) -> FittedLabel | None:
    """Return brackets that stand for a clause with what goes with it: the brother, who […] is the brother […]."""
    match = CLAUSE_OPENS.search(slot.before) or ARTICLE_OF_CLAUSE.search(slot.before)
    if not match or len(match[0]) > slot.editable_before:
        return None
    return FittedLabel(slot.phrase.start - len(match[0]), f"{match[1] or ''}{ELLIPSIS}", "tag", SAFE)


def _precedes_person(slot: Slot, language: str) -> bool:
    """Return whether a word for somebody follows: an elderly patient, but not: an elderly fell."""
    following = NEXT_WORDS.findall(slot.after)[:2]
    flags = [Lexicon.load(language).flags(word) for word in following]
    return any(flag & PEOPLE for flag in flags)


def _typed_as_protected(text: str, scored: ScoredPhrases, protect: Sequence[Entity]) -> list[Phrase]:
    """Return the phrases, of which names of who is protected have the type that is said, whatever it looks like.

    What is called a project at one place is one everywhere, and no flower.
    """
    given = (
        (person.spans, protect[person.protected_index].type)
        for person in scored.people
        if 0 <= person.protected_index < len(protect)
    )
    types = {span: type for spans, type in given if type in SAID_TYPES for span in spans}
    phrases = list(scored.phrases)
    for place, phrase in enumerate(phrases):
        type = types.get((phrase.start, phrase.end), phrase.type)
        if type != phrase.type and phrase.form in ("name", "title"):
            phrases[place] = replace(phrase, type=type, kind=DEFAULT_KINDS[type])
    projects = {number for number, entity in enumerate(protect) if entity.type == "MISC" and _is_project(text, entity)}
    for place, owner in enumerate(scored.owner.tolist()):
        if owner in projects and scored.named[place] and phrases[place].form in ("name", "title", "common"):
            phrases[place] = replace(phrases[place], type="MISC", kind=PROJECT, form="name")
    return phrases


def _is_project(text: str, entity: Entity) -> bool:
    """Return whether a text says that somebody's name is that of a project."""
    bare = PROJECT_HEAD.sub("", entity.name)
    return bare != entity.name or bool(re.search(rf"{PROJECT_HEAD.pattern}[\"„“«»]?{re.escape(bare)}", text, re.I))


def _repeats_its_label(slot: Slot, language: str) -> bool:
    """Return whether a code stands behind the noun or abbreviation that says what it is: passport [number]."""
    match = LABEL_BEFORE.search(slot.before)
    if not match:
        return False
    word = match[1]
    is_noun = word[:1].isupper() and (language == "de" or (word.isupper() and len(word) > 1))
    return is_noun or word.endswith((".", "º", "°")) or bool(Lexicon.load(language).flags(word) & CODE_LABELS)


def _is_existing_placeholder(text: str, phrase: Phrase, existing: ExistingPlaceholders) -> bool:
    """Return whether a phrase is what an earlier run has put there."""
    written = text[phrase.start : phrase.end]
    return existing.covers(phrase.start, phrase.end) or not WORD.search(placeholder_pattern().sub("", written))


def _ladders_by_group(
    phrases: Iterable[tuple[int, int, str]], ladder_of: Callable[[int], ScreenedLadder]
) -> dict[tuple[int, str], ScreenedLadder]:
    """Return the ladder of each group and type: that of its first phrase that says more than the type."""
    ladders: dict[tuple[int, str], ScreenedLadder] = {}
    for place, group, type in phrases:
        if all(rung.is_bare for rung in ladders.get((group, type), NO_LADDER).harmless):
            ladder = ladder_of(place)
            if (group, type) not in ladders or not all(rung.is_bare for rung in ladder.harmless):
                ladders[group, type] = ladder
    return ladders


def _fit_without_context(
    text: str, phrase: Phrase, method: str, number: tuple[str, int], methods: Methods
) -> FittedLabel | None:
    """Return the replacement of a phrase wherever it occurs; nothing where its sentence or type decides."""
    written = text[phrase.start : phrase.end]
    match method:
        case "suppress":
            return FittedLabel(phrase.start, SUPPRESSION_MARK, "suppress", SAFE)
        case "mask":
            shown = mask_characters(written)
            if methods.valid and phrase.type == "CODE":
                shown = mask_with_checksum(written, phrase.kind.partition(".")[2], methods.keyed) or shown
            return FittedLabel(phrase.start, shown, "mask", SAFE)
        case "keep":
            return FittedLabel(phrase.start, written, "keep", 1.0)
        case "tag":
            return _tag(phrase, number)
    return None


def _longest_names(text: str, scored: ScoredPhrases, groups: Sequence[int]) -> dict[int, str]:
    """Return the longest name of each group."""
    longest: dict[int, str] = {}
    for group, (start, end) in zip(groups, phrase_spans(scored.phrases), strict=True):
        longest[group] = max(longest.get(group, ""), text[start:end], key=len)
    return longest


def _are_among(words: Collection[str], known: Collection[str]) -> bool:
    """Return whether words are among others, or initials of them."""
    return all(word in known or (len(word) == 1 and any(one.startswith(word) for one in known)) for word in words)


def _is_topic(owner: int, protect: Sequence[Entity]) -> bool:
    return 0 <= owner < len(protect) and protect[owner].type == TOPIC


def _tag(phrase: Phrase, number: tuple[str, int]) -> FittedLabel:
    return FittedLabel(phrase.start, f"[{number[0]} {number[1]}]", "tag", SAFE)


def _absorb_indefinite(text: str, fit: FittedLabel, free: int) -> FittedLabel:
    """Take the n of an *an* before a tag: it would tell how the original begins."""
    start = fit.start - len("an ")
    if start < free or text[start : fit.start] not in ("an ", "An ") or text[start - 1 : start].isalnum():
        return fit
    return replace(fit, start=start, text=f"{text[start]} {fit.text}", bare=fit.text)


def _known(risk: float) -> float | None:
    return None if risk != risk else round(risk, 4)


def _written(text: str, phrase: Phrase) -> str:
    return text[phrase.start : phrase.end]


def _assign_numbers(
    groups: Sequence[int], phrases: Sequence[Phrase], risky: Sequence[int], existing: ExistingPlaceholders,
    nameless: Collection[int],
) -> dict[int, tuple[str, int]]:  # fmt: skip
    """Return each group a type and a number, in the order in which they come, above those that stand there already.

    Those that are called by no number (`nameless`) take none from the others.
    """
    seen, unseen = Counter(existing.highest), Counter[str]()
    numbers: dict[int, tuple[str, int]] = {}
    for place in risky:
        if groups[place] not in numbers:
            type, count = phrases[place].type, unseen if place in nameless else seen
            count[type] += 1
            numbers[groups[place]] = type, count[type]
    return numbers
