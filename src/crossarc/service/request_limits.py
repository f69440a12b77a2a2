"""The one way to the application: limits on requests and bodies, headers of all answers, counting and logs.

Plain ASGI around the application, so that a refused request costs next to nothing. A request is admitted by its head
before its body is read; the body is read whole, within a size and a time in all, before the application sees it. A
client that goes away while it waits ends its request. Heads are bounded before, in `server`. Nothing of what is sent
gets into the logs but its size. O(bytes of the body).
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import Any

from .limits import Limits, RefusedError, refused_for_now
from .logs import RequestLog
from .metrics import Metrics

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
_PREFLIGHT = [(b"access-control-allow-methods", b"GET, POST"), (b"access-control-allow-headers", b"content-type")]
_OTHER = "other"
_PORT = re.compile(r":\d*$")
#: What is counted for a client that went away.
_GONE = 499
#: After these answers a connection is closed: nobody wants to read the rest of the body.
_UNREAD = (408, 413, 414, 421)


class RequestLimits:
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
        hosts: Iterable[str] = (),
    ) -> None:
        """Take the paths that are counted by name; `check_room(path)` refuses what would have to wait too long.

        `origin`: whose pages may call the service from a browser, beside its own; * for all. `hosts`: names by which
        the service may be called beside addresses and localhost, so that no page of a stranger can reach it by a name
        that is made to point here; * for all.
        """
        self.hosts = frozenset(host.lower() for host in hosts) | {"localhost"}
        self.held = 0  # bytes of bodies
        self.application, self.limits, self.metrics = application, limits, metrics
        self.paths = frozenset(paths)
        self.log = RequestLog()
        self.allows_others = origin is not None
        self.headers = list(_HEADERS)
        if origin is not None:
            self.headers += [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]
        self._check_room = check_room

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer a request; what is no request over HTTP goes through or is closed."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            self.log.flush()
        elif scope["type"] == "http":
            await _Request(self, scope, receive, send).answer()
        else:
            await send({"type": "websocket.close", "code": 1003})

    def admit(self, scope: Any) -> None:
        """Refuse a request whose head says that it cannot be answered."""
        if self.metrics.open > self.limits.open:
            raise refused_for_now(1, "the service has more open requests than it takes: try again")
        if len(scope["query_string"]) > self.limits.body:
            raise RefusedError(414, f"the address is longer than {self.limits.body:,} bytes: send the data by POST")
        for name, value in scope["headers"]:
            if name == b"content-length" and (not value.isdigit() or int(value[:18]) > self.limits.body):
                raise self.too_large()
            if name == b"host" and "*" not in self.hosts and not self._is_called(value.decode("latin-1")):
                raise RefusedError(
                    421, "the service does not go by this name: crossarc serve --allow-host takes others"
                )
        self._check_room(scope["path"])

    def _is_called(self, host: str) -> bool:
        name = _PORT.sub("", host).lower().removesuffix(".")
        if name in self.hosts:
            return True
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    def too_large(self) -> RefusedError:
        """Return the answer to a body that is too large."""
        return RefusedError(413, f"the body is larger than {self.limits.body:,} bytes", {"limit": self.limits.body})


class _Request:
    """One request on its way to the application and back."""

    def __init__(self, door: RequestLimits, scope: Any, receive: Receive, send: Send) -> None:
        self._door, self._scope = door, scope
        self._receive_next, self._send_on = receive, send
        self._body: bytes | None = None  # until the application reads it
        self._size = 0
        self._status = _GONE
        self._is_late = self._is_gone = False

    async def answer(self) -> None:
        door = self._door
        door.metrics.open += 1
        began = time.monotonic()
        try:
            door.admit(self._scope)
            if door.allows_others and self._scope["method"] == "OPTIONS":
                await self._send({"type": "http.response.start", "status": 204, "headers": _PREFLIGHT})
                await self._send({"type": "http.response.body"})
            elif await self._read_body():
                await self._apply()
        except RefusedError as refused:
            await send_json(self._send, refused)
        finally:
            door.metrics.open -= 1
            door.held -= self._size
            self._note(time.monotonic() - began)

    async def _read_body(self) -> bool:
        """Read the body, within a size and a time in all; False if the client went away.

        With a timer, since `asyncio.wait_for` makes a task for each request.
        """
        limits = self._door.limits
        task = asyncio.current_task()
        assert task is not None
        pieces: list[bytes] = []
        timer = asyncio.get_running_loop().call_later(limits.seconds, self._end_waiting, task)
        try:
            while True:
                message = await self._receive_next()
                if message["type"] != "http.request":
                    return False
                pieces.append(message.get("body", b""))
                self._size += len(pieces[-1])
                self._door.held += len(pieces[-1])
                if self._size > limits.body:
                    raise self._door.too_large()
                if self._door.held > limits.bodies:
                    raise refused_for_now(1, "the service holds more than it takes: try again")
                if not message.get("more_body", False):
                    self._body = b"".join(pieces)
                    return True
        except asyncio.CancelledError:
            if not self._is_late:
                raise
            _uncancel(task)
            raise RefusedError(408, f"the body did not come within {limits.seconds:g} seconds") from None
        finally:
            timer.cancel()

    async def _apply(self) -> None:
        """Have the application answer, unless the client goes away before."""
        task = asyncio.current_task()
        assert task is not None
        watching = asyncio.get_running_loop().create_task(self._watch(task))
        try:
            await self._door.application(self._scope, self._receive, self._send)
        except asyncio.CancelledError:
            if not self._is_gone:
                raise
            _uncancel(task)
        finally:
            watching.cancel()

    async def _watch(self, task: asyncio.Task[Any]) -> None:
        while (await self._receive_next())["type"] == "http.request":
            pass
        if self._status == _GONE:  # nothing was sent yet
            self._is_gone = True
            task.cancel()

    def _end_waiting(self, task: asyncio.Task[Any]) -> None:
        self._is_late = True
        task.cancel()

    async def _receive(self) -> Message:
        """Give the application the body; the end of the connection is looked for elsewhere."""
        if self._body is None:
            return {"type": "http.disconnect"}
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message["headers"] = [*message.get("headers", ()), *self._door.headers]
        await self._send_on(message)

    def _note(self, seconds: float) -> None:
        path = self._scope["path"]
        known = path if path in self._door.paths else _OTHER
        self._door.metrics.count(known, self._status, seconds)
        if self._door.log.is_on:
            client = self._scope.get("client")
            self._door.log.add(
                {
                    "method": self._scope["method"],
                    "path": known,
                    "status": self._status,
                    "milliseconds": round(1000 * seconds, 1),
                    "bytes": self._size,
                    "client": client[0] if client else None,
                }
            )


def _uncancel(task: asyncio.Task[Any]) -> None:
    if hasattr(task, "uncancel"):  # from Python 3.11 on
        task.uncancel()


async def send_json(send: Send, refused: RefusedError) -> None:
    """Send the answer to a refused request without the application."""
    body = _repeated_body(refused.message) if refused.status == 503 else json.dumps(refused.to_dict()).encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in refused.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if refused.status in _UNREAD:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": refused.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@lru_cache(maxsize=8)
def _repeated_body(message: str) -> bytes:
    """Return the body of an answer that many requests get."""
    return json.dumps(RefusedError(503, message).to_dict()).encode()
