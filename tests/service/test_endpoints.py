"""What every endpoint answers, to good requests and to bad ones."""

from __future__ import annotations

import contextlib
import http.client
import json
import select
import socket
from typing import Any
from xml.etree import ElementTree

import pytest

import crossarc as xa
from crossarc.service.application import PAGE
from crossarc.service.limits import Limits
from crossarc.service.models import Models

from ..support.service import CROSSING, Running, running, served_models

pytestmark = pytest.mark.slow


def test_parse_text(service: Running) -> None:
    text = "I don't know, Ann. Go on!"
    answer = service.post("/parse", {"data": text})
    assert answer.status == 200
    found = answer.json
    assert found["model"] == "tiny-text"
    assert [len(one["analyses"][0]["words"]) for one in found["sentences"]] == [7, 3]
    for sentence in found["sentences"]:
        for word in sentence["analyses"][0]["words"]:
            assert 0 <= word["probability"] <= 1
            if "start" in word:
                assert text[word["start"] : word["end"]] == word["form"]
        assert sentence["analyses"][0]["classes"]["projective"] is True
    assert xa.from_text(found["conllu"]).words == 10


def test_the_trees_that_are_given_are_described(service: Running) -> None:
    found = service.post("/parse", {"data": CROSSING, "given": True, "svg": True}).json
    (analysis,) = found["sentences"][0]["analyses"]
    tree = xa.from_text(CROSSING)[0].tree
    assert [word["head"] for word in analysis["words"]] == tree.heads.tolist()
    assert analysis["classes"]["planarity"] == 2
    assert any("2-planar: its 2 crossings" in line for line in analysis["described"])
    drawing = ElementTree.fromstring(analysis["svg"])
    arcs = {(one.get("data-head"), one.get("data-dependent")) for one in drawing.iter() if one.get("data-head")}
    assert arcs == {(str(head), str(word)) for head, word in tree.arcs}


def test_n_best_trees(service: Running) -> None:
    data = xa.sample(3, seed=8).to_text()
    found = service.post("/parse", {"data": data, "model": "two-planar", "nbest": 4}).json
    for sentence in found["sentences"]:
        scores = [one["score"] for one in sentence["analyses"]]
        assert scores == sorted(scores, reverse=True)
        trees = {tuple((word["head"], word["deprel"]) for word in one["words"]) for one in sentence["analyses"]}
        assert len(trees) == len(scores)


def test_what_several_ask_together_is_what_each_would_get(service: Running) -> None:
    from concurrent.futures import ThreadPoolExecutor

    texts = [xa.sample(2, seed=seed).to_text() for seed in range(12)]
    with ThreadPoolExecutor(12) as pool:
        found = list(pool.map(lambda text: service.post("/parse", {"data": text, "model": "eager"}).json, texts))
    for text, answer in zip(texts, found, strict=True):
        alone = served_models().choose("eager").parse(xa.from_text(text))
        assert answer["conllu"] == alone.to_text()


def test_drawings(service: Running) -> None:
    svg = service.post("/draw", {"data": CROSSING})
    assert svg.headers["content-type"] == "image/svg+xml"
    assert ElementTree.fromstring(svg.body).tag.endswith("svg")
    tikz = service.post("/draw", {"data": CROSSING, "format": "tikz"}).body.decode()
    assert r"\begin{dependency}" in tikz
    assert "hearing" in service.post("/draw", {"data": CROSSING, "format": "text"}).body.decode()
    assert service.post("/draw", {"data": CROSSING, "sentence": 2}).status == 400


@pytest.mark.parametrize("system", ["2-planar", "covington", "easy-first", "undirected-2-planar", "swap"])
def test_derive_with_any_system(service: Running, system: str) -> None:
    found = service.post("/derive", {"data": CROSSING, "given": True, "system": system}).json
    assert found["system"]["name"] == system
    assert found["source"] == "oracle"
    assert found["steps"][-1]["next"] is None


