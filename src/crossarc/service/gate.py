"""What every request passes first: limits on open requests and bodies, headers of all answers, counting and logs.

Plain ASGI around the application, so that a refused request costs next to nothing. Nothing of what is sent gets into
the logs but its size.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from .limits import Limits, RefusedError, refused_for_now
from .metrics import Metrics

_LOG = logging.getLogger("crossarc.service.requests")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Any, Receive, Send], Awaitable[None]]

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
        origin: str | None = None,
    ) -> None:
        """Take the paths that are counted by name; `check_room(path)` refuses what would have to wait too long.

        `origin`: whose pages may call the service from a browser, beside its own; * for all.
        """
        self._application = application
        self._limits = limits
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._check_room = check_room
        self._headers = list(_HEADERS)
        self.allows_others = origin is not None
        if origin is not None:
            self._headers += [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request; what is no request over HTTP goes through or is closed."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
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

    async def answer(self) -> None:
        metrics = self.gate._metrics
        metrics.open += 1
        began = time.monotonic()
        try:
            self.gate.admit(self.scope)
            if self.gate.allows_others and self.scope["method"] == "OPTIONS":
                await self._answer_preflight()
            else:
                await self.gate._application(self.scope, self.receive, self.send)
        except RefusedError as refused:
            if not self._status:
                await send_json(self._send_on, refused)
        finally:
            metrics.open -= 1
            self._note(time.monotonic() - began)

    async def _answer_preflight(self) -> None:
        """Tell a browser that pages of the allowed origin may send JSON."""
        allowed = [(b"access-control-allow-methods", b"GET, POST"), (b"access-control-allow-headers", b"content-type")]
        await self.send({"type": "http.response.start", "status": 204, "headers": allowed})
        await self.send({"type": "http.response.body"})

    async def receive(self) -> Message:
        """Hand on a piece of the body; one that is too large or does not come is refused."""
        if self._complete:
            return await self._receive()
        seconds = self.gate._limits.seconds
        try:
            message = await asyncio.wait_for(self._receive(), seconds)
        except asyncio.TimeoutError:
            self._refusal = RefusedError(408, f"the body did not come within {seconds:g} seconds")
            raise self._refusal from None
        self._complete = not message.get("more_body", False)
        self._received += len(message.get("body", b""))
        if self._received > self.gate._limits.body:
            self._refusal = self.gate.too_large()
            raise self._refusal
        return message

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
            _LOG.info(
                "request",
                extra={
                    "fields": {
                        "method": self.scope["method"],
                        "path": known,
                        "status": self._status or 499,
                        "milliseconds": round(1000 * seconds, 1),
                        "bytes": self._received,
                        "client": client[0] if client else None,
                    }
                },
            )


async def send_json(send: Send, refused: RefusedError) -> None:
    """Send the answer to a refused request without the application."""
    body = json.dumps(refused.to_dict()).encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status in _UNREAD:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class JsonLines(logging.Formatter):
    """Log records as one JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        entry: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry)
