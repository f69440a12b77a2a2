"""What every request passes first: limits on open requests and bodies, headers of all answers, counting and logs.

Plain ASGI around the application, so that a refused request costs next to nothing. Nothing of what is sent gets into
the logs but its size.
"""

from __future__ import annotations

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
        self._status = 0

    async def answer(self) -> None:
        metrics = self.gate._metrics
        metrics.open += 1
        began = time.monotonic()
        try:
            self.gate.admit(self.scope)
            await self.gate._application(self.scope, self.receive, self.send)
        except RefusedError as refused:
            if not self._status:
                await send_json(self.send, refused.status, refused.to_dict(), refused.headers)
        finally:
            metrics.open -= 1
            self._note(time.monotonic() - began)

    async def receive(self) -> Message:
        message = await self._receive()
        self._received += len(message.get("body", b""))
        if self._received > self.gate._limits.body:
            raise self.gate.too_large()
        return message

    async def send(self, message: Message) -> None:
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


async def send_json(send: Send, status: int, data: Any, headers: Any = ()) -> None:
    """Send an answer without the application."""
    body = json.dumps(data).encode()
    given = [(name.lower().encode(), value.encode()) for name, value in dict(headers).items()]
    own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    # What of the body was not read must not be taken for the next request.
    await send({"type": "http.response.start", "status": status, "headers": [*own, *given, (b"connection", b"close")]})
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
