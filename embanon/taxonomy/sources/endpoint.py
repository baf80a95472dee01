"""A SPARQL endpoint: SPARQLWrapper over the hardened opener, retried when busy, and never contacted by default.

What is asked and answered is a secret: neither is logged or in a message. Questions are sent in the body of a POST,
which the logs of servers and proxies do not keep.
"""

from __future__ import annotations

import contextlib
import io
import logging
import re
import ssl
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

from SPARQLWrapper import JSON, POST, POSTDIRECTLY, SELECT, QueryResult, SPARQLWrapper

from embanon.config import SparqlSettings, is_loopback
from embanon.errors import ConfigError, InputError
from embanon.io import Reply, TooLargeError, post
from embanon.taxonomy.sources.answer_cache import AnswerCache

LOG: Final = logging.getLogger(__name__)

MAX_BYTES: Final = 64 << 20
MAX_WAIT: Final = 120.0
"""Seconds; an endpoint that asks for more patience is asked no more."""
BRACKETS_OF_ROW: Final = 8
"""Twice as many as a row of three values has: an answer that is brackets alone would fill the memory."""

BUSY: Final = frozenset({429, 502, 503, 504})
TOO_LARGE_STATUSES: Final = frozenset({413, 500})
JSON_TYPES: Final = ("application/sparql-results+json", "application/json")
MEDIA_TYPE: Final = re.compile(r"[a-z0-9.+-]{1,40}/[a-z0-9.+-]{1,40}")
REDIRECT: Final = re.compile(r"https?://[a-z0-9.:-]{1,253}(?=/|$)")
"""The host that a redirect names, and no more: the rest may quote what was asked."""

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


Binding = Mapping[str, Mapping[str, str]]
"""Variable -> its value, as SPARQLWrapper returns it."""


class EndpointError(InputError):
    """An endpoint does not answer as it should."""


class QueryTooLargeError(EndpointError):
    """The endpoint fails at a query of this size."""


class TransientError(EndpointError):
    """A failure that may be over soon, or in the seconds that the endpoint asks to wait."""

    def __init__(self, problem: str, seconds: float = 0.0) -> None:
        super().__init__(problem)
        self.seconds = seconds


class Answer(io.BytesIO):
    """A complete answer in JSON, as SPARQLWrapper reads one; a server's own headers could lead it to read XML."""

    def info(self) -> dict[str, str]:
        """Return the headers."""
        return {"Content-Type": JSON_TYPES[0]}


class EndpointWrapper(SPARQLWrapper):
    """SPARQLWrapper that opens what it builds by the hardened opener.

    `_query` is all that touches the network. The `urlopen` that it calls belongs to its module, and so to all users of
    the library in this process; and what is read of a failure goes into its message whole.
    """

    def __init__(self, settings: SparqlSettings, most_bytes: int) -> None:
        address, _, parameters = settings.endpoint.partition("?")
        super().__init__(address, returnFormat=JSON, agent=settings.agent or f"embanon/{version('embanon')}")
        self.setMethod(POST)
        self.setRequestMethod(POSTDIRECTLY)
        self.setOnlyConneg(True)
        self.addCustomHttpHeader("Accept", ", ".join(JSON_TYPES))
        for name, value in parse_qsl(parameters, keep_blank_values=True):
            self.addParameter(name, value)
        self.seconds, self.most_bytes = settings.seconds, most_bytes

    def _parseQueryType(self, query: str) -> str:  # noqa: N802
        """Return what all queries are; the expression that else looks for it takes hours where labels quote SPARQL."""
        return SELECT

    def _query(self) -> tuple[Any, str]:
        """Ask once; nothing of a failure is chained that could quote what was asked."""
        request = self._createRequest()
        is_local = is_loopback(urlsplit(request.full_url).hostname or "")
        headers, query = dict(request.header_items()), cast(bytes, request.data)
        try:
            reply = post(request.full_url, query, headers, self.seconds, self.most_bytes, is_local=is_local)
        except TimeoutError:
            problem = f"gave no answer in {self.seconds:g} s; raise sparql.seconds or lower sparql.batch"
        except TooLargeError:
            problem = f"answers with more than {self.most_bytes >> 20} MB; lower sparql.page"
        except (RemoteDisconnected, IncompleteRead, ssl.SSLEOFError):
            raise TransientError("ended before its answer did, a partial answer") from None
        except ssl.SSLCertVerificationError as exc:
            reason = exc.verify_message
            problem = f"shows a certificate that is not trusted ({reason}); if it is yours, set SSL_CERT_FILE"
        except (ssl.SSLError, HTTPException) as exc:
            problem = f"does not speak {'TLS' if isinstance(exc, ssl.SSLError) else 'HTTP'}; check sparql.endpoint"
        except ValueError:
            problem = "cannot be reached: its host, or the proxy of https_proxy, has no possible name"
        except OSError as exc:
            raise TransientError(f"cannot be reached ({exc.strerror or 'by its proxy'})") from None
        else:
            return Answer(_body(reply)), self.returnFormat
        raise EndpointError(problem)


