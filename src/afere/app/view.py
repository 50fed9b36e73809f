"""Serves the store's pages on this machine: a small HTTP server that only reads.

It answers GET alone and knows three addresses. On loopback it answers only requests that name a
loopback host, so that a foreign site whose name was bound to 127.0.0.1 reads nothing; elsewhere
every address begins with a random token. The store is opened anew for each request.
"""

import asyncio
import contextlib
import ipaddress
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

from afere.app import pages
from afere.app.watching import progress_of
from afere.domain import AfereError, NoStoreError, Policy, Store
from afere.report import RunProgress, Words, library_page, progress_rows

__all__ = ["View", "is_loopback"]

T = TypeVar("T")
KEPT_PAGES = 8
MOST_RUNS = 50
HTML, JSON, TEXT = (
    "text/html; charset=utf-8",
    "application/json",
    "text/plain; charset=utf-8",
)


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach a host."""
    if host == "localhost":
        return True
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return False


class View:
    """The server; `address` is what to open, and `serve` answers until `close` is called."""

    def __init__(self, host: str, port: int, store: str, words: Words) -> None:
        """Bind host and port (0 is any free one); raises OSError."""
        self.words, self._store = words, store
        self._token = "" if is_loopback(host) else secrets.token_urlsafe(18)
        self._pages: OrderedDict[tuple[object, ...], str] = OrderedDict()
        self._lock = threading.Lock()
        view = self

        class Handler(_Handler):
            answer = staticmethod(view._answer)

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            address_family = _family(host)

        self._server = Server((host, port), Handler)
        self._host, self._port = host, self._server.server_address[1]

    @property
    def address(self) -> str:
        """The address of the first page."""
        shown = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{shown}:{self._port}{self._prefix}"

    def serve(self) -> None:
        """Answer requests until `close` is called from another thread."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop answering, and give the port back."""
        self._server.shutdown()
        self._server.server_close()

    @property
    def _prefix(self) -> str:
        return f"/{self._token}/" if self._token else "/"

    def _answer(self, target: str, host: str) -> "_Answer":
        if not self._token and not _names_loopback(host):
            return _Answer(HTTPStatus.MISDIRECTED_REQUEST, TEXT, "This host is not served here.\n")
        split = urlsplit(target)
        if not secrets.compare_digest(
            split.path[: len(self._prefix)].encode(), self._prefix.encode()
        ):
            return _NOT_FOUND
        try:
            given = parse_qs(split.query, max_num_fields=MOST_RUNS)
            return self._page(split.path[len(self._prefix) :], given.get("run", []))
        except (AfereError, ValueError) as error:
            return _Answer(HTTPStatus.NOT_FOUND, TEXT, f"{error}\n")
        except Exception as fault:  # noqa: BLE001 - the next request may well be answered
            told = f"A fault of afere itself: {type(fault).__name__}\n"
            return _Answer(HTTPStatus.INTERNAL_SERVER_ERROR, TEXT, told)

    def _page(self, name: str, runs: list[str]) -> "_Answer":
        if name == "":
            return _Answer(HTTPStatus.OK, HTML, self._library())
        if name == "progress.json":
            rows = progress_rows(self._read(_progress), self.words)
            return _Answer(HTTPStatus.OK, JSON, json.dumps({"rows": rows}))
        if name == "page" and runs:
            return _Answer(HTTPStatus.OK, HTML, self._report(runs))
        return _NOT_FOUND

    def _library(self) -> str:
        async def read(store: Store) -> str:
            return library_page(
                await store.plans(),
                await _progress(store),
                store=_shown(self._store),
                words=self.words,
            )

        try:
            return self._read(read)
        except NoStoreError:
            return library_page((), (), store=_shown(self._store), words=self.words)

    def _report(self, runs: list[str]) -> str:
        """Make a page, or give the one that was made of the same state of the same runs."""

        async def state(store: Store) -> tuple[object, ...]:
            found = {plan.id: last.finished for plan, last in await store.plans()}
            exact = all(run in found for run in runs)  # another name may come to mean another run
            return (*runs, *((run, found[run]) for run in (runs if exact else found)))

        async def make(store: Store) -> str:
            found = await pages.find_sides(store, runs, None, files=False)
            told = pages.told_of(found, Policy())
            return (await pages.page_of(told, store, self.words)).html

        known = self._read(state)
        with self._lock:
            if known in self._pages:
                self._pages.move_to_end(known)
                return self._pages[known]
        page = self._read(make)
        if not any(isinstance(each, tuple) and each[1] is None for each in known):
            with self._lock:
                self._pages[known] = page
                while len(self._pages) > KEPT_PAGES:
                    self._pages.popitem(last=False)
        return page

    def _read(self, ask: Callable[[Store], Coroutine[Any, Any, T]]) -> T:
        from afere.store import open_store

        async def main() -> T:
            store = await open_store(self._store, clock=time.time, make=False)
            try:
                return await ask(store)
            finally:
                await store.close()

        return asyncio.run(main())


class _Answer:
    """Status, kind and text of a reply."""

    def __init__(self, status: HTTPStatus, kind: str, text: str) -> None:
        self.status, self.kind, self.body = status, kind, text.encode("utf-8", "replace")


_NOT_FOUND = _Answer(HTTPStatus.NOT_FOUND, TEXT, "There is no such page.\n")


class _Handler(BaseHTTPRequestHandler):
    """Answers GET and HEAD; writes no log, since an address holds the token."""

    answer: Callable[[str, str], _Answer]
    server_version, sys_version = "afere", ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer with a page."""
        self._send(with_body=True)

    def do_HEAD(self) -> None:
        """Answer with the headers of a page."""
        self._send(with_body=False)

    def log_message(self, *_: object) -> None:
        """Write nothing."""

    def _send(self, *, with_body: bool) -> None:
        found = self.answer(self.path, self.headers.get("Host", ""))
        self.send_response(found.status)
        for name, value in (
            ("Content-Type", found.kind),
            ("Content-Length", str(len(found.body))),
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ):
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            with contextlib.suppress(ConnectionError):
                self.wfile.write(found.body)


async def _progress(store: Store) -> list[RunProgress]:
    return await progress_of(store, time.time())


def _names_loopback(host: str) -> bool:
    """Tell whether a request's Host header names this machine as itself."""
    try:
        return is_loopback(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False


def _family(host: str) -> Any:  # noqa: ANN401 - the socket module's constant
    import socket

    return socket.AF_INET6 if ":" in host else socket.AF_INET


def _shown(store: str) -> str:
    from afere.report import harmless

    if "://" not in store:
        return harmless(store)
    parts = urlsplit(store)
    return harmless(f"{parts.scheme}://{parts.hostname or ''}{parts.path}")
