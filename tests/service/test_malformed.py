"""Requests that are all wrong: types, encodings, traversal, scripts, broken HTTP. None makes the service fail."""

from __future__ import annotations

import json
import random
import socket
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ..support.malformed import bodies, raw_requests
from ..support.service import CROSSING, Running

pytestmark = pytest.mark.slow

PATHS = ["/process", "/models", "/parse", "/draw", "/derive", "/analyze", "/evaluate", "/health", "/", "/page/x"]
FIELDS = [
    *("data", "model", "input", "output", "tokenizer", "tagger", "parser", "given", "nbest", "scores", "svg", "width"),
    *("layout", "format", "sentence", "tags", "system", "root", "gold"),
]
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=30),
    st.sampled_from([CROSSING, "../../etc/passwd", "<script>alert(1)</script>", "2-planar", "1\t" * 9 + "\n", "eager"]),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
own = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def fine(status: int) -> bool:
    return 200 <= status < 500


@own
@given(path=st.sampled_from(PATHS), method=st.sampled_from(["GET", "POST", "PUT", "HEAD"]), data=st.data())
def test_json_of_any_shape(service: Running, path: str, method: str, data: st.DataObject) -> None:
    body: Any = data.draw(st.one_of(values, st.dictionaries(st.sampled_from(FIELDS), values, max_size=5)))
    answer = service.ask(method, path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    assert fine(answer.status), answer.body


@own
@given(path=st.sampled_from(PATHS), kind=st.sampled_from(list(bodies(random.Random(0)))), seed=st.integers(0, 10**6))
def test_bodies_of_any_kind(service: Running, path: str, kind: str, seed: int) -> None:
    content_type, body = bodies(random.Random(seed))[kind]
    answer = service.ask("POST", path, body, {"Content-Type": content_type})
    assert fine(answer.status), answer.body


@own
@given(data=st.text(max_size=200), tokenizer=st.booleans())
def test_any_text_is_parsed_or_refused(service: Running, data: str, tokenizer: bool) -> None:
    encoded = quote(data.encode("utf-8", "replace"))
    asked = f"data={encoded}&tagger=&parser=" + ("&tokenizer=" if tokenizer else "&input=horizontal")
    answer = service.ask("POST", "/process", asked.encode(), {"Content-Type": "application/x-www-form-urlencoded"})
    assert answer.status in (200, 400), answer.body
    if answer.status == 200:
        assert set(answer.json) == {"model", "acknowledgements", "result"}


@pytest.mark.parametrize("seed", range(40))
def test_broken_http(service: Running, seed: int) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.sendall(raw_requests(random.Random(seed)))
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while block := connection.recv(65536):
            answer += block
    assert not answer.startswith(b"HTTP/1.1 5")
    assert service.get("/health").status == 200


def test_no_file_of_the_machine_is_sent(service: Running) -> None:
    wanted = ["/page/../application.py", "/page/%2e%2e/application.py", "/../../etc/passwd", "//etc/passwd", "/page/"]
    for path in wanted:
        answer = service.get(path)
        assert answer.status == 404, path
        assert b"root:" not in answer.body


def test_scripts_in_words_and_labels_stay_text(service: Running) -> None:
    evil = "<script>alert(1)</script>"
    data = f"1\t{evil}\t_\tX\t_\t_\t0\t{evil}\t_\t_\n\n"
    analysis = service.post("/parse", {"data": data, "given": True, "svg": True}).json["sentences"][0]["analyses"][0]
    assert "<script" not in analysis["svg"]
    for kind in ("svg", "html"):
        assert b"<script>alert" not in service.post("/draw", {"data": data, "format": kind}).body
    assert "<script" not in service.post("/derive", {"data": data, "given": True}).json["svg"]
