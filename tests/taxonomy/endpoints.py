"""Real endpoints of SPARQL on this machine: two that answer, and one that misbehaves as it is told."""

from __future__ import annotations

import contextlib
import gzip
import json
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import rdflib

RESULT = "application/sparql-results+json"
SECRET = "Geheimnis"

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
        self.server.paths.append(self.path)
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
        self.paths: list[str] = []
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


def rdflib_engine(file: Path) -> Reply:
    """Answer by the parser and the algebra of rdflib itself."""
    graph = rdflib.Graph()
    graph.parse(file, format="nt")
    lock = threading.Lock()  # of its parser, which is not for threads

    def reply(handler: Handler, query: str) -> None:
        with lock:
            answered = graph.query(query).serialize(format="json")
        handler.answer(answered or b"")

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
    handler.answer(b"{", length=10 << 30)


def endless_chunks(handler: Handler, query: str) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", RESULT)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    while True:
        handler.wfile.write(b"10000\r\n" + b" " * (1 << 16) + b"\r\n")


def endless_headers(handler: Handler, query: str) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        handler.wfile.write(b"X: 1\r\n" * 1000)


def continues(handler: Handler, query: str) -> None:
    while True:
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.01)


def redirect_here(handler: Handler, query: str) -> None:
    handler.answer(b"", 301, Location=f"{handler.server.address}/{SECRET}")


def relay(address: str) -> Reply:
    """Ask another server, and pass on what it answers."""

    def reply(handler: Handler, query: str) -> None:
        headers = {"Content-Type": "application/sparql-query", "Accept": RESULT}
        asked = urllib.request.Request(address, query.encode(), headers)
        with urllib.request.urlopen(asked) as answered:
            handler.answer(answered.read())

    return reply


XML_BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><x>&b;</x>"""
GOOD = b'{"head":{"vars":["what"]},"results":{"bindings":[{"what":{"type":"literal","value":"99"}}]}}'

# name: reply, what the message says, questions asked with one retry
BROKEN: dict[str, tuple[Any, str, int]] = {
    "stalls": (stall, r"gave no answer in 0\.3 s; raise sparql\.seconds", 1),
    "drips": (drip, r"gave no answer in 0\.3 s", 1),
    "drips headers": (drip_headers, r"gave no answer in 0\.3 s", 1),
    "hangs up": (vanish, "ended before its answer did", 2),
    "another protocol": (gabble, "does not speak HTTP", 1),
    "endless": (endless, "more than 1 MB; lower sparql.page", 1),
    "endless chunks": (endless_chunks, "more than 1 MB; lower sparql.page", 1),
    "endless headers": (endless_headers, "does not speak HTTP", 1),
    "for ever about to answer": (continues, r"gave no answer in 0\.3 s", 1),
    "10 GB": (gigabytes, "more than 1 MB", 1),
    "busy": (status(429), r"is busy \(status 429\); try later", 2),
    "overloaded": (status(503, Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"), r"is busy \(status 503\)", 2),
    "nonsense to wait": (status(502, Retry_After="soon"), r"is busy \(status 502\)", 2),
    "too long to wait": (status(429, Retry_After="86400"), "asks to wait 86400 s", 1),
    "late gateway": (status(504), r"is busy \(status 504\)", 2),
    "malformed": (status(400), r"does not understand the query.*\(status 400\)", 1),
    "forbidden": (status(403), "refuses to answer", 1),
    "missing": (status(404), "is no endpoint of SPARQL; check sparql.endpoint", 1),
    "teapot": (status(418), r"fails \(status 418\)", 1),
    "fails": (status(500), r"asked for 1 ids, it fails \(status 500\); lower sparql.batch", 1),
    "partial content": (status(206), "gives a partial answer and says so", 1),
    "anytime query": (body(GOOD, X_SQL_State="S1TAT"), "gives a partial answer and says so", 1),
    "redirect": (status(302, Location=f"https://evil.example/{SECRET}"), r"\(to https://evil\.example\)", 1),
    "redirect with a password": (status(307, Location=f"https://me:{SECRET}@evil.example/"), "sends elsewhere; if", 1),
    "redirect to the same host": (redirect_here, r"sends elsewhere \(to http://127\.0\.0\.1:\d+\); if you trust", 1),
    "redirect to a path": (status(308, Location=f"/{SECRET}"), "sends elsewhere; if you trust that, name it", 1),
    "redirect to a file": (status(302, Location="file:///etc/passwd"), "sends elsewhere; if you trust that", 1),
    "redirect to nowhere": (status(301, Location="//[" + SECRET), "sends elsewhere; if you trust", 1),
    "HTML": (body(b"<html>", Content_Type="text/html; charset=utf-8"), "answers with text/html where JSON", 1),
    "HTML as JSON": (body(b"<!doctype html><title>Error</title>"), "answers with what is no JSON; check", 1),
    "XML behind JSON": (body(XML_BOMB, Content_Type="application/json; a=application/xml"), "what is no JSON", 1),
    "odd type": (body(GOOD, Content_Type=f"{SECRET} x"), "answers with something else", 1),
    "gzip": (body(gzip.compress(GOOD), Content_Encoding="gzip"), "in an encoding that was not asked for", 1),
    "gzip bomb": (body(gzip.compress(b" " * (64 << 20)), Content_Encoding="gzip"), "that was not asked for", 1),
    "gzip unsaid": (body(gzip.compress(GOOD)), "not UTF-8 .byte 1", 1),
    "JSON cut": (body(GOOD[:-9]), "gives a partial answer: JSON that is cut", 2),
    "body cut": (body(GOOD, length=len(GOOD) + 9), "ended before its answer did, a partial answer", 2),
    "error inside": (body(GOOD[:-20] + b"java.util.concurrent.TimeoutException"), "gives a partial answer", 2),
    "deep": (body(b'{"results":' * 50_000), "JSON that is nested too deep", 1),
    "deep lists": (body(b"[" * 80_000), "JSON that is nested too deep", 1),
    "nothing but rows": (body(b'{"results": {"bindings": [' + b"{}," * 100_000 + b"{}]}}"), "more rows than it was", 1),
    "a number for ever": (body(b'{"results": ' + b"9" * 100_000 + b"}"), "gives a partial answer: JSON that is cut", 2),
    "Latin 1": (body(b'{"G\xf6tz"}', Content_Type=f"{RESULT}; charset=latin-1"), "not UTF-8 .byte 3", 1),
    "UTF-16": (body(GOOD.decode().encode("utf-16")), "not UTF-8 .byte 0", 1),
    "empty": (body(b""), "gives a partial answer", 2),
    "no object": (body(b"[]"), "no result of SPARQL", 1),
    "no rows": (body(b'{"boolean": true}'), "no result of SPARQL", 1),
    "rows of numbers": (body(b'{"results": {"bindings": [{"what": 1}]}}'), "no result of SPARQL", 1),
    "values of numbers": (
        body(b'{"results": {"bindings": [{"what": {"type": "literal", "value": 99}}]}}'), "no result of SPARQL", 1,
    ),
    "nothing found": (body(b'{"results": {"bindings": []}}'), "asked for 1 ids, it gives a partial answer", 1),
    "other rows": (body(GOOD.replace(b"what", b"that")), "gives a partial answer", 1),
    "other numbers": (body(GOOD.replace(b'"99"', b'"1e9"')), "gives a partial answer", 1),
    "the same page for ever": (body(GOOD.replace(b'"99"', b'"0"')), "gives a partial answer", 2),
}  # fmt: skip
