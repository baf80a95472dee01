"""A SPARQL endpoint: retried when busy, checked for complete answers, and never contacted by default.

What is asked and answered is a secret: neither is logged or in a message. Questions are sent in the body of a POST,
which the logs of servers and proxies do not keep.
"""

from __future__ import annotations

import contextlib
import json
import logging
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn
from urllib.parse import urlsplit

from embanon.config import SparqlSettings, is_loopback
from embanon.errors import ConfigError, InputError
from embanon.io import Reply, TooLargeError, post
from embanon.taxonomy.sources.answer_cache import AnswerCache

LOG: Final = logging.getLogger(__name__)

MAX_BYTES: Final = 64 << 20
MAX_WAIT: Final = 120.0
"""Seconds; an endpoint that asks for more patience is asked no more."""

BUSY: Final = frozenset({429, 502, 503, 504})
TOO_LARGE_STATUSES: Final = frozenset({413, 500})
JSON_TYPES: Final = ("application/sparql-results+json", "application/json")
HEADERS: Final = {"Content-Type": "application/sparql-query", "Accept": ", ".join(JSON_TYPES)}
MEDIA_TYPE: Final = re.compile(r"[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,40}")

REFUSALS: Final = {
    400: "does not understand the query; check sparql.dialect",
    401: "wants a name and password; ask an endpoint that needs none",
    403: "refuses to answer; check its rules, and sparql.agent",
    404: "is no endpoint of SPARQL; check sparql.endpoint",
    405: "is no endpoint of SPARQL that takes POST; check sparql.endpoint",
    406: "does not answer in JSON; ask another endpoint",
    415: "does not take queries of SPARQL 1.1; ask another endpoint",
}
"""Status -> what it means, and what to do."""


class Term(NamedTuple):
    """A value of an answer; `kind` is uri, literal or bnode."""

    kind: str
    text: str
    language: str = ""


Binding = Mapping[str, Term]


class QueryTooLargeError(InputError):
    """The endpoint fails at a query of this size."""


