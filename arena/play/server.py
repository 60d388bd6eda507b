"""The HTTP server of the page, for this machine only.

It listens on 127.0.0.1. Every address begins with a random token, and a request must name this
server as its Host: no page of another server can then play or watch, not even under a host name
that resolves to this machine. Requests that change something must come from the page itself,
according to their Origin.

The address with which a browser is started is visible in the list of processes. It has a ticket
instead of the token, which leads to the page only once.
"""

import hmac
import json
import os
import secrets
import select
import socket
import socketserver
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

from zobra.arena.play.door import Door
from zobra.arena.play.feed import END, Feed, Presence
from zobra.arena.play.waiting_page import WAITING_POLICY, waiting_page

ADDRESS = "127.0.0.1"
MAX_BODY = 4096  # bytes
MAX_CONNECTIONS = 256
IDLE_SECONDS = 15.0  # for a request to come, and for an answer to be taken
EVENT_SECONDS = 1.0  # between two looks whether a page that reads events is still there

_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
_PAGE = "play.html"
_FILES = (
    "play.css",
    "play.js",
    "dialogs.js",
    "sound.js",
    "waiting.js",
    "chessground.base.css",
    "chessground.brown.css",
    "chessground.cburnett.css",
    "chessground.min.js",
)
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# The page of an analysis has all its scripts, styles and pictures in itself.
_ANALYSIS_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}


def refusal(
    port: int, token: str, path: str, headers: dict[str, str | None], *, changes: bool
) -> HTTPStatus | None:
    """Return the status with which a request is refused, or None if it is allowed.

    `headers` are its Host and Origin. A request with `changes` must have an Origin.
    """
    hosts = (f"{ADDRESS}:{port}", f"localhost:{port}")
    host = headers["Host"]
    origin = headers["Origin"]
    if host not in hosts:
        return HTTPStatus.MISDIRECTED_REQUEST
    if origin is None and changes:
        return HTTPStatus.FORBIDDEN
    if origin is not None and origin != f"http://{host}":
        return HTTPStatus.FORBIDDEN
    given = path.split("/")[1] if path.count("/") >= 2 else ""
    if not hmac.compare_digest(given.encode(), token.encode()):
        return HTTPStatus.NOT_FOUND
    return None


