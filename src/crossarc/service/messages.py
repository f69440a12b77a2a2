"""What requests and answers of all endpoints share: fields that are checked, JSON, headers that are bytes already."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from ..errors import is_broken
from .limits import RefusedError

Name = Annotated[str, Field(max_length=200)]


class RequestFields(BaseModel):
    """The fields of a request: of their types, and no others."""

    model_config = ConfigDict(extra="forbid", strict=True)


class Answer(Response):
    """An answer whose headers are bytes already, which no cache keeps unless it asks again."""

    def __init__(self, content: bytes, kind: bytes = b"application/json", cache: bytes = b"no-store") -> None:
        """Take the body and its type."""
        self.status_code, self.body, self.background = 200, content, None
        length = str(len(content)).encode()
        self.raw_headers = [(b"content-type", kind), (b"cache-control", cache), (b"content-length", length)]


def as_json(data: Any) -> bytes:
    """Return plain data as JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()


def check_texts(*texts: str) -> None:
    """Refuse what UTF-8 cannot hold: JSON may name half a surrogate pair."""
    if any(map(is_broken, texts)):
        raise RefusedError(400, "the data hold half a surrogate pair, which is no character")
