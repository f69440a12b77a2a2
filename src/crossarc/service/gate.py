"""What every request passes first: limits on open requests and bodies, headers of all answers, counting and logs.

Plain ASGI around the application, so that a refused request costs next to nothing. Requests of the busiest addresses
are answered here, without the routes of the application, if they are well formed (`direct`). Nothing of what is sent
gets into the logs but its size.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from functools import lru_cache
from typing import Any

from .limits import Limits, RefusedError, refused_for_now
from .metrics import Metrics

_LOG = logging.getLogger("crossarc.service.requests")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]
#: Takes a request with its body and gives what answers it, or None if that is for the application to do.
Direct = Callable[[Any, bytes], "Awaitable[bytes] | None"]

#: Scripts, styles and data only from here; nothing inline; no frames.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
]
_OTHER = "other"
#: After these answers a connection is closed: nobody wants to read the rest of the body.
_UNREAD = (408, 413, 414)
#: Lines of the log are written together after so many seconds.
_LOG_SECONDS = 0.2
JSON_HEADERS = ((b"content-type", b"application/json"), (b"cache-control", b"no-store"))


class Gate:
    """The application behind its limits."""

    def __init__(
        self,
        application: Application,
        limits: Limits,
        metrics: Metrics,
        paths: Iterable[str],
        *,
        check_room: Callable[[str], None],
        direct: Mapping[str, Direct],
        refusal: Callable[[Exception], RefusedError],
        origin: str | None = None,
    ) -> None:
        """Take the paths that are counted by name; `check_room(path)` refuses what would have to wait too long.

        `direct` has what answers requests of some paths without the application; `refusal` says how one is refused that
        ends in an error. `origin`: whose pages may call the service from a browser, beside its own; * for all.
        """
        self._application = application
        self._limits = limits
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._check_room = check_room
        self._direct = direct
        self._refusal = refusal
        self._log = RequestLog()
        self._headers = list(_HEADERS)
        self.allows_others = origin is not None
        if origin is not None:
            self._headers += [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request; what is no request over HTTP goes through or is closed."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            self._log.flush()
        elif scope["type"] == "http":
            await _Request(self, scope, receive, send).answer()
        else:
            await send({"type": "websocket.close", "code": 1003})

    # For requests

    def admit(self, scope: Any) -> None:
        """Refuse a request whose head says that it cannot be answered."""
        if self._metrics.open > self._limits.open:
            raise refused_for_now(1, "the service has more open requests than it takes: try again")
        if len(scope["query_string"]) > self._limits.body:
            raise RefusedError(414, f"the address is longer than {self._limits.body:,} bytes: send the data by POST")
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or int(value[:18]) > self._limits.body):
                raise self.too_large()
        self._check_room(scope["path"])

    def too_large(self) -> RefusedError:
        """Return the answer to a body that is too large."""
        return RefusedError(413, f"the body is larger than {self._limits.body:,} bytes", {"limit": self._limits.body})


class _Request:
    """One request on its way through the gate."""

    def __init__(self, gate: Gate, scope: Any, receive: Receive, send: Send) -> None:
        self.gate, self.scope = gate, scope
        self._receive, self._send = receive, send
        self._received = 0
        self._complete = False
        self._status = 0
        self._refusal: RefusedError | None = None
        self._again: bytes | None = None  # a body that the application is to read
        self._late = False

    async def answer(self) -> None:
        metrics = self.gate._metrics
        metrics.open += 1
        began = time.monotonic()
        try:
            self.gate.admit(self.scope)
            direct = self.gate._direct.get(self.scope["path"])
            if self.gate.allows_others and self.scope["method"] == "OPTIONS":
                await self._answer_preflight()
            elif direct is None or not await self._answer_directly(direct):
                await self.gate._application(self.scope, self.receive, self.send)
        except RefusedError as refused:
            if not self._status:
                await send_json(self._send_on, refused)
        finally:
            metrics.open -= 1
            self._note(time.monotonic() - began)

    async def _answer_directly(self, direct: Direct) -> bool:
        """Answer a request if it can be done without the application."""
        body = b""
        if self.scope["method"] == "POST":
            pieces = []
            while not self._complete:
                message = await self.receive()
                if message["type"] != "http.request":  # the client went away
                    return True
                pieces.append(message.get("body", b""))
            self._again = body = b"".join(pieces)
        work = direct(self.scope, body)
        if work is None:
            return False
        try:
            content = await work
        except Exception as error:
            raise self.gate._refusal(error) from error
        headers = [*JSON_HEADERS, (b"content-length", str(len(content)).encode())]
        await self._send_on({"type": "http.response.start", "status": 200, "headers": headers})
        await self._send_on({"type": "http.response.body", "body": content})
        return True

    async def _answer_preflight(self) -> None:
        """Tell a browser that pages of the allowed origin may send JSON."""
        allowed = [(b"access-control-allow-methods", b"GET, POST"), (b"access-control-allow-headers", b"content-type")]
        await self.send({"type": "http.response.start", "status": 204, "headers": allowed})
        await self.send({"type": "http.response.body"})

    async def receive(self) -> Message:
        """Hand on a piece of the body; one that is too large or does not come is refused."""
        if self._again is not None:
            body, self._again = self._again, None
            return {"type": "http.request", "body": body, "more_body": False}
        if self._complete:
            return await self._receive()
        message = await self._received_in_time()
        self._complete = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self.gate._limits.body:
            self._refusal = self.gate.too_large()
            raise self._refusal
        return message

    async def _received_in_time(self) -> Message:
        """Wait for a piece of the body: with a timer, since `asyncio.wait_for` makes a task for each request."""
        seconds = self.gate._limits.seconds
        task = asyncio.current_task()
        assert task is not None
        timer = asyncio.get_running_loop().call_later(seconds, self._end_waiting, task)
        try:
            return await self._receive()
        except asyncio.CancelledError:
            if not self._late:
                raise
            if hasattr(task, "uncancel"):  # from Python 3.11 on
                task.uncancel()
            self._refusal = RefusedError(408, f"the body did not come within {seconds:g} seconds")
            raise self._refusal from None
        finally:
            timer.cancel()

    def _end_waiting(self, task: asyncio.Task[Any]) -> None:
        self._late = True
        task.cancel()

    async def send(self, message: Message) -> None:
        """Send an answer on; that to a refused body is ours, whatever the application made of it."""
        if self._refusal is None:
            await self._send_on(message)
        elif not self._status:
            await send_json(self._send_on, self._refusal)

    async def _send_on(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self.gate._headers]
        await self._send(message)

    def _note(self, seconds: float) -> None:
        path = self.scope["path"]
        known = path if path in self.gate._paths else _OTHER
        self.gate._metrics.count(known, self._status or 499, seconds)
        if _LOG.isEnabledFor(logging.INFO):
            client = self.scope.get("client")
            self.gate._log.add(
                {
                    "method": self.scope["method"],
                    "path": known,
                    "status": self._status or 499,
                    "milliseconds": round(1000 * seconds, 1),
                    "bytes": self._received,
                    "client": client[0] if client else None,
                }
            )


class RequestLog:
    """A line of the log for each request; those of a moment are written at once, which costs a tenth of single ones."""

    def __init__(self) -> None:
        """Begin without lines."""
        self._entries: list[tuple[float, dict[str, Any]]] = []

    def add(self, fields: dict[str, Any]) -> None:
        """Note a request; it is written soon."""
        if not self._entries:
            asyncio.get_running_loop().call_later(_LOG_SECONDS, self.flush)
        self._entries.append((time.time(), fields))

    def flush(self) -> None:
        """Write what was noted."""
        entries, self._entries = self._entries, []
        if entries:
            _LOG.info("%d requests", len(entries), extra={"entries": entries})


async def send_json(send: Send, refused: RefusedError) -> None:
    """Send the answer to a refused request without the application."""
    body = _again_and_again(refused.message) if refused.status == 503 else json.dumps(refused.to_dict()).encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status in _UNREAD:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=8)
def _again_and_again(message: str) -> bytes:
    """Return the body of an answer that many requests get."""
    return json.dumps(RefusedError(503, message).to_dict()).encode()


class JsonLines(logging.Formatter):
    """Log records as one JSON object a line; a record of many requests is as many lines."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        entries: list[tuple[float, dict[str, Any]]] | None = getattr(record, "entries", None)
        if entries is not None:
            level = record.levelname.lower()
            return "\n".join(_line(moment, level, "request", fields) for moment, fields in entries)
        error = {"error": self.formatException(record.exc_info)} if record.exc_info else {}
        return _line(record.created, record.levelname.lower(), record.getMessage(), error)


def _line(moment: float, level: str, message: str, fields: Mapping[str, Any]) -> str:
    when = f"{_second(int(moment))}.{int(1000 * (moment % 1)):03d}Z"
    return json.dumps({"time": when, "level": level, "message": message, **fields})


@lru_cache(maxsize=4)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))
