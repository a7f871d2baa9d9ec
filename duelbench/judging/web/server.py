"""Serves the page to this machine only, and only to those who have its address.

The server answers only requests whose path starts with the token and whose ``Host`` is this machine, by number or as
``localhost``; this stops DNS rebinding. Requests that change anything must come from the page itself (``Origin``,
JSON). The server sends the page, its style and script, and the files of arms; the browser must load nothing else.
"""

import contextlib
import hmac
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from duelbench.errors import DuelbenchError, InputError
from duelbench.judging.known import known, sentences
from duelbench.judging.web.address import HOST, Address
from duelbench.judging.web.desk import Closed, Desk
from duelbench.judging.web.exhibits import Exhibit

MOST_BYTES = 16_384
"""The maximum number of bytes in a request of the page."""

LONGEST = 100
"""The maximum number of characters in the name of a tab."""

JSON = "application/json"

_TEXT = "text/plain; charset=utf-8"

_HERE = Path(__file__).parent
_FILES = {
    "": ("page.html", "text/html; charset=utf-8"),
    "page.css": ("page.css", "text/css; charset=utf-8"),
    "page.js": ("page.js", "text/javascript; charset=utf-8"),
}
_ARM = "arm/"

_PAGE_RULES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_ARM_RULES = (
    "sandbox; default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline';"
    " frame-ancestors 'self'"
)
"""Content security policies of the page, and of the files of arms, which run and fetch nothing."""


def listening(port: int) -> socket.socket:
    """Return a socket that listens at a port of this machine; requests wait until a `Server` answers.

    The system chooses a port for `ANY_PORT` of `duelbench.judging.web.address`. Raises an `OSError` if the port is in
    use.
    """
    listener = socket.socket()
    try:
        if os.name != "nt":  # Windows would let two servers listen at the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except BaseException:
        listener.close()
        raise
    return listener


class Server(ThreadingHTTPServer):
    """Serves a desk and the exhibits of its arms at a socket of `listening`, which it closes at the end."""

    def __init__(self, listener: socket.socket, token: str, desk: Desk, exhibits: Sequence[Exhibit]) -> None:
        self.desk, self.exhibits = desk, exhibits
        self.address = Address(listener.getsockname()[1], token)
        super().__init__((HOST, self.address.port), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener

    def serve(self) -> None:
        """Serve until interrupted; then finish the current request, and refuse later ones."""
        try:
            self.serve_forever(poll_interval=0.1)
        finally:
            self.desk.close()
            self.server_close()


class _Refused(Exception):
    """Raised to refuse a request; the message is the reason."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """Answers the requests of a connection."""

    server: Server
    server_version, sys_version = "duelbench", ""
    timeout = 30.0  # seconds after which a silent connection is closed

    def do_GET(self) -> None:
        """Send a file of the page or of an arm."""
        with self._answering(is_page=False):
            name = self._requested_name()
            if self.path == f"/{self.server.address.token}":
                self._send(b"", _TEXT, _PAGE_RULES, HTTPStatus.PERMANENT_REDIRECT, Location=f"{self.path}/")
            elif name in _FILES:
                file, media_type = _FILES[name]
                self._send((_HERE / file).read_bytes(), media_type, _PAGE_RULES)
            else:
                self._send(*self._arm(name), _ARM_RULES)

    def do_POST(self) -> None:
        """Do an action of the page, and send the result as JSON."""
        with self._answering():
            name = self._requested_name()
            self._check_sender()
            action = _ACTIONS.get(name)
            if action is None:
                raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")
            self._send(json.dumps(action(self.server, self._message())).encode(), JSON, _PAGE_RULES)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that `http.server` cannot read, or whose method is neither GET nor POST."""
        if code == HTTPStatus.NOT_IMPLEMENTED:
            reason = "this server answers GET and POST only"
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, reason, is_page=False, Allow="GET, POST")
        else:
            self._refuse(HTTPStatus(code), message or HTTPStatus(code).phrase, is_page=False)

    def log_message(self, format: str, *args: Any) -> None:
        """Do not print requests: the terminal is for messages to the user."""

    @contextlib.contextmanager
    def _answering(self, is_page: bool = True) -> Iterator[None]:
        """Turn an error into a response, unless the browser has closed the connection."""
        try:
            try:
                yield
            except _Refused as refused:
                self._refuse(refused.status, str(refused), is_page)
            except Closed:
                self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "The server is ending.", is_page)
            except InputError as error:
                self._refuse(HTTPStatus.BAD_REQUEST, str(error), is_page)
            except DuelbenchError as error:
                self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, str(error), is_page)
            except (ConnectionError, TimeoutError):
                raise
            except Exception as fault:
                self._report(fault, is_page)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _report(self, fault: Exception, is_page: bool) -> None:
        """Report an internal error in the terminal and on the page; other requests are still answered."""
        trace = "".join(traceback.format_exception(fault))
        print(f"{trace}This is a fault of duelbench; other requests are still answered.", file=sys.stderr, flush=True)
        reason = "Internal error, see the terminal. Your answer was not saved."
        self._refuse(HTTPStatus.INTERNAL_SERVER_ERROR, reason, is_page)

    def _requested_name(self) -> str:
        """Return the path after the token; refuse a request with another host or token."""
        host = self.headers.get("Host", "")
        if host not in self._host_names():
            raise _Refused(HTTPStatus.FORBIDDEN, f"this server is not {host!r}: open the address in the terminal")
        token, _, name = self.path.removeprefix("/").partition("/")
        if not hmac.compare_digest(token.encode(), self.server.address.token.encode()):
            raise _Refused(
                HTTPStatus.FORBIDDEN,
                "This page's address is not that of the server: open the address in the terminal.",
            )
        return name

    def _host_names(self) -> tuple[str, ...]:
        return tuple(f"{name}:{self.server.address.port}" for name in (HOST, "localhost"))

    def _check_sender(self) -> None:
        """Refuse a request that the page has not sent."""
        if self.headers.get("Origin") not in [f"http://{name}" for name in self._host_names()]:
            raise _Refused(HTTPStatus.FORBIDDEN, "this was not sent by the page of this server")
        if self.headers.get_content_type() != JSON:
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a page must send JSON")

    def _message(self) -> dict[str, Any]:
        """Read the JSON of a request."""
        length = self.headers.get("Content-Length", "")
        if not length:
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "a page must say how many bytes it sends: Content-Length")
        if not (length.isascii() and length.isdigit()):
            raise _Refused(HTTPStatus.BAD_REQUEST, f"Content-Length must be a number of bytes, not {length!r}")
        if len(length) > len(str(MOST_BYTES)) or int(length) > MOST_BYTES:
            raise _Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a page may send {MOST_BYTES} bytes at most")
        try:
            message = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise _Refused(HTTPStatus.BAD_REQUEST, "this is not JSON") from error
        if not (
            isinstance(message, dict) and isinstance(message.get("tab"), str) and 0 < len(message["tab"]) <= LONGEST
        ):
            raise _Refused(HTTPStatus.BAD_REQUEST, f"a page must name its 'tab', in at most {LONGEST} characters")
        return message

    def _arm(self, name: str) -> tuple[bytes, str]:
        """Return the file of an arm and its media type."""
        files = {f"{_ARM}{k}": shown for k, shown in enumerate(self.server.exhibits)}
        shown = files.get(name)
        if shown is None or shown.path is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "there is no such page")
        try:
            return shown.path.read_bytes(), shown.media_type
        except OSError as error:
            raise _Refused(HTTPStatus.NOT_FOUND, f"the file of this arm cannot be read: {error.strerror}") from error

    def _refuse(self, status: HTTPStatus, reason: str, is_page: bool, **headers: str) -> None:
        """Send the reason, as JSON to the page, else as text; close the connection, which may have unread content."""
        self.close_connection = True
        content, media_type = (json.dumps({"error": reason}), JSON) if is_page else (f"{reason}\n", _TEXT)
        self._send(content.encode(errors="replace"), media_type, _PAGE_RULES, status, **headers)

    def _send(
        self, content: bytes, media_type: str, rules: str, status: HTTPStatus = HTTPStatus.OK, **headers: str
    ) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", media_type),
            ("Content-Length", str(len(content))),
            ("Content-Security-Policy", rules),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("Referrer-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            *headers.items(),
        ):
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)


