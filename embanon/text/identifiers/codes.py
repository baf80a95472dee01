"""Recognize technical and financial codes: network addresses, bank numbers, hashes, keys."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from embanon.document import Identifier
from embanon.text.grammar import read_pattern
from embanon.text.identifiers.anchors import (
    AnchorWindow,
    compile_pattern,
    context_words,
    identifier_table,
    load_validator,
    occurrences,
    window_at,
    word_set,
)

_TABLE: Final = identifier_table("codes")
DOMAINS: Final = word_set(_TABLE["domains"])
"""Endings that a bare domain with a path may have."""

_LABEL = r"[^\W_](?:[\w-]{0,61}[^\W_])?"
_HOST = re.compile(rf"(?:{_LABEL}\.){{1,8}}(?:[a-z]{{2,24}}|[A-Z]{{2,24}})(?![\w-]|\.[a-z0-9])", re.ASCII)
_MAIL_HOST = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,8}(?:[a-z]{2,24}|[A-Z]{2,24})(?![\w])")
_ADDRESS = re.compile(r"[^\s<>\"`{}|\\^\x00-\x1f]{1,2000}+")
_HANDLE = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_]|[.](?=[A-Za-z0-9_])){1,29}+(?![\w@])")
_MAIL_LABEL = re.compile(r"(?i)(?:e-?mail|correo|mail)[-:.]")
_MAIL_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+'-&~!#$*=")
_SCHEME_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+")
_HOST_CHARACTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-")
_TRAILING: Final = ".,;:!?'\"»”’…*_"
_KEY_HEADER = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}KEY(?: BLOCK)?-----")
_AWS = re.compile(r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])")
_JWT = re.compile(r"eyJ[\w-]{8,2000}+\.[\w-]{4,4000}+(?:\.[\w-]{2,2000}+)?", re.ASCII)
_BIC = re.compile(read_pattern(_TABLE, "bic"))
_SECTION_WORDS: Final = word_set(_TABLE["sections"])
_NETWORK_WORDS: Final = word_set(_TABLE["networks"])


def find_marked_codes(text: str) -> Iterator[Identifier]:
    """Find what announces itself by a mark: `@`, `://`, `www.`, a path after a domain, a key's head, BIC."""
    yield from _mails_and_handles(text)
    yield from _urls(text)
    for needle, pattern in (("-----BEGIN", _KEY_HEADER), ("AKIA", _AWS), ("eyJ", _JWT)):
        for position in occurrences(text, needle):
            match = pattern.match(text, position)
            if match and not (position and text[position - 1].isalnum()):
                yield Identifier(match.start(), match.end(), "CODE", "key")
    for needle in ("BIC", "SWIFT"):
        for position in occurrences(text, needle):
            window = window_at(text, position, position + len(needle), 40)
            for match in _BIC.finditer(window.text):
                if load_validator("bic")(match[1]):
                    yield window.identifier(match.start(1), match.end(1), "CODE", "bic", True)


def _mails_and_handles(text: str) -> Iterator[Identifier]:
    for at in occurrences(text, "@"):
        start = at
        while (
            start and at - start < 64 and (text[start - 1] in _MAIL_CHARACTERS or "\xc0" <= text[start - 1] < "\u0250")
        ):
            start -= 1
        local = text[start:at]
        label = _MAIL_LABEL.match(local)
        start += label.end() if label else 0
        local = text[start:at]
        start += len(local) - len(local.lstrip(".-'!#*=&$"))
        if start < at:
            host = _MAIL_HOST.match(text, at + 1, at + 255)
            if host and text[at - 1] != ".":
                yield Identifier(start, host.end(), "CODE", "e-mail")
        elif not (at and (text[at - 1].isalnum() or text[at - 1] in "_@./")):
            handle = _HANDLE.match(text, at + 1, at + 40)
            if handle:
                yield Identifier(at, handle.end(), "CODE", "handle")


def _urls(text: str) -> Iterator[Identifier]:
    done = 0
    for mark in occurrences(text, "://"):
        start = mark
        while start > done and mark - start < 12 and text[start - 1] in _SCHEME_CHARACTERS:
            start -= 1
        address = _ADDRESS.match(text, mark + 3)
        if start < mark and mark >= done and address and text[start].isalpha():
            end = done = _trim_punctuation(text, mark + 3, address.end())
            if end > mark + 6 and "doi.org/" not in text[mark : mark + 14]:
                yield Identifier(start, end, "CODE", "url")
    for start in occurrences(text, "www."):
        if start < done or (start and (text[start - 1].isalnum() or text[start - 1] in "/@._-")):
            continue
        host = _HOST.match(text, start, start + 255)
        if host:
            yield Identifier(start, _with_path(text, host.end()), "CODE", "url")
    done = 0
    for slash in occurrences(text, "/"):
        if slash < done + 4 or not text[slash - 1].isalpha():
            continue
        start = slash
        while start > done and slash - start < 80 and text[start - 1] in _HOST_CHARACTERS:
            start -= 1
        if text.find(".", start, slash) < 0 or (start and (text[start - 1].isalnum() or text[start - 1] in "@/_")):
            continue
        host = _HOST.fullmatch(text, start, slash)
        if host and text[start:slash].rpartition(".")[2].lower() in DOMAINS:
            end = done = _with_path(text, slash)
            if end > slash + 1 and not text.startswith(("doi.org/", "dx.doi.org/"), start):
                yield Identifier(start, end, "CODE", "url")


