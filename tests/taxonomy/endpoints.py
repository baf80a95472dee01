"""Real endpoints of SPARQL on this machine: two that answer, and one that misbehaves as it is told."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

RESULT = "application/sparql-results+json"

ENDPOINT = """
import logging, socket, sys
import uvicorn
from rdflib import Dataset
from rdflib_endpoint import SparqlEndpoint

graph = Dataset(store="Oxigraph", default_union=True)
graph.parse(sys.argv[1], format="nt")
listening = socket.socket()
listening.bind(("127.0.0.1", 0))
listening.listen()
print(listening.getsockname()[1], flush=True)
config = uvicorn.Config(SparqlEndpoint(graph=graph), log_level="critical", ws="none", lifespan="off")
uvicorn.Server(config).run(sockets=[listening])
"""
"""In a process of its own, the warnings of its libraries are not ours."""

Reply = Callable[["Handler", str], None]


@contextlib.contextmanager
def rdflib_endpoint(file: Path) -> Iterator[str]:
    """Serve a file of N-Triples by rdflib-endpoint over pyoxigraph."""
    process = subprocess.Popen([sys.executable, "-c", ENDPOINT, str(file)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/"
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


class Handler(BaseHTTPRequestHandler):
    """Do what the server's next reply says; the last one is for all that follow."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        query = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.asked.append(query)
        self.server.heads.append(dict(self.headers))
        self.close_connection = True
        replies = self.server.replies
        reply = replies.pop(0) if len(replies) > 1 else replies[0]
        with contextlib.suppress(ConnectionError):  # the client may have enough
            reply(self, query)

    def do_CONNECT(self) -> None:
        self.server.asked.append(self.path)
        self.server.heads.append(dict(self.headers))
        self.answer(b"", 403)

    def answer(self, body: bytes, status: int = 200, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in ({"Content_Type": RESULT} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


class Server(ThreadingHTTPServer):
    """A server that keeps what it was asked."""

    daemon_threads = True

    def __init__(self, *replies: Reply) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.replies = list(replies)
        self.asked: list[str] = []
        self.heads: list[dict[str, str]] = []
        self.address = f"http://127.0.0.1:{self.server_port}/sparql"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients go away in the middle."""


@contextlib.contextmanager
def serving(*replies: Reply) -> Iterator[Server]:
    with Server(*replies) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


# What a server may do


def oxigraph(file: Path, most: int | None = None, change: Callable[[list[Any]], list[Any]] = list) -> Reply:
    """Answer by pyoxigraph, with at most so many rows."""
    from pyoxigraph import QueryResultsFormat, RdfFormat, Store

    store = Store()
    store.load(path=str(file), format=RdfFormat.N_TRIPLES)

    def reply(handler: Handler, query: str) -> None:
        try:
            body = store.query(query).serialize(format=QueryResultsFormat.JSON)
        except SyntaxError:
            return handler.answer(b"no", 400)
        table = json.loads(body)
        table["results"]["bindings"] = change(table["results"]["bindings"][:most])
        return handler.answer(json.dumps(table).encode())

    return reply


def status(code: int, **headers: str) -> Reply:
    """Fail, and quote what was asked."""
    return lambda handler, query: handler.answer(b"bad: " + query.encode(), code, **headers)


def body(data: bytes, length: int | None = None, **headers: str) -> Reply:
    return lambda handler, query: handler.answer(data, length=length, **headers)


def stall(handler: Handler, query: str) -> None:
    time.sleep(1)


def drip(handler: Handler, query: str) -> None:
    handler.answer(b"", length=1000)
    for _ in range(20):
        handler.wfile.write(b" ")
        time.sleep(0.05)


def drip_headers(handler: Handler, query: str) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    for number in range(20):
        handler.wfile.write(b"X-%d: 1\r\n" % number)
        time.sleep(0.05)


def vanish(handler: Handler, query: str) -> None:
    """Hang up without a word."""


def gabble(handler: Handler, query: str) -> None:
    handler.wfile.write(b"220 mail.example ESMTP\r\n" * 3)


def endless(handler: Handler, query: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", RESULT)
    handler.end_headers()
    while True:
        handler.wfile.write(b" " * (1 << 16))


def gigabytes(handler: Handler, query: str) -> None:
    handler.answer(b"{", length=5 << 30)