def test_derive_shows_the_choices_of_the_parser(service: Running) -> None:
    data = xa.sample(1, seed=8).to_text()
    found = service.post("/derive", {"data": data, "model": "two-planar"}).json
    assert found["source"] == "parser"
    assert found["scores"] == "logarithms"
    for step in found["steps"][:-1]:
        scored = {place: choice["score"] for place, choice in enumerate(step["choices"]) if choice["allowed"]}
        assert step["next"] == max(scored, key=lambda place: scored[place])
        assert all(choice["score"] is None for choice in step["choices"] if not choice["allowed"])


def test_reports(service: Running) -> None:
    gold = xa.sample(20, seed=8)
    assert (
        service.post("/analyze", {"data": gold.to_text()}).json
        == xa.analyze(xa.from_text(gold.to_text(), "data")).to_dict()
    )
    found = service.post("/evaluate", {"gold": gold.to_text(), "system": gold.to_text()}).json
    assert json.dumps(found).count("1.0") > 3


def test_the_page_and_its_policy(service: Running) -> None:
    sizes = 0
    for path in [*PAGE, "/page/colours.css"]:
        answer = service.get(path)
        assert answer.status == 200, path
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert b"http" not in answer.body.replace(b"http://www.w3.org/2000/svg", b""), "no content from other hosts"
        sizes += len(answer.body)
    assert sizes <= 150_000


def test_openapi_health_and_metrics(service: Running) -> None:
    paths = service.get("/openapi.json").json["paths"]
    assert {"/process", "/models", "/parse", "/draw", "/derive", "/analyze", "/evaluate"} <= set(paths)
    assert service.get("/health").json["status"] == "ok"
    text = service.get("/metrics").body.decode()
    assert 'crossarc_requests_total{path="/health",status="200"}' in text
    assert 'crossarc_queue_waiting{queue="parsing"}' in text


@pytest.mark.parametrize(
    ("path", "data", "status", "message"),
    [
        ("/parse", {}, 422, "data: Field required"),
        ("/parse", {"data": 1}, 422, "should be a valid string"),
        ("/parse", {"data": "a", "extra": 1}, 422, "Extra inputs"),
        ("/parse", {"data": "a", "model": "/etc/passwd"}, 404, "no model '/etc/passwd' is served"),
        ("/parse", {"data": "a", "nbest": 1000}, 413, "at most 20 trees"),
        ("/parse", {"data": ""}, 400, "no words"),
        ("/parse", {"data": "\ud800"}, 400, "surrogate"),
        ("/parse", {"data": "1\ta\n", "input": "conllu"}, 400, "data:1"),
        ("/derive", {"data": CROSSING, "system": "mine.py:system"}, 404, "no transition system 'mine.py:system'"),
        ("/derive", {"data": CROSSING, "system": "/etc/passwd"}, 404, "no transition system"),
        ("/derive", {"data": CROSSING, "given": True, "sentence": 9}, 400, "no sentence 9"),
        ("/draw", {"data": CROSSING, "format": "exe"}, 422, "format"),
        ("/draw", {"data": "1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"}, 400, "has no heads"),
        ("/evaluate", {"gold": CROSSING, "system": ""}, 400, ""),
        ("/nothing", {}, 404, "no such address"),
    ],
)
def test_errors_are_json_and_say_what_is_wrong(
    service: Running, path: str, data: Any, status: int, message: str
) -> None:
    answer = service.post(path, data)
    assert answer.status == status, answer.body
    assert message in answer.json["error"]
    assert answer.json["status"] == status


