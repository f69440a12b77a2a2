"""The server: a socket, uvicorn, logs as JSON lines, an end that finishes what was begun. Needs the extra `serve`."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import uvicorn

from ..errors import CrossarcError
from .gate import Gate, JsonLines
from .limits import Limits

_BACKLOG = 2048
_KEPT_ALIVE = 30  # seconds that an idle connection stays open
#: How long the thread that parses may keep the interpreter while the loop that speaks HTTP waits for it. The loop asks
#: for it anew at every event of a socket: with Python's usual 5 ms, hundreds of events would take seconds.
_SWITCH_SECONDS = 0.0002


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


def make_server(application: Gate, limits: Limits) -> uvicorn.Server:
    """Return a server for the application, not yet started."""
    application_: Any = application
    return _Server(
        uvicorn.Config(
            application_,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            proxy_headers=False,
            timeout_keep_alive=_KEPT_ALIVE,
            timeout_graceful_shutdown=int(limits.seconds) + 1,
        )
    )


def serve(application: Gate, listening: socket.socket, limits: Limits) -> None:
    """Answer requests until a signal comes; what was begun is finished."""
    sys.setswitchinterval(_SWITCH_SECONDS)
    gc.freeze()  # what was loaded stays: collections that looked through all of it would take a tenth of a second each
    atexit.register(gc.unfreeze)  # at the end models in circles of references are given up, too
    make_server(application, limits).run(sockets=[listening])


def log_to_stderr(requests: bool) -> None:
    """Write logs as JSON lines to standard error; with `requests`, a line for each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in {
        "crossarc.service": logging.INFO,
        "crossarc.service.requests": logging.INFO if requests else logging.WARNING,
        "uvicorn.error": logging.WARNING,
    }.items():
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.propagate = name == "crossarc.service.requests"
        if not logger.propagate:
            logger.handlers = [handler]