@dataclass(frozen=True, slots=True)
class Client:
    """Ask the endpoint that the settings name."""

    settings: SparqlSettings
    max_bytes: int = MAX_BYTES
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    report: Callable[[str, float, float], None] = field(default=lambda *_: None, repr=False)
    """Show how much of a step is done."""
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
            with contextlib.suppress(EndpointError):
                return self._bindings(Answer(kept))
        try:
            answer, rows = self._ask(query)
        except EndpointError as exc:
            raise type(exc)(f"{self.name}: asked for {what}, it {exc}") from None
        if self.cache:
            self.cache.put(self._key(query), answer)
        return rows

    def forget(self, query: str) -> None:
        """Keep no answer to a query, for it turned out to be partial."""
        if self.cache:
            self.cache.drop(self._key(query))

    def _key(self, query: str) -> str:
        return f"{self.settings.endpoint}\n{query}"

    def _ask(self, query: str) -> tuple[bytes, list[Binding]]:
        """Ask until there is an answer, at most as often as the settings say."""
        wrapper = EndpointWrapper(self.settings, self.max_bytes)
        wrapper.setQuery(query)
        pause, left = self.settings.pause, self.settings.retries
        while True:
            try:
                answer = cast(Answer, wrapper.query().response)
                return answer.getvalue(), self._bindings(answer)
            except TransientError as exc:
                wait = max(pause, exc.seconds)
                if not left or wait > MAX_WAIT:
                    later = f"; it asks to wait {exc.seconds:.0f} s" if exc.seconds else ""
                    raise EndpointError(f"{exc}{later}; try later, or lower sparql.batch") from None
                LOG.info("%s: %s; asked again in %.1f s", self.name, exc, wait)
            self.sleep(wait)
            pause, left = min(2 * pause, MAX_WAIT), left - 1

    def _bindings(self, answer: Answer) -> list[Binding]:
        """Return the rows of an answer, as SPARQLWrapper converts it."""
        body = answer.getvalue()
        try:
            if body.count(b"{") + body.count(b"[") > BRACKETS_OF_ROW * (self.settings.page + 1000):
                raise EndpointError("answers with more rows than it was asked for; check sparql.endpoint")
            rows = cast(Any, QueryResult((cast(Any, answer), JSON)).convert())["results"]["bindings"]
            values = [value for row in rows for value in row.values()]
            if not all(isinstance(part, str) for value in values for part in (value["value"], *value.values())):
                raise TypeError
            return cast(list[Binding], rows)
        except UnicodeDecodeError as exc:
            problem = f"answers with JSON that is not UTF-8 (byte {exc.start}); ask another endpoint"
        except RecursionError:
            problem = "answers with JSON that is nested too deep; check sparql.endpoint"
        except (KeyError, TypeError, AttributeError):
            problem = "answers with JSON that is no result of SPARQL; check sparql.endpoint"
        except ValueError:
            # Where its time is up, an endpoint breaks off or writes its error into the answer.
            if body[:99].lstrip()[:1] in (b"", b"{"):
                raise TransientError("gives a partial answer: JSON that is cut") from None
            problem = "answers with what is no JSON; check sparql.endpoint"
        raise EndpointError(problem)


def _body(reply: Reply) -> bytes:
    """Return the answer in a reply that is a complete one."""
    status, headers = reply.status, reply.headers
    if status in BUSY:
        raise TransientError(f"is busy (status {status})", _retry_after(headers))
    if status in TOO_LARGE_STATUSES:
        raise QueryTooLargeError(f"fails (status {status}); lower sparql.batch")
    target, media = REDIRECT.match(headers.get("location", "")), headers.get("content-type", "").partition(";")[0]
    encoding = headers.get("content-encoding", "identity").lower()
    place, form = f" (to {target[0]})" if target else "", media.strip().lower()
    named = form if MEDIA_TYPE.fullmatch(form) else "something else"
    problems = (
        (300 <= status < 400, f"sends elsewhere{place}; if you trust that, name it as sparql.endpoint"),
        (status in REFUSALS, f"{REFUSALS.get(status)} (status {status})"),
        # So says Virtuoso that its time was up.
        (status == 206 or "x-sql-state" in headers, "gives a partial answer and says so; lower sparql.batch"),
        (status != 200, f"fails (status {status}); check sparql.endpoint"),
        (form not in JSON_TYPES, f"answers with {named} where JSON is due; check sparql.endpoint"),
        (encoding != "identity", "answers in an encoding that was not asked for; ask another endpoint"),
    )
    for is_so, problem in problems:
        if is_so:
            raise EndpointError(problem)
    # Of a server that says another charset and means UTF-8, the bytes are right.
    return reply.body.removeprefix(BOM_UTF8)


def _retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that the endpoint asks to wait, 0 where it does not say."""
    wanted = headers.get("retry-after", "").strip()
    if wanted.isascii() and wanted.isdecimal():
        return float(wanted[:9])
    try:
        due = parsedate_to_datetime(wanted)
    except (ValueError, TypeError, IndexError):
        return 0.0
    return max(0.0, (due.replace(tzinfo=due.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
