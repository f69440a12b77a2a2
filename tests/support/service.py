"""A service on this machine for tests, models for it, and plain requests."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import crossarc as xa
from crossarc.service.limits import Limits
from crossarc.service.models import Models, ServedModel
from crossarc.text import Pipeline

from ..text.texts import SMALL as SMALL_SEGMENTER
from ..text.texts import TEXT
from .parsers import SMALL, SMALL_WORDS
from .run_folder import trained_once

CROSSING = """\
# text = A hearing is scheduled on the issue today .
1\tA\ta\tDET\t_\t_\t2\tdet\t_\t_
2\thearing\thearing\tNOUN\t_\t_\t4\tnsubj:pass\t_\t_
3\tis\tbe\tAUX\t_\t_\t4\taux:pass\t_\t_
4\tscheduled\tschedule\tVERB\t_\t_\t0\troot\t_\t_
5\ton\ton\tADP\t_\t_\t7\tcase\t_\t_
6\tthe\tthe\tDET\t_\t_\t7\tdet\t_\t_
7\tissue\tissue\tNOUN\t_\t_\t2\tnmod\t_\t_
8\ttoday\ttoday\tNOUN\t_\t_\t4\tobl\t_\t_
9\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""


def _learnt(parser: xa.TransitionParser) -> xa.TransitionParser:
    """A parser that learnt a little."""
    parser.train(xa.sample(150), epochs=2, threads=1)
    return parser


@cache
def two_planar() -> xa.TransitionParser:
    """One with a network."""
    return trained_once(
        "two-planar", xa.TransitionParser, lambda: _learnt(xa.TransitionParser("2-planar", scorer=SMALL))
    )


@cache
def arc_eager() -> xa.TransitionParser:
    """Another one, with a perceptron."""
    return trained_once(
        "eager", xa.TransitionParser, lambda: _learnt(xa.TransitionParser("arc-eager", scorer="perceptron"))
    )


@cache
def text_pipeline() -> Pipeline:
    """A pipeline with tags, which learnt three sentences by heart."""
    return trained_once("tiny-text", Pipeline, _trained_pipeline)


def _trained_pipeline() -> Pipeline:
    parser = xa.GraphParser(
        "projective", network=replace(SMALL_WORDS, character_size=0), cutoff=1, predict=("upos", "lemma")
    )
    return Pipeline.train(
        xa.from_text(TEXT * 30),
        parser=parser,
        segmenter=SMALL_SEGMENTER,
        epochs=6,
        segmenter_epochs=25,
        threads=1,
        about={"language": "Tiny", "licence": "CC0", "attribution": "Ann", "source": "a tiny treebank"},
    )


@cache
def served_models() -> Models:
    """The three of them."""
    return Models(
        [
            ServedModel("tiny-text", text_pipeline(), 1),
            ServedModel("two-planar", two_planar(), 1),
            ServedModel("eager", arc_eager(), 1),
        ]
    )


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Running:
    """A service that runs in this process."""

    port: int
    server: Any

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | Iterator[bytes] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def post(self, path: str, data: Any) -> Answer:
        return self.ask("POST", path, json.dumps(data).encode(), {"Content-Type": "application/json"})

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)


@contextlib.contextmanager
def running(models: Models, limits: Limits | None = None, **options: Any) -> Iterator[Running]:
    """Start a service on a free port, and stop it in good order."""
    from crossarc.service.application import make_application
    from crossarc.service.server import make_server, open_socket

    limits = limits or Limits()
    listening = open_socket("127.0.0.1", 0)
    server = make_server(make_application(models, limits=limits, **options), limits)
    started = threading.Event()
    thread = threading.Thread(target=_run, args=(server, listening, started), daemon=True)
    thread.start()
    started.wait()
    try:
        yield Running(listening.getsockname()[1], server)
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def _run(server: Any, listening: Any, started: threading.Event) -> None:
    import asyncio

    async def serve() -> None:
        started.set()  # the socket listens already: who connects now is answered soon
        await server._serve([listening])

    asyncio.run(serve())
