"""The opener for all that is asked over HTTP: a single request, to the named address only, in bounded time and bytes.

SPARQLWrapper and the language models of `--polish` ask through it. The `urlopen` of the process cannot be held to that:
its time-out is that of a single read, it follows redirects to other hosts, and takes a proxy of the environment even
to this machine.
"""

from __future__ import annotations

import base64
import io
import socket
import ssl
import time
import urllib.request
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPResponse, IncompleteRead
from typing import Any, Final, cast
from urllib.parse import SplitResult, unquote, urlsplit

PORTS: Final = {"http": 80, "https": 443}


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
    connection = _connection(parts, is_local=is_local)
    connection.response_class = cast(Any, partial(_DeadlineResponse, deadline=deadline))
    cast(Any, connection)._create_connection = partial(_reach, deadline=deadline)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.connect()
        connection.sock.settimeout(_left(deadline))
        if parts.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(connection.sock, server_hostname=parts.hostname)
            connection.sock.settimeout(_left(deadline))
        connection.request("POST", path, body, headers | {"Connection": "close", "Accept-Encoding": "identity"})
        with connection.getresponse() as response:
            named = {name.lower(): value for name, value in response.getheaders()}
            whole = _read_to_end(response, most_bytes) if response.status == 200 else b""
            return Reply(response.status, named, whole)
    finally:
        connection.close()


def _left(deadline: float) -> float:
    """Return the seconds that are left."""
    if (left := deadline - time.monotonic()) <= 0:
        raise TimeoutError
    return left


def _reach(place: tuple[str, int], *_: Any, deadline: float) -> socket.socket:
    """Connect to the first address of a host that answers; those that are left share the time that is left."""
    addresses = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)
    problem = OSError("no address")
    for number, (*form, _name, address) in enumerate(addresses):
        reached = socket.socket(*form)
        try:
            reached.settimeout(_left(deadline) / (len(addresses) - number))
            reached.connect(address)
        except OSError as exc:
            reached.close()
            problem = exc
        else:
            reached.settimeout(_left(deadline))
            return reached
    raise problem


def _read_to_end(response: HTTPResponse, most_bytes: int) -> bytes:
    """Read to the end, which must be where the server said."""
    if (response.length or 0) > most_bytes or len(body := response.read(most_bytes + 1)) > most_bytes:
        raise TooLargeError
    if response.length:
        raise IncompleteRead(b"", response.length)
    return body


def _connection(parts: SplitResult, *, is_local: bool) -> HTTPConnection:
    """Prepare to connect: straight, or by the tunnel of a proxy, which then sees the name of the host and no more.

    Over http a proxy would read the question, and one to this machine is no business of a proxy.
    """
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    is_direct = is_local or parts.scheme == "http" or urllib.request.proxy_bypass(host)
    proxy = "" if is_direct else urllib.request.getproxies().get("https", "")
    way = urlsplit(proxy if "://" in proxy else f"//{proxy}")
    if proxy and (not way.hostname or way.scheme not in ("", "http")):
        raise ValueError("no proxy of HTTP")
    connection = HTTPConnection(way.hostname or host, (way.port or 80) if proxy else port)
    connection.default_port = PORTS[parts.scheme]  # which goes without saying in the header `Host`
    if proxy:
        pair = f"{unquote(way.username or '')}:{unquote(way.password or '')}".encode()
        secret = {"Proxy-Authorization": "Basic " + base64.b64encode(pair).decode("ascii")} if way.username else {}
        connection.set_tunnel(host, port, secret)
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
        self._sock.settimeout(_left(self._deadline))
        return cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        self._raw.close()
        super().close()
