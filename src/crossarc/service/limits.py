"""What a request may ask for, and how one that asks for too much or for nonsense is refused: as JSON, with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Limits:
    """Bounds of requests and of the queue; the command line sets them."""

    #: Bytes of the body or of the query.
    body: int = 4_000_000
    #: Words of a request, and of each of its sentences.
    words: int = 20_000
    sentence_words: int = 1_000
    #: Words of a sentence that is drawn, or stepped through.
    drawn_words: int = 400
    #: Sentences that are drawn for one request.
    drawn_sentences: int = 100
    #: Trees of each sentence.
    nbest: int = 20
    #: Seconds until the answer must be there.
    seconds: float = 30.0
    #: Seconds that a request may expect to wait before its turn; with a longer queue it is refused.
    waiting_seconds: float = 0.5
    #: Requests that wait at most, and that are open at most.
    waiting: int = 256
    open: int = 1024


class RefusedError(Exception):
    """A request that is answered with an error: its status, what is wrong, and further fields of the answer."""

    def __init__(
        self,
        status: int,
        message: str,
        details: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Take what the answer says."""
        super().__init__(message)
        self.status = status
        self.message = message
        self.details = dict(details or {})
        self.headers = dict(headers or {})

    def to_dict(self) -> dict[str, Any]:
        """Return the answer."""
        return {"error": self.message, "status": self.status, **self.details}


def refused_for_now(seconds: float, message: str) -> RefusedError:
    """Return the answer that says when to try again."""
    return RefusedError(503, message, headers={"Retry-After": str(max(1, round(seconds + 0.5)))})


def check_size(what: str, number: int, most: int) -> None:
    """Refuse a request with too much in it."""
    if number > most:
        raise RefusedError(413, f"{number:,} {what}: at most {most:,} are taken", {"limit": most})