@dataclass(frozen=True, slots=True)
class Client:
    """Ask the endpoint that the settings name."""

    settings: SparqlSettings
    max_bytes: int = MAX_BYTES
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    cache: AnswerCache | None = field(init=False, default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.settings.endpoint:
            raise ConfigError(
                "no SPARQL endpoint is named, and none is asked by default: a question about a secret tells it; "
                'if you trust one with what you protect, set endpoint = "https://…" below [sparql] in embanon.toml'
            )
        if problem := self.settings.problem():
            raise ConfigError(f"sparql{problem}")
        if self.settings.cache:
            kept = AnswerCache.open(Path(self.settings.cache), self.settings.cache_days, self.max_bytes)
            object.__setattr__(self, "cache", kept)

    @property
    def name(self) -> str:
        """Return the address for messages, without a key that it may end in."""
        parts = urlsplit(self.settings.endpoint)
        return f"{parts.scheme}://{parts.netloc}{parts.path}"

    def rows(self, query: str, what: str) -> list[Binding]:
        """Return the rows of a query; `what` says in a message what was asked for, without its text."""
        kept = self.cache.get(self._key(query)) if self.cache else None
        if kept is not None:
            with contextlib.suppress(InputError):
                return self._parsed(kept, what)
        body, rows = self._query_with_retries(query.encode("utf-8"), what)
        if self.cache:
            self.cache.put(self._key(query), body)
        return rows

    def forget(self, query: str) -> None:
        """Keep no answer to a query, for it turned out to be partial."""
        if self.cache:
            self.cache.drop(self._key(query))

    def _key(self, query: str) -> str:
        return f"{self.settings.endpoint}\n{query}"

    def _query_with_retries(self, query: bytes, what: str) -> tuple[bytes, list[Binding]]:
        """Ask until there is an answer, at most as often as the settings say."""
        pause, left = self.settings.pause, self.settings.retries
        while True:
            try:
                reply = self._sent(query, what)
                if reply.status not in BUSY:
                    body = self._body(reply, what)
                    return body, self._parsed(body, what)
                problem, wanted = f"is busy (status {reply.status})", _retry_after(reply.headers)
            except _TransientError as exc:
                problem, wanted = str(exc), 0.0
            wait = max(pause, wanted)
            if not left or wait > MAX_WAIT:
                later = f"; it asks to wait {wanted:.0f} s" if wanted else ""
                self._fail(f"{problem}{later}; try later, or lower sparql.batch", what)
            LOG.info("%s: %s; asked again in %.1f s", self.name, problem, wait)
            self.sleep(wait)
            pause, left = min(2 * pause, MAX_WAIT), left - 1

    def _sent(self, query: bytes, what: str) -> Reply:
        """Ask once; nothing of a failure is chained that could quote what was asked."""
        settings = self.settings
        headers = HEADERS | {"User-Agent": settings.agent or _agent()}
        try:
            is_local = is_loopback(urlsplit(settings.endpoint).hostname or "")
            return post(
                settings.endpoint, query, headers, settings.seconds, self.max_bytes, is_local=is_local
            )  # fmt: skip
        except TimeoutError:
            self._fail(f"gave no answer in {settings.seconds:g} s; raise sparql.seconds or lower sparql.batch", what)
        except TooLargeError:
            self._fail(f"answers with more than {self.max_bytes >> 20} MB; lower sparql.page", what)
        except (RemoteDisconnected, IncompleteRead, ssl.SSLEOFError) as exc:
            raise _TransientError("ended before its answer did, a partial answer") from exc
        except ssl.SSLCertVerificationError as exc:
            reason = exc.verify_message
            self._fail(f"shows a certificate that is not trusted ({reason}); if it is yours, set SSL_CERT_FILE", what)
        except ssl.SSLError:
            self._fail("does not speak TLS; check sparql.endpoint", what)
        except HTTPException:
            self._fail("does not speak HTTP; check sparql.endpoint", what)
        except ValueError:
            self._fail("cannot be reached: its host, or the proxy of https_proxy, has no possible name", what)
        except OSError as exc:
            raise _TransientError(f"cannot be reached ({exc.strerror or 'by its proxy'})") from exc

    def _body(self, reply: Reply, what: str) -> bytes:
        """Return the answer in a reply that is a complete one."""
        if reply.status in TOO_LARGE_STATUSES:
            raise QueryTooLargeError(self._message(f"fails (status {reply.status}); lower sparql.batch", what))
        if 300 <= reply.status < 400:
            self._fail(f"sends elsewhere{_redirect_host(reply)}; if you trust that, name it as sparql.endpoint", what)
        if reply.status in REFUSALS:
            self._fail(f"{REFUSALS[reply.status]} (status {reply.status})", what)
        if reply.status == 206 or "x-sql-state" in reply.headers:  # as Virtuoso says that its time was up
            self._fail("gives a partial answer and says so; lower sparql.batch", what)
        if reply.status != 200:
            self._fail(f"fails (status {reply.status}); check sparql.endpoint", what)
        media = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media not in JSON_TYPES:
            named = media if MEDIA_TYPE.fullmatch(media) else "something else"
            self._fail(f"answers with {named} where JSON is due; check sparql.endpoint", what)
        if reply.headers.get("content-encoding", "identity").lower() != "identity":
            self._fail("answers in an encoding that was not asked for; ask another endpoint", what)
        return reply.body

    def _parsed(self, body: bytes, what: str) -> list[Binding]:
        try:
            # Of a server that says another charset and means UTF-8, the bytes are right.
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError as exc:
            self._fail(f"answers with JSON that is not UTF-8 (byte {exc.start}); ask another endpoint", what)
        try:
            table = json.loads(text)
        except (ValueError, RecursionError):
            # Where its time is up, an endpoint breaks off or writes its error into the answer.
            raise _TransientError("gives a partial answer: JSON that is cut") from None
        try:
            return [{name: _term(value) for name, value in row.items()} for row in table["results"]["bindings"]]
        except (KeyError, TypeError, AttributeError):
            self._fail("answers with JSON that is no result of SPARQL; check sparql.endpoint", what)

    def _fail(self, problem: str, what: str) -> NoReturn:
        raise InputError(self._message(problem, what)) from None

    def _message(self, problem: str, what: str) -> str:
        return f"{self.name}: asked for {what}, it {problem}"


class _TransientError(InputError):
    """A failure that may be over soon."""


def _agent() -> str:
    try:
        return f"embanon/{version('embanon')}"
    except PackageNotFoundError:  # a checkout that is not installed
        return "embanon"


def _term(value: Mapping[str, Any]) -> Term:
    kind, text, language = value["type"], value["value"], value.get("xml:lang", "")
    if not all(isinstance(part, str) for part in (kind, text, language)):
        raise TypeError
    return Term("literal" if kind == "typed-literal" else kind, text, language.lower())


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that the endpoint asks to wait, 0 where it does not say."""
    wanted = headers.get("retry-after", "").strip()
    if wanted.isascii() and wanted.isdecimal():
        return float(wanted[:9])
    try:
        due = parsedate_to_datetime(wanted)
    except (ValueError, TypeError, IndexError):
        return 0.0
    if due.tzinfo is None:
        due = due.replace(tzinfo=UTC)
    return max(0.0, (due - datetime.now(UTC)).total_seconds())


def _redirect_host(reply: Reply) -> str:
    """Return the host that a redirect names, and no more: the rest may quote what was asked."""
    try:
        host = urlsplit(reply.headers.get("location", "")).hostname or ""
    except ValueError:
        return ""
    return f" (to {host})" if re.fullmatch(r"[a-z0-9.:-]{1,253}", host) else ""
