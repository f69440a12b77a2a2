"""Logs as JSON lines on standard error: a line for each request, and what the service has to say. O(1) a request."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

_REQUESTS = "crossarc.service.requests"
_LOG = logging.getLogger(_REQUESTS)
#: Lines of the log are written together after so many seconds.
_LOG_SECONDS = 0.2


class RequestLog:
    """A line of the log for each request; those of a moment are written at once, which costs a tenth of single ones."""

    def __init__(self) -> None:
        """Begin without lines."""
        self._entries: list[tuple[float, dict[str, Any]]] = []

    @property
    def is_on(self) -> bool:
        """Whether requests are logged at all."""
        return _LOG.isEnabledFor(logging.INFO)

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


class JsonLines(logging.Formatter):
    """Log records as one JSON object a line; a record of many requests is as many lines."""

    def format(self, record: logging.LogRecord) -> str:
        level = record.levelname.lower()
        entries: list[tuple[float, dict[str, Any]]] | None = getattr(record, "entries", None)
        if entries is not None:
            return "\n".join(_line(moment, level, "request", fields) for moment, fields in entries)
        error = {"error": self.formatException(record.exc_info)} if record.exc_info else {}
        return _line(record.created, level, record.getMessage(), error)


def _line(moment: float, level: str, message: str, fields: Mapping[str, Any]) -> str:
    when = f"{_second(int(moment))}.{int(1000 * (moment % 1)):03d}Z"
    return json.dumps({"time": when, "level": level, "message": message, **fields})


@lru_cache(maxsize=4)
def _second(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment))


def log_to_stderr(requests: bool) -> None:
    """Write logs as JSON lines to standard error; with `requests`, a line for each."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name, level in {
        "crossarc.service": logging.INFO,
        _REQUESTS: logging.INFO if requests else logging.WARNING,
        "uvicorn.error": logging.WARNING,
    }.items():
        logger = logging.getLogger(name)
        logger.setLevel(level)
        logger.propagate = name == _REQUESTS
        if not logger.propagate:
            logger.handlers = [handler]
