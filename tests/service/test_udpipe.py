"""A client of UDPipe's service, written from its published parameters, gets from ours what it got from that."""

from __future__ import annotations

import json
import uuid
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from crossarc.service.limits import RefusedError
from crossarc.service.models import Models, ServedModel

from ..support.service import CROSSING, Running
from ..text.texts import TEXT

pytestmark = pytest.mark.slow

SENTENCES = "I don't know, Ann. Go on!"


class UdpipeClient:
    """`/models` and `/process` with `data`, `model`, `tokenizer`, `tagger`, `parser`, `input`, `output`."""

    def __init__(self, address: str, way: str = "form") -> None:
        self.address, self.way = address, way

    def models(self) -> dict[str, Any]:
        with urlopen(f"{self.address}/models") as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def process(self, **parameters: str) -> dict[str, Any]:
        with urlopen(self.request(parameters)) as answer:
            assert answer.headers["content-type"].startswith("application/json")
            found: dict[str, Any] = json.load(answer)
            assert set(found) == {"model", "acknowledgements", "result"}
            return found

    def request(self, parameters: dict[str, str]) -> Request:
        if self.way == "query":
            return Request(f"{self.address}/process?{urlencode(parameters)}")
        if self.way == "form":
            return Request(f"{self.address}/process", urlencode(parameters).encode())
        border = uuid.uuid4().hex
        parts = [
            f'--{border}\r\nContent-Disposition: form-data; name="{name}"{self.file(name)}\r\n\r\n{value}\r\n'
            for name, value in parameters.items()
        ]
        body = ("".join(parts) + f"--{border}--\r\n").encode()
        return Request(f"{self.address}/process", body, {"Content-Type": f"multipart/form-data; boundary={border}"})

    def file(self, name: str) -> str:
        return '; filename="text.txt"\r\nContent-Type: text/plain' if self.way == "file" and name == "data" else ""


def rows(result: str) -> list[list[str]]:
    return [line.split("\t") for line in result.splitlines() if line and not line.startswith("#")]


@pytest.fixture(params=["query", "form", "multipart", "file"])
def client(service: Running, request: pytest.FixtureRequest) -> UdpipeClient:
    return UdpipeClient(service.address, request.param)


def test_models_and_what_they_can_do(service: Running) -> None:
    assert UdpipeClient(service.address).models() == {
        "models": {
            "tiny-text": ["tokenizer", "tagger", "parser"],
            "two-planar": ["parser"],
            "eager": ["parser"],
        },
        "default_model": "tiny-text",
    }


def test_text_becomes_trees(client: UdpipeClient) -> None:
    found = client.process(data=SENTENCES, tokenizer="", tagger="", parser="")
    assert found["model"] == "tiny-text"
    assert "Ann" in found["acknowledgements"]
    words = [row for row in rows(found["result"]) if "-" not in row[0]]
    assert [row[1] for row in words] == ["I", "do", "n't", "know", ",", "Ann", ".", "Go", "on", "!"]
    assert all(len(row) == 10 and row[3] != "_" and row[6].isdecimal() and row[7] != "_" for row in words)
    assert ["2-3", "don't"] in [row[:2] for row in rows(found["result"])]
    assert found["result"].endswith("\n\n")
    assert "TokenRange" not in found["result"]


def test_what_is_not_asked_for_is_not_done(client: UdpipeClient) -> None:
    cut = rows(client.process(data=SENTENCES, tokenizer="")["result"])
    assert {row[3] + row[6] + row[7] for row in cut} == {"___"}
    tagged = rows(client.process(data=SENTENCES, tokenizer="", tagger="")["result"])
    assert {row[6] for row in tagged} == {"_"}
    assert "VERB" in {row[3] for row in tagged}
    parsed = rows(client.process(data=SENTENCES, tokenizer="", parser="")["result"])
    assert {row[3] for row in parsed} == {"_"}
    assert "0" in {row[6] for row in parsed}


def test_places_in_the_text(client: UdpipeClient) -> None:
    found = client.process(data=SENTENCES, tokenizer="ranges")["result"]
    for row in rows(found):
        place = dict(piece.split("=", 1) for piece in row[9].split("|") if "=" in piece).get("TokenRange")
        if place is not None:
            start, end = map(int, place.split(":"))
            assert SENTENCES[start:end] == row[1]
    assert found.count("TokenRange=") == 11  # 9 tokens, and the two words of don't


def test_a_sentence_a_line(client: UdpipeClient) -> None:
    found = client.process(data="Go on!\nI don't know, Ann. Go on!\n", tokenizer="presegmented")["result"]
    lengths = [len([row for row in rows(block) if "-" not in row[0]]) for block in found.strip().split("\n\n")]
    assert lengths == [3, 10]