def _with_path(text: str, end: int) -> int:
    """Extend a host by its path, if any, without the punctuation of the sentence."""
    if text[end : end + 1] in ("/", ":", "?"):
        path = _ADDRESS.match(text, end)
        return _trim_punctuation(text, end, path.end()) if path else end
    return end


def _trim_punctuation(text: str, start: int, end: int) -> int:
    """Step back over the sentence's punctuation and over a bracket that the address did not open."""
    while end > start:
        last = text[end - 1]
        if last in ")]" and text.count("([)]"[")]".index(last)], start, end) >= text.count(last, start, end):
            break
        if last not in _TRAILING and last not in ")]":
            break
        end -= 1
    return end


@dataclass(frozen=True, slots=True)
class CodePattern:
    """A row of the table: `gate` must be in the window's text for the pattern to be tried."""

    kind: str
    gate: str
    pattern: str
    check: Callable[[AnchorWindow, int, int], int | None]
    """Return where the code ends, or `None` if it is none."""
    verified: bool = False


def _accept(window: AnchorWindow, start: int, end: int) -> int | None:
    return end


def _ipv4_end(window: AnchorWindow, start: int, end: int) -> int | None:
    parts = window.text[start:end].split(".")
    words = context_words(window.before(start, 24))
    if any(int(part) > 255 or (len(part) > 1 and part[0] == "0") for part in parts) or _SECTION_WORDS & set(words[-2:]):
        return None
    # 1.2.3.4 is as often a section or a version; then only a word of the net decides
    return end if max(map(len, parts)) > 1 or _NETWORK_WORDS & set(words) else None


def _ipv6_end(window: AnchorWindow, start: int, end: int) -> int | None:
    from ipaddress import AddressValueError, IPv6Address

    value = window.text[start:end]
    if value.count(":") < 2 or (len(value) < 6 and value != "::1"):
        return None
    try:
        IPv6Address(value)
    except AddressValueError:
        return None
    return end


def _accept_mixed(window: AnchorWindow, start: int, end: int) -> int | None:
    value = window.text[start:end]
    return None if value.isdigit() or value.isalpha() else end


CARD_PREFIXES: Final = re.compile(read_pattern(_TABLE, "card_prefixes"))


def _card_end(window: AnchorWindow, start: int, end: int) -> int | None:
    digits = re.sub("[ -]", "", window.text[start:end])
    if not 13 <= len(digits) <= 19 or not CARD_PREFIXES.match(digits) or len(set(digits)) < 2:
        return None
    if len(digits) not in (14, 15, 16) and digits[0] not in "456":
        return None
    return end if load_validator("luhn")(digits) else None


def _iban_end(window: AnchorWindow, start: int, end: int) -> int | None:
    # the letters of a following word may have been taken in: shorten until the check digits agree
    while end - start >= 15:
        whole = window.text[end - 1] != " " and not window.text[end : end + 1].isalnum()
        if whole and load_validator("iban")(window.text[start:end]):
            return end
        end -= 1
    return None


def _bitcoin_end(window: AnchorWindow, start: int, end: int) -> int | None:
    return end if load_validator("bitcoin")(window.text[start:end]) else None


CHECKS: Final = {
    "accept": _accept, "ipv4": _ipv4_end, "ipv6": _ipv6_end, "accept_mixed": _accept_mixed, "card": _card_end,
    "iban": _iban_end, "bitcoin": _bitcoin_end,
}  # fmt: skip
CODES: Final = tuple(
    CodePattern(kind, gate, pattern, CHECKS[check], verified)
    for kind, gate, pattern, check, verified in _TABLE["shapes"]
)

LONG_KINDS: Final = frozenset(("iban", "card", "uuid", "hash", "key", "wallet"))


def find_codes(window: AnchorWindow) -> Iterator[Identifier]:
    """Find the codes of a window, whether they touch its anchor or stand elsewhere in it."""
    text = window.text
    left = max(text.rfind(" ", 0, window.start), text.rfind("\u00a0", 0, window.start)) + 1
    right = text.find(" ", window.end)
    token = text[left : right if right >= 0 else len(text)]
    long = len(token) >= 13
    colons, dashes, dots = token.count(":"), token.count("-"), token.count(".")
    if not long and colons < 2 and dots < 3:
        return
    for row in CODES:
        if row.kind in LONG_KINDS and not long:
            continue
        if row.kind == "mac" and (colons < 5 and dashes < 5 if not row.gate else dots < 2):
            continue
        if row.kind == "ip" and (dots < 3 if row.gate == "." else colons < 2):
            continue
        for match in compile_pattern(row.pattern).finditer(text, max(0, window.start - 70)):
            if window.is_cut and match.end() == len(text):
                continue  # the rest stands in the window of a later anchor
            end = row.check(window, match.start(), match.end())
            if end is not None:
                yield window.identifier(match.start(), end, "CODE", row.kind, row.verified)


__all__ = ["CODES", "DOMAINS", "find_codes", "find_marked_codes"]