class PageServer(ThreadingHTTPServer):
    """The server, which answers in threads. `port` 0 chooses a free one. Raise OSError."""

    allow_reuse_address = os.name == "posix"  # on Windows others could listen on the same port
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, door: Door, feed: Feed, presence: Presence, port: int = 0) -> None:
        self.door = door
        self.feed = feed
        self.presence = presence
        self.token = secrets.token_urlsafe(24)
        self.tickets = [secrets.token_urlsafe(24)]  # empty once it is used
        self.stopping = threading.Event()
        self._places = threading.Semaphore(MAX_CONNECTIONS)
        self._thread = threading.Thread(target=self.serve_forever, args=(0.1,), daemon=True)
        super().__init__((ADDRESS, port), _Handler)
        self.port = self.server_address[1]

    @property
    def url(self) -> str:
        """The address of the page, with its token."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    @property
    def ticket_url(self) -> str:
        """The address with the ticket instead of the token."""
        return f"http://{ADDRESS}:{self.port}/{self.tickets[0]}/"

    def server_bind(self) -> None:
        """Bind the socket without a lookup of this machine's name, which may take long."""
        socketserver.TCPServer.server_bind(self)

    def __enter__(self) -> "PageServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self.shutdown()
        self._thread.join()
        self.server_close()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a new thread, unless too many are running."""
        if not self._places.acquire(blocking=False):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except RuntimeError:  # no thread can be started
            self._places.release()
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer the requests of a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about a broken connection."""


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection."""

    server: PageServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True  # or a body would wait for the receipt of its headers
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "%(code)d %(message)s\n"

    def version_string(self) -> str:
        """Return the name of the server."""
        return "Zobra"

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing: the terminal belongs to the game."""

    def do_GET(self) -> None:
        """Answer with the page and its files, the events, the PGN, or the analysis."""
        if self._uses_ticket():
            self._send(HTTPStatus.SEE_OTHER, more={"Location": f"/{self.server.token}/"})
            return
        name = self._admitted(changes=False)
        if name is None:
            return
        if name == "":
            self._send_file(_PAGE)
        elif name in _FILES:
            self._send_file(name)
        elif name == "events":
            self._send_events()
        elif name == "game.pgn":
            self._send_pgn()
        elif name == "analysis" and self._query == "":
            self._begin_analysis()
        elif name == "analysis":
            self._send_analysis()
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def do_POST(self) -> None:
        """Accept a command of the page."""
        name = self._admitted(changes=True)
        if name is None:
            return
        body = self._body()
        if body is None:
            return
        if name == "goodbye":
            self.server.presence.say_goodbye()
            self._send(HTTPStatus.NO_CONTENT)
        elif name == "command":
            self._execute(body)
        else:
            self._refuse(HTTPStatus.NOT_FOUND)

    def _uses_ticket(self) -> bool:
        """Return whether the request has a ticket, which is then used up."""
        tickets = self.server.tickets
        if not any(self._problem(ticket, changes=False) is None for ticket in tickets):
            return False
        try:
            tickets.pop()
        except IndexError:  # another request was faster
            return False
        return True

    def _admitted(self, *, changes: bool) -> str | None:
        """Return the part of the address after the token, or None if the request is refused."""
        problem = self._problem(self.server.token, changes=changes)
        if problem is not None:
            self._refuse(problem)
            return None
        return self._path.split("/", 2)[2]

    @property
    def _path(self) -> str:
        return self.path.partition("?")[0]

    @property
    def _query(self) -> str:
        return self.path.partition("?")[2]

    def _problem(self, token: str, *, changes: bool) -> HTTPStatus | None:
        """Return why the request is refused with this token, or None if it is allowed."""
        headers: dict[str, str | None] = {}
        for name in ("Host", "Origin"):
            values = self.headers.get_all(name) or []
            headers[name] = values[0] if len(values) == 1 else "several" if values else None
        return refusal(self.server.port, token, self._path, headers, changes=changes)

    def _body(self) -> bytes | None:
        """Return the body of a request, or None if it is refused."""
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()) or "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.LENGTH_REQUIRED)
            return None
        if len(length) > 9 or int(length) > MAX_BODY:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
            return None
        return self.rfile.read(int(length))

    def _execute(self, body: bytes) -> None:
        """Carry out a command of the page.

        A refusal has status 200, because browsers print every other status in their consoles.
        """
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self._refuse(HTTPStatus.BAD_REQUEST)
            return
        try:
            self.server.door.execute(message)
        except ValueError as error:
            text = json.dumps({"error": str(error)})
            self._send(HTTPStatus.OK, text.encode(), "application/json")
        else:
            self._send(HTTPStatus.NO_CONTENT)

    def _send_file(self, name: str) -> None:
        content = files("zobra.arena.play").joinpath("data").joinpath(name).read_bytes()
        kind = _TYPES[name[name.rindex(".") :]]
        self._send(HTTPStatus.OK, content, kind, {"Content-Security-Policy": _POLICY})

    def _send_pgn(self) -> None:
        more = {"Content-Disposition": 'attachment; filename="game.pgn"'}
        content = self.server.door.pgn().encode()
        self._send(HTTPStatus.OK, content, "application/x-chess-pgn", more)

    def _begin_analysis(self) -> None:
        """Start the analysis of the game if necessary, and lead to its own address.

        A page that is loaded anew from there starts nothing.
        """
        try:
            number = self.server.door.analyse()
        except ValueError as error:
            self._send_page(waiting_page(str(error), None), WAITING_POLICY)
        else:
            address = f"/{self.server.token}/analysis?{number}"
            self._send(HTTPStatus.SEE_OTHER, more={"Location": address})

    def _send_analysis(self) -> None:
        """Send the page of an analysis, or how far it is, or why there is none."""
        analysis = self.server.door.analysis(self._query)
        if analysis is None:
            self._refuse(HTTPStatus.NOT_FOUND)
        elif analysis.page:
            self._send_page(analysis.page, _ANALYSIS_POLICY)
        else:
            self._send_page(waiting_page(analysis.problem, analysis.share), WAITING_POLICY)

    def _send_page(self, page: str, policy: str) -> None:
        more = {"Content-Security-Policy": policy}
        self._send(HTTPStatus.OK, page.encode(), "text/html", more)

    def _send_events(self) -> None:
        """Send the topics of the feed as server-sent events, until one side ends."""
        self.close_connection = True
        self.send_response(HTTPStatus.OK)
        for name, value in {**_HEADERS, "Content-Type": "text/event-stream"}.items():
            self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        seen: dict[str, int] = {}
        self.server.presence.enter()
        try:
            self.server.door.refresh()
            while True:
                for topic, text in self.server.feed.wait(seen, EVENT_SECONDS).items():
                    self.wfile.write(f"event: {topic}\ndata: {text}\n\n".encode())
                if END in seen or self.server.stopping.is_set() or self._is_gone():
                    return
        except OSError:
            return
        finally:
            self.server.presence.leave()

    def _is_gone(self) -> bool:
        """Whether the other side has closed the connection."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and not self.connection.recv(1, socket.MSG_PEEK)

    def _refuse(self, status: HTTPStatus) -> None:
        """Answer with an error, and close the connection: its body was not read."""
        self.close_connection = True
        more = {"Connection": "close"}
        self._send(status, f"{status.phrase}\n".encode(), "text/plain", more)

    def _send(
        self,
        status: HTTPStatus,
        content: bytes = b"",
        kind: str = "text/plain",
        more: dict[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        headers = {**_HEADERS, **(more or {})}
        if content:
            headers["Content-Type"] = f"{kind}; charset=utf-8"
        if status != HTTPStatus.NO_CONTENT:
            headers["Content-Length"] = str(len(content))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