def test_conllu_keeps_what_it_has(client: UdpipeClient) -> None:
    found = client.process(data=CROSSING, model="two-planar", parser="")["result"]
    assert [row[:6] for row in rows(found)] == [row[:6] for row in rows(CROSSING)]
    assert client.process(data=CROSSING, model="two-planar")["result"] == CROSSING


def test_other_formats(client: UdpipeClient) -> None:
    assert client.process(data="Go on !\nShe ca n't .", input="horizontal", output="vertical")["result"] == (
        "Go\non\n!\n\nShe\nca\nn't\n.\n\n"
    )
    found = client.process(data="Go\non\n!\n\nShe\n", input="vertical", output="horizontal")
    assert found["result"] == "Go on !\nShe\n"
    assert client.process(data=TEXT, output="plaintext")["result"] == "I don't know, Ann.\nGo on!\nShe can't.\n"
    assert client.process(data=TEXT, output="conllu=v2")["result"] == TEXT


def test_a_model_by_the_beginning_of_its_name(client: UdpipeClient) -> None:
    assert client.process(data="Go on!", model="tiny", tokenizer="")["model"] == "tiny-text"


def test_models_by_their_names_in_udpipe(service: Running) -> None:
    """By language, and by language, treebank, version and date; the answer says which model it was."""
    client = UdpipeClient(service.address)
    for name in ("tiny", "tiny-mine-ud-2.12-230717", "Tiny-ud-2.5-191206"):
        assert client.process(data="Go on!", model=name, tokenizer="")["model"] == "tiny-text"


def test_names_of_the_embedded_models_in_udpipe() -> None:
    models = Models(
        cast(ServedModel, SimpleNamespace(name=name, about=about))
        for name, about in {
            "en": {"language": "English", "source": "UniversalDependencies/UD_English-EWT 15d613d8"},
            "en-gum": {"language": "English", "source": "UD_English-GUM"},
            "grc": {"language": "Ancient Greek", "source": "AGDT"},
        }.items()
    )
    for asked, found in {
        "english": "en",
        "english-ewt-ud-2.12-230717": "en",
        "english-gum-ud-2.12-230717": "en-gum",
        "english-lines-ud-2.12-230717": "en",
        "ancient_greek-perseus-ud-2.12": "grc",
        "en": "en",
        "": "en",
    }.items():
        assert models.choose(asked).name == found, asked
    with pytest.raises(RefusedError, match="no model 'czech-pdt"):
        models.choose("czech-pdt-ud-2.12")


def test_documents_and_paragraphs(client: UdpipeClient) -> None:
    found = client.process(data="Go on! I know.\n\nGo on!", tokenizer="")["result"]
    comments = [line.partition(" = ")[0] for line in found.splitlines() if line.startswith("#")]
    assert comments == [
        *("# newdoc", "# newpar", "# sent_id", "# text", "# sent_id", "# text", "# newpar", "# sent_id", "# text"),
    ]


def test_the_generic_tokenizer_serves_every_parser(client: UdpipeClient) -> None:
    found = client.process(data='Go on, "Ann". She went.', input="generic_tokenizer", model="eager", parser="")[
        "result"
    ]
    assert [row[1] for row in rows(found)] == ["Go", "on", ",", '"', "Ann", '"', ".", "She", "went", "."]
    assert [row[0] for row in rows(found)].count("1") == 2 and "TokenRange" not in found
    lines = client.process(data="She went. Go\non", input="generic_tokenizer=presegmented;ranges", model="eager")[
        "result"
    ]
    assert [row[0] for row in rows(lines)] == ["1", "2", "3", "4", "1"] and "TokenRange=13:15" in lines


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "the parameter data is missing"),
        ({"data": "a", "model": "../../etc/passwd"}, "no model '../../etc/passwd' is served"),
        ({"data": "a", "model": "eager", "tokenizer": ""}, "the model eager has no tokenizer"),
        ({"data": "a", "model": "eager", "tagger": ""}, "the model eager has no tagger"),
        ({"data": "a", "tokenizer": "fast"}, "unknown option of the tokenizer 'fast'"),
        ({"data": "a", "input": "pdf"}, "unknown input format 'pdf'"),
        ({"data": "a", "output": "epe"}, "unknown output format 'epe'"),
        ({"data": "this is no CoNLL-U"}, "data"),
    ],
)
def test_what_cannot_be_done_is_said(service: Running, parameters: dict[str, str], message: str) -> None:
    answer = service.ask(
        "POST", "/process", urlencode(parameters).encode(), {"Content-Type": "application/x-www-form-urlencoded"}
    )
    assert answer.status in (400, 404)
    assert message in answer.json["error"]