def _answer(server: Server, message: Mapping[str, Any]) -> dict[str, Any]:
    number, outcome, judge = message.get("number"), message.get("outcome"), message.get("judge", "")
    if type(number) is not int or not isinstance(outcome, str) or not isinstance(judge, str):
        raise _Refused(HTTPStatus.BAD_REQUEST, "an answer must have a number, an outcome, and a judge's name if any")
    arms = message.get("arms")
    if arms is not None and not (isinstance(arms, list) and [type(arm) for arm in arms] == [int, int]):
        raise _Refused(HTTPStatus.BAD_REQUEST, "the arms of an answer are two numbers")
    key = message.get("input")
    if not (key is None or isinstance(key, str)):
        raise _Refused(HTTPStatus.BAD_REQUEST, "the input of an answer is a text")
    return server.desk.answer(message["tab"], number, outcome, judge, arms, key)


def _known(server: Server, message: Mapping[str, Any]) -> dict[str, Any]:
    with server.desk.session() as session:
        document = known(session)
    return {**document, "sentences": sentences(document)}


_ACTIONS: dict[str, Callable[[Server, Mapping[str, Any]], dict[str, Any] | None]] = {
    "look": lambda server, message: server.desk.look(message["tab"]),
    "answer": _answer,
    "undo": lambda server, message: server.desk.undo(message["tab"]),
    "leave": lambda server, message: server.desk.leave(message["tab"]),
    "known": _known,
}
"""The actions of the page, by the last part of the path."""


def shown_on_page(exhibits: Sequence[Exhibit], names: Sequence[str] = ()) -> list[dict[str, str]]:
    """Return the content of each arm as ``page.js`` reads it, with names if given; the page fetches files by index."""
    items = [
        {"kind": shown.kind, "text": shown.text} if shown.path is None else {"kind": shown.kind, "url": f"{_ARM}{k}"}
        for k, shown in enumerate(exhibits)
    ]
    named = {k: name for k, name in enumerate(names) if exhibits[k].kind != "name"}
    return [{**shown, "name": named.get(k, "")} for k, shown in enumerate(items)]
