"""Apply the user's rules: patterns and gazetteers, allow and deny lists.

Words are found by one pass over the tokens of a text, through a trie that all lists share, so that time does
not grow with the number of words. Lemmas are matched by the caller, who knows the dictionary forms.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import regex

from embanon.config import Config
from embanon.errors import ConfigError

RULE_TOKEN: Final = regex.compile(r"[\w\p{M}]+|[^\w\s]")
"""The look-up's own tokens: runs of word characters, and every other character alone."""

MAX_ENTRY_TOKENS: Final = 64
"""Tokens of an entry: the pass over a text is linear because this is bounded."""

PATTERN, ALLOW, DENY = "pattern", "allow", "deny"


class RuleMatch(NamedTuple):
    """A place that a rule names; `action` is pattern, allow or deny. An allowed place has no type."""

    start: int
    end: int
    type: str
    kind: str
    action: str


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule says of the places it finds; no languages are all languages."""

    type: str
    kind: str
    action: str
    languages: tuple[str, ...] = ()

    def applies_to(self, language: str) -> bool:
        """Return whether the rule holds in a language."""
        return not self.languages or language in self.languages


@dataclass(frozen=True, slots=True)
class Expression:
    """A compiled regular expression of the user, named as in the configuration."""

    name: str
    pattern: Any = field(repr=False)
    rule: Rule


Trie = dict[str, Any]
"""Token -> Trie; under the empty string, the rules of the entry that ends here."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The users' knowledge, ready to be matched."""

    exact: Trie = field(default_factory=dict, repr=False)
    folded: Trie = field(default_factory=dict, repr=False)
    expressions: tuple[Expression, ...] = ()
    lemmas: Mapping[str, tuple[Rule, ...]] = field(default_factory=dict, repr=False)
    timeout_seconds: float = 2.0

    @classmethod
    def from_config(cls, config: Config) -> Rules:
        """Compile patterns and lists; a bad expression is an error that names it and the place in it."""
        exact: Trie = {}
        folded: Trie = {}
        expressions: list[Expression] = []
        lemmas: dict[str, tuple[Rule, ...]] = {}
        for name, row, rule in _configured_rules(config):
            expressions += [_compile_expression(name, text, row.ignore_case, rule) for text in _regexes_of(row)]
            for word in row.words:
                _insert(folded if row.ignore_case else exact, word, row.ignore_case, rule, name)
            for lemma in getattr(row, "lemmas", ()):
                key = _lemma_key(lemma, name)
                lemmas[key] = (*lemmas.get(key, ()), rule)
        return cls(exact, folded, tuple(expressions), lemmas, config.phrases.regex_seconds)

    def __bool__(self) -> bool:
        """Return whether there is anything to match."""
        return bool(self.exact or self.folded or self.expressions or self.lemmas)

    def find(self, text: str, language: str) -> list[RuleMatch]:
        """Find all places that the rules name, in order; they may overlap, and the caller decides.

        Lemmas are not among them. Of several entries that begin at one place in one list, the longest counts.
        """
        primary = language.partition("-")[0]
        matches = set(self._word_matches(text, primary))
        for expression in self.expressions:
            if expression.rule.applies_to(primary):
                matches.update(self._expression_matches(expression, text))
        return sorted(matches, key=lambda match: (match.start, -match.end, *match[2:]))

    def _expression_matches(self, expression: Expression, text: str) -> Iterator[RuleMatch]:
        rule = expression.rule
        # The engine counts for the whole scan, so a longer text has more.
        seconds = self.timeout_seconds * (1 + len(text) / 1_000_000)
        try:
            for match in expression.pattern.finditer(text, timeout=seconds):
                if match.end() > match.start():
                    yield RuleMatch(match.start(), match.end(), rule.type, rule.kind, rule.action)
        except TimeoutError as exc:
            raise ConfigError(
                f"{expression.name}: took more than {seconds:.1f} s on a text of {len(text)} characters; "
                "make the expression simpler, or raise phrases.regex_seconds"
            ) from exc

    def _word_matches(self, text: str, language: str) -> Iterator[RuleMatch]:
        if not (self.exact or self.folded):
            return
        exact, folded = self.exact, self.folded
        # Tokens are not kept: of a long text they would take thirty times its memory.
        for token in RULE_TOKEN.finditer(text):
            word = token.group()
            if exact and _token_key(word, False) in exact:
                yield from _longest_entries(text, token, exact, False, language)
            if folded and _token_key(word, True) in folded:
                yield from _longest_entries(text, token, folded, True, language)