def test_a_connection_outlives_an_error(service: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", service.port)
    for path, status in (("/process", 400), ("/nothing", 404), ("/process?data=a&model=none", 404), ("/health", 200)):
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        assert (answer.status, answer.getheader("connection")) == (status, None)
        assert connection.sock is not None, path
    connection.close()


def test_limits(service: Running) -> None:
    limits = Limits(body=3000, words=20, sentence_words=10)
    with running(served_models(), limits) as small:
        long = small.post("/parse", {"data": "a " * 5000})
        assert (long.status, long.json["limit"]) == (413, 3000)
        many = small.post("/parse", {"data": "a b c d e\n" * 5, "input": "lines", "model": "eager"})
        assert (many.status, many.json["error"]) == (413, "25 words: at most 20 are taken")
        wide = small.post("/parse", {"data": "a " * 12, "input": "lines", "model": "eager"})
        assert wide.json["error"] == "12 words in one sentence: at most 10 are taken"
        assert small.get("/process?data=" + "a" * 4000).status == 414
        chunked = small.ask("POST", "/process", iter([b"data=", b"a" * 4000]), {})
        assert chunked.status == 413
        pieces = iter([b'{"data": "', b"a" * 4000])
        json_too = small.ask("POST", "/parse", pieces, {"Content-Type": "application/json"})
        assert json_too.status == 413


def test_a_service_without_models_shows_trees(service: Running) -> None:
    from crossarc.service.models import Models

    with running(Models([])) as bare:
        assert bare.post("/parse", {"data": CROSSING, "given": True}).status == 200
        assert bare.post("/derive", {"data": CROSSING, "given": True}).status == 200
        answer = bare.post("/parse", {"data": "a"})
        assert (answer.status, "no model is served" in answer.json["error"]) == (404, True)


def test_pages_of_others_may_ask_only_if_they_are_allowed(service: Running) -> None:
    assert "access-control-allow-origin" not in service.get("/models").headers
    with running(served_models(), origin="*") as one:
        assert one.get("/models").headers["access-control-allow-origin"] == "*"
        asked = one.ask("OPTIONS", "/parse", None, {"Origin": "http://a", "Access-Control-Request-Method": "POST"})
        assert (asked.status, asked.headers["access-control-allow-headers"]) == (204, "content-type")


@pytest.mark.parametrize("path", ["/process", "/draw"])
def test_a_body_that_does_not_come_is_not_waited_for(service: Running, path: str) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\ndata"
    )
    with running(Models([]), Limits(seconds=0.2)) as one, socket.create_connection(("127.0.0.1", one.port)) as sent:
        sent.sendall(head.encode())
        answer = b"".join(iter(lambda: sent.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not come within 0.2 seconds" in answer


def test_a_body_that_comes_byte_by_byte_is_not_waited_for_longer(service: Running) -> None:
    head = (
        "POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 3000000\r\n\r\n"
    )
    with running(Models([]), Limits(seconds=0.2)) as one, socket.create_connection(("127.0.0.1", one.port)) as sent:
        sent.sendall(head.encode())
        with contextlib.suppress(OSError):  # the answer may be lost with the connection
            while not select.select([sent], [], [], 0)[0]:
                sent.sendall(b" ")
        counted = one.get("/metrics").body.decode()
    assert 'crossarc_requests_total{path="/parse",status="408"} 1.0' in counted


def test_addresses_and_methods(service: Running) -> None:
    assert service.get("/models/").headers["location"].endswith("/models")
    wrong = service.ask("PUT", "/models")
    assert (wrong.status, wrong.json["error"]) == (405, "Method Not Allowed")
    assert wrong.headers["allow"] == "GET, POST"
    assert service.ask("POST", "/parse", b'{"data": "a"}', {"Content-Type": "text/plain"}).status == 422
    assert service.ask("POST", "/parse", b'{"data": "a"}', {"Content-Type": "application/ld+json"}).status == 200


def test_malformed_requests_to_parse_are_described(service: Running) -> None:
    answer = service.post("/parse", {"data": "a", "nbest": "two"})
    assert answer.status == 422
    assert answer.json["problems"][0]["where"] == "body.nbest"
    answer = service.ask("POST", "/parse", b"{", {"Content-Type": "application/json"})
    assert answer.status == 422
