"""A single HTTP request, to the named address only, with limits on time and bytes.

SPARQLWrapper cannot be held to that: it sends with the `urlopen` of the process, whose time-out is that of a single
read, which reads all of an error of any size into its message, follows redirects to other hosts, and takes a proxy
of the environment even to this machine.
"""

from __future__ import annotations

import base64
import io
import ssl
import time
import urllib.request
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection, IncompleteRead
from typing import Any, Final, cast
from urllib.parse import SplitResult, unquote, urlsplit

SLICE: Final = 1 << 16


class TooLargeError(Exception):
    """An answer has more bytes than allowed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back; the body of a failure is not read."""

    status: int
    headers: dict[str, str] = field(repr=False)
    """By small names."""
    body: bytes = field(default=b"", repr=False)


def post(
    address: str, body: bytes, headers: dict[str, str], seconds: float, most_bytes: int, *, is_local: bool
) -> Reply:  # fmt: skip
    """Send a question, and return what comes back in time; redirects are not followed, nor proxies to this machine."""
    deadline = time.monotonic() + seconds
    parts = urlsplit(address)
    connection = _connection(parts, seconds, is_local=is_local)
    connection.response_class = cast(Any, partial(_DeadlineResponse, deadline=deadline))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request("POST", path, body, headers | {"Connection": "close", "Accept-Encoding": "identity"})
        with connection.getresponse() as response:
            named = {name.lower(): value for name, value in response.getheaders()}
            whole = _read_to_end(response, most_bytes) if response.status == 200 else b""
            return Reply(response.status, named, whole)
    finally:
        connection.close()


def _read_to_end(response: HTTPResponse, most_bytes: int) -> bytes:
    """Read to the end, which must be where the server said."""
    if (response.length or 0) > most_bytes:
        raise TooLargeError
    body = bytearray()
    while part := response.read(SLICE):
        body += part
        if len(body) > most_bytes:
            raise TooLargeError
    if response.length:
        raise IncompleteRead(b"", response.length)
    return bytes(body)


def _connection(parts: SplitResult, seconds: float, *, is_local: bool) -> HTTPConnection:
    """Prepare to connect: straight, or by the tunnel of a proxy, which then sees the name of the host and no more.

    Over http a proxy would read the question, and one to this machine is no business of a proxy.
    """
    host = parts.hostname or ""
    if parts.scheme.lower() == "http":
        return HTTPConnection(host, parts.port or 80, timeout=seconds)
    port, context = parts.port or 443, ssl.create_default_context()
    proxy = None if is_local or urllib.request.proxy_bypass(host) else urllib.request.getproxies().get("https")
    if not proxy:
        return HTTPSConnection(host, port, timeout=seconds, context=context)
    way = urlsplit(proxy if "://" in proxy else f"//{proxy}")
    if not way.hostname or way.scheme not in ("", "http"):
        raise ValueError("no proxy of HTTP")
    connection = HTTPSConnection(way.hostname, way.port or 80, timeout=seconds, context=context)
    named = {}
    if way.username:
        pair = f"{unquote(way.username)}:{unquote(way.password or '')}".encode()
        named = {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode("ascii")}
    connection.set_tunnel(host, port, named)
    return connection


class _DeadlineResponse(HTTPResponse):
    """A response that must have ended at the deadline, however slowly it drips."""

    def __init__(self, sock: Any, *arguments: Any, deadline: float, **named: Any) -> None:
        super().__init__(sock, *arguments, **named)
        self.fp.close()
        self.fp = io.BufferedReader(_DeadlineReader(sock, deadline))


class _DeadlineReader(io.RawIOBase):
    """The bytes of a socket until the deadline."""

    def __init__(self, sock: Any, deadline: float) -> None:
        self._sock, self._deadline = sock, deadline
        # Held, for the connection closes its socket before the response is read.
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._sock.settimeout(left)
        return cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        self._raw.close()
        super().close()
