"""The server: a socket, uvicorn, connections that are bounded, an end that finishes what was begun.

Needs the extra `serve`. A connection is refused if there are too many, in all or of its address; a head is read in
blocks of the size that it may have at most, so that nothing more is kept of it; head, body and answer each have a time
in which they must have come or gone, whatever comes in between. O(bytes).
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import errno
import gc
import json
import signal
import socket
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from ..errors import CrossarcError
from .limits import Limits, RefusedError
from .request_limits import RequestLimits

_BACKLOG = 2048
_KEPT_ALIVE = 30  # seconds that an idle connection stays open
#: How long the thread that parses may keep the interpreter while the loop that speaks HTTP waits for it. The loop asks
#: for it anew at every event of a socket: with Python's usual 5 ms, hundreds of events would take seconds.
_SWITCH_SECONDS = 0.0002


class Connections:
    """The connections that are open, by address."""

    def __init__(self, limits: Limits) -> None:
        """Begin without any."""
        self.limits = limits
        self.addresses: Counter[str] = Counter()

    def make(self, *arguments: Any, **options: Any) -> BoundedConnection:
        """Return a new one, as uvicorn asks for it."""
        return BoundedConnection(self, *arguments, **options)


class BoundedConnection(HttpToolsProtocol):
    """A connection whose heads are bounded, and whose heads, bodies and answers have a time."""

    def __init__(self, connections: Connections, *arguments: Any, **options: Any) -> None:
        """Take the others, for their number."""
        super().__init__(*arguments, **options)
        self._others, self._limits = connections, connections.limits
        self._address: str | None = None
        self._in_head = False
        self._head_bytes = 0
        self._refusal: RefusedError | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        counts, limits = self._others.addresses, self._limits
        counts[self._address] += 1
        if counts[self._address] > limits.address_connections or len(self.connections) > limits.connections:
            self._refuse(RefusedError(503, "there are too many connections: close others, or try again"))
        else:
            self._set_timer(limits.head_seconds, self._end_head)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._set_timer()
        self.resume_writing()
        if self._address is not None:
            self._others.addresses[self._address] -= 1
            if not self._others.addresses[self._address]:
                del self._others.addresses[self._address]
            self._address = None

    def data_received(self, data: bytes) -> None:
        most = self._limits.head
        for start in range(0, len(data), most):
            if self.transport.is_closing():
                return
            block = data[start : start + most]
            super().data_received(block)
            if not self._in_head:
                continue
            self._head_bytes += len(block)
            if self._head_bytes > most:
                self._refuse(self._too_long())
            elif self._timer is None:
                self._set_timer(self._limits.head_seconds, self._end_head)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_bytes = True, 0

    def on_headers_complete(self) -> None:
        size = len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)
        if size > self._limits.head or len(self.headers) > self._limits.head_lines:
            self._refusal = self._too_long()
            raise ValueError("too long")  # ends the reading: `send_400_response` says why
        self._in_head = False
        super().on_headers_complete()
        # The application ends requests in time, but for bodies that it did not want to read.
        self._set_timer(self._limits.seconds + 1, self.transport.abort)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._set_timer()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_timer = self.loop.call_later(self._limits.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal or RefusedError(400, msg))

    def _too_long(self) -> RefusedError:
        if len(self.url) > self._limits.head // 2:
            return RefusedError(
                414, f"the address is longer than {self._limits.head // 2:,} bytes: send the data by POST"
            )
        most = f"{self._limits.head:,} bytes and {self._limits.head_lines} lines"
        return RefusedError(431, f"the head of a request may have {most}")

    def _end_head(self) -> None:
        if self._in_head:
            self._refuse(RefusedError(408, f"the head did not come within {self._limits.head_seconds:g} seconds"))
        else:
            self.transport.close()

    def _refuse(self, refused: RefusedError) -> None:
        self._set_timer()
        if self.transport.is_closing():
            return
        body = json.dumps(refused.to_dict()).encode()
        head = f"content-type: application/json\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(STATUS_LINE[refused.status] + head.encode() + body)
        self.transport.close()

    def _set_timer(self, seconds: float = 0.0, end: Callable[[], None] | None = None) -> None:
        """Have the connection ended in so many seconds, and no longer by what was said before."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if end is None else self.loop.call_later(seconds, end)


class _Server(uvicorn.Server):
    """A server that a signal ends in good order; the signal is not raised again."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let the signals that ask a program to end stop the server while it runs."""
        numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
        before = {number: signal.getsignal(number) for number in numbers}
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:
                signal.signal(number, self.handle_exit)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def open_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; where that is impossible, say why."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CrossarcError(f"port {port} is in use: choose another with --port, 0 for any that is free") from error
        if error.errno == errno.EACCES:
            raise CrossarcError(f"port {port} is not ours to open: choose one above 1023 with --port") from error
        raise CrossarcError(f"cannot listen on {host} port {port}: {error.strerror or error}") from error
    except OverflowError as error:
        raise CrossarcError(f"a port is a number from 0 to 65535, not {port}") from error


def make_server(application: RequestLimits, limits: Limits) -> uvicorn.Server:
    """Return a server for the application, not yet started."""
    application_: Any = application
    return _Server(
        uvicorn.Config(
            application_,
            http=Connections(limits).make,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            proxy_headers=False,
            timeout_keep_alive=_KEPT_ALIVE,
            timeout_graceful_shutdown=int(limits.seconds) + 1,
        )
    )


def serve(application: RequestLimits, listening: socket.socket, limits: Limits) -> None:
    """Answer requests until a signal comes; what was begun is finished."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()  # what was loaded stays: collections that looked through all of it would take a tenth of a second each
    atexit.register(gc.unfreeze)  # at the end models in circles of references are given up, too
    make_server(application, limits).run(sockets=[listening])