def _longest_entries(text: str, first: Any, trie: Trie, fold: bool, language: str) -> Iterator[RuleMatch]:
    """Follow the tokens as far as entries go, and give the longest entry of each action."""
    longest: dict[str, tuple[int, list[Rule]]] = {}
    token, gap = first, ""
    while token and (node := trie.get(gap + _token_key(token.group(), fold))):
        trie, end = node, token.end()
        for rule in trie.get("", ()):
            if rule.applies_to(language):
                before, rules = longest.get(rule.action, (0, []))
                longest[rule.action] = (end, [*(rules if before == end else ()), rule])
        if len(trie) == ("" in trie):
            break  # nothing goes on from here
        token = RULE_TOKEN.search(text, end)
        gap = _gap_kind(text[end : token.start()]) if token else ""
    for end, rules in longest.values():
        for rule in rules:
            yield RuleMatch(first.start(), end, rule.type, rule.kind, rule.action)


def _insert(trie: Trie, entry: str, fold: bool, rule: Rule, name: str) -> None:
    tokens = list(RULE_TOKEN.finditer(entry))
    if not tokens:
        raise ConfigError(f"{name}: an entry of its words is empty; remove it")
    if len(tokens) > MAX_ENTRY_TOKENS:
        raise ConfigError(f"{name}: an entry of its words has more than {MAX_ENTRY_TOKENS} words; use `regex` for it")
    end = tokens[0].start()
    for index, token in enumerate(tokens):
        gap = _gap_kind(entry[end : token.start()]) if index else ""
        trie = trie.setdefault(gap + _token_key(token.group(), fold), {})
        end = token.end()
    trie[""] = (*trie.get("", ()), rule)


def _lemma_key(entry: str, name: str) -> str:
    """Return the look-up key of a lemma."""
    word = entry.strip()
    if not word:
        raise ConfigError(f"{name}: an entry of its lemmas is empty; remove it")
    if not RULE_TOKEN.fullmatch(word):
        raise ConfigError(
            f"{name}: an entry of its lemmas is not one word (no space, hyphen or apostrophe); use `words` for it"
        )
    return _token_key(word, True)


def _gap_kind(between: str) -> str:
    """Return the kind of space between two tokens: none, any, or a paragraph break, which no entry crosses."""
    if not between:
        return ""
    return "\n" if "\u2029" in between or between.count("\n") > 1 else " "


def _token_key(token: str, fold: bool) -> str:
    if token.isascii():
        return token.lower() if fold else token
    token = unicodedata.normalize("NFC", token).replace("\u2019", "'")
    return token.casefold() if fold else token


def _regexes_of(row: Any) -> tuple[str, ...]:
    return ((row.regex,) if row.regex else ()) if isinstance(row.regex, str) else row.regex


def _configured_rules(config: Config) -> Iterator[tuple[str, Any, Rule]]:
    """Yield (name for messages, row, rule) for each pattern and list of the user."""
    for pattern in config.patterns:
        kind = pattern.kind or f"{pattern.type}.{pattern.name}"
        rule = Rule(pattern.type, kind, PATTERN, pattern.languages)
        yield f"pattern {pattern.name!r}", pattern, rule
    for index, allow in enumerate(config.allow):
        yield f"allow[{index}]", allow, Rule("", "", ALLOW, allow.languages)
    for index, deny in enumerate(config.deny):
        yield f"deny[{index}]", deny, Rule(deny.type, deny.kind or deny.type, DENY, deny.languages)


def _compile_expression(name: str, text: str, ignore_case: bool, rule: Rule) -> Expression:
    if not text.strip():
        raise ConfigError(f"{name}: an entry of its regex is empty; remove it")
    try:
        # Version 1 nests sets and folds case fully, as the documentation of the library advises.
        pattern = regex.compile(text, regex.VERSION1 | (regex.IGNORECASE if ignore_case else 0))
    except (regex.error, RecursionError, OverflowError) as exc:
        place = getattr(exc, "pos", None)
        reason = getattr(exc, "msg", None) or "too deep or too large"
        where = f" at character {place + 1}" if place is not None else ""
        raise ConfigError(f"{name}: bad regular expression{where}: {reason}") from exc
    return Expression(name, pattern, rule)
