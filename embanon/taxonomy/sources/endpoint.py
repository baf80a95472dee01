"""A SPARQL endpoint: retried when busy, its answers kept where a cache is named, and never contacted by default.

What is asked and answered is a secret: neither is logged or in a message.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from SPARQLWrapper import JSON, QueryResult

from embanon.config import SparqlSettings
from embanon.errors import ConfigError
from embanon.taxonomy.sources.answer_cache import AnswerCache
from embanon.taxonomy.sources.endpoint_wrapper import Answer, EndpointError, EndpointWrapper, TransientError

LOG: Final = logging.getLogger(__name__)

MAX_BYTES: Final = 64 << 20
MAX_WAIT: Final = 120.0
"""Seconds; an endpoint that asks for more patience is asked no more."""
BRACKETS_OF_ROW: Final = 8
"""Twice as many as a row of three values has: an answer that is brackets alone would fill the memory."""

Binding = Mapping[str, Mapping[str, str]]
"""Variable -> its value, as SPARQLWrapper returns it."""


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
