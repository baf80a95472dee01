"""SPARQLWrapper over the hardened opener: a question that is asked once, and what comes back, judged.

What is asked and answered is a secret: neither is in a message. Questions are sent in the body of a POST, which the
logs of servers and proxies do not keep.
"""

from __future__ import annotations

import io
import re
import ssl
from codecs import BOM_UTF8
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, IncompleteRead, RemoteDisconnected
from importlib.metadata import version
from typing import Any, Final, cast
from urllib.parse import parse_qsl, urlsplit

from SPARQLWrapper import JSON, POST, POSTDIRECTLY, SELECT, SPARQLWrapper

from embanon.config import SparqlSettings, is_loopback
from embanon.errors import InputError
from embanon.io import Reply, TooLargeError, post

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
