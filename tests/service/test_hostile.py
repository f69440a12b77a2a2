"""Requests that are made to stop the service: costly, long, slow, too many, abandoned, under a stranger's name."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import select
import socket
import threading
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import crossarc as xa
from crossarc.service.batching import BatchQueue, Job, Pieces
from crossarc.service.limits import PIECE_SECONDS, CostModel, Limits, RefusedError
from crossarc.service.models import Models, ServedModel

from ..support.service import CROSSING, Running, running, served_models, text_pipeline

LONG = 1e6
GRAPH = CostModel("1-endpoint-crossing")


def sentences(*lengths: int) -> xa.Treebank:
    return xa.Treebank.from_words([["w"] * length for length in lengths])


# What sentences cost


def test_n_best_trees_of_a_long_sentence_are_refused_before_any_work() -> None:
    with pytest.raises(
        RefusedError,
        match=r"2 best trees of a sentence of 120 words may take 2\.\d seconds .* shorter sentences, or nbest",
    ) as refused:
        GRAPH.parsing(sentences(5, 120), 2, Limits())
    assert (refused.value.status, refused.value.details) == (413, {"sentence": 2})
    with pytest.raises(RefusedError, match=r"a sentence of 56 words may take .* and 176 MB, more than .* or 100 MB"):
        GRAPH.parsing(sentences(56), 2, Limits(sentence_bytes=100_000_000))
    GRAPH.parsing(sentences(56, 57, 96, 300), 20, Limits())
    GRAPH.parsing(sentences(120), 1, Limits())


def test_many_costly_sentences_are_refused_before_any_work() -> None:
    with pytest.raises(RefusedError, match="send less at once"):
        GRAPH.parsing(sentences(*[40] * 208), 2, Limits())


def test_costs_grow_with_the_fourth_power_where_the_chart_does() -> None:
    limits = Limits(sentence_seconds=LONG, sentence_bytes=10**12, seconds=LONG)
    seconds = [GRAPH.parsing(sentences(length), 5, limits).total for length in (28, 56)]
    assert 15 < seconds[1] / seconds[0] <= 16
    narrow, wide = (CostModel(None, beam).parsing(sentences(30), 1, limits).total for beam in (1, 64))
    assert wide > 20 * narrow


def test_pieces_hold_all_sentences_in_order_and_are_short() -> None:
    cost = GRAPH.parsing(sentences(*range(1, 90)), 1, Limits())
    pieces = list(cost.pieces())
    assert [index for piece in pieces for index in range(piece.start, piece.stop)] == list(range(89))
    for piece in pieces:
        assert cost.seconds[piece].sum() <= PIECE_SECONDS or piece.stop - piece.start == 1


# The queue


def stepped(done: list[str], name: str, count: int, before: Any = None) -> Generator[None, None, str]:
    for number in range(count):
        if before is not None:
            before(number)
        done.append(f"{name}{number}")
        yield
    return name


def long_job(pieces: Pieces) -> Job:
    return Job(None, 1, lambda: None, lambda given: [pieces], lambda result: result)


def short_job(done: list[str], name: str) -> Job:
    def together(given: Sequence[Any]) -> list[str]:
        done.append(name)
        return [name]

    return Job(None, 1, lambda: None, together, lambda result: result)


def test_others_come_between_the_pieces_of_a_long_job() -> None:
    queue = BatchQueue("test", waiting=100, waiting_seconds=LONG)
    done: list[str] = []
    begun, may_go = threading.Event(), threading.Event()

    def wait(number: int) -> None:
        begun.set()
        may_go.wait()

    async def run() -> list[str]:
        first = asyncio.create_task(queue.do(long_job(Pieces(1.0, stepped(done, "a", 3, wait))), LONG))
        while not begun.is_set():
            await asyncio.sleep(0)
        others = [long_job(Pieces(1.0, stepped(done, "b", 3))), short_job(done, "c")]
        tasks = [first, *(asyncio.create_task(queue.do(job, LONG)) for job in others)]
        while len(queue) < 3:
            await asyncio.sleep(0)
        may_go.set()
        return list(await asyncio.gather(*tasks))

    assert asyncio.run(run()) == ["a", "b", "c"]
    queue.stop()
    assert done.index("c") < done.index("a2")
    assert done.index("b0") < done.index("a2")


def test_a_long_job_without_a_client_is_dropped() -> None:
    queue = BatchQueue("test", waiting=100, waiting_seconds=LONG)
    done: list[str] = []
    begun, may_go = threading.Event(), threading.Event()

    def wait(number: int) -> None:
        begun.set()
        may_go.wait()

    async def run() -> None:
        task = asyncio.create_task(queue.do(long_job(Pieces(1.0, stepped(done, "a", 50, wait))), LONG))
        while not begun.is_set():
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        may_go.set()

    asyncio.run(run())
    queue.stop()
    assert done == ["a0"]


def test_long_jobs_are_taken_as_far_as_they_can_be_answered_in_time() -> None:
    queue = BatchQueue("test", waiting=100, waiting_seconds=LONG, long_seconds=30)
    done: list[str] = []
    begun, may_go = threading.Event(), threading.Event()

    def wait(number: int) -> None:
        begun.set()
        may_go.wait()

    async def run() -> None:
        first = asyncio.create_task(queue.do(long_job(Pieces(20.0, stepped(done, "a", 1, wait))), LONG))
        while not begun.is_set():
            await asyncio.sleep(0)
        second = asyncio.create_task(queue.do(long_job(Pieces(20.0, stepped(done, "b", 1))), LONG))
        while not len(queue) > 1:
            await asyncio.sleep(0)
        may_go.set()
        assert await first == "a"
        with pytest.raises(RefusedError, match="more long requests") as refused:
            await second
        assert refused.value.status == 503

    asyncio.run(run())
    queue.stop()


# Through the service


@pytest.mark.slow
def test_a_long_request_is_answered_as_a_short_one_is(service: Running) -> None:
    text = "I don't know, Ann. Go on! " * 150
    parsed = [service.post("/parse", {"data": text[: 26 * count]}).json for count in (150, 1)]
    assert len(parsed[0]["sentences"]) == 300
    assert [sentence["id"] for sentence in parsed[0]["sentences"]] == [str(number) for number in range(1, 301)]
    first = parsed[1]["sentences"][0]["analyses"][0]
    assert parsed[0]["sentences"][0]["analyses"][0]["words"] == first["words"]
    assert xa.from_text(parsed[0]["conllu"]).words == 1500
    long = service.ask("POST", "/process?tokenizer=&tagger=&parser=", f"data={text * 4}".encode().replace(b" ", b"+"))
    pieces = xa.from_text(long.json["result"].replace("# newdoc", "# x"))
    whole = text_pipeline()(text * 4)
    assert [sentence.heads.tolist() for sentence in pieces] == [sentence.heads.tolist() for sentence in whole]


@pytest.mark.slow
def test_a_text_with_too_many_words_is_refused_before_it_is_cut(
    service: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(*given: Any, **options: Any) -> Any:
        raise AssertionError("a text that is too long was cut into words")

    monkeypatch.setattr(type(text_pipeline()), "segmented_texts", cut)
    for data in ("a " * 30_000, "a" * 300_000):
        assert service.post("/parse", {"data": data}).status == 413


@pytest.mark.slow
def test_work_for_a_client_that_hung_up_is_not_done(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_go = threading.Event(), threading.Event()
    parsed: list[int] = []
    original = ServedModel.analyses

    def analyses(self: ServedModel, treebank: xa.Treebank, n: int) -> Any:
        parsed.append(len(treebank))
        begun.set()
        may_go.wait()
        return original(self, treebank, n)

    monkeypatch.setattr(ServedModel, "analyses", analyses)
    with running(served_models()) as one:
        body = json.dumps({"data": "a b", "input": "lines", "model": "eager"}).encode()
        connections = []
        for width in range(101, 106):  # of other kinds, so that they are not done together
            connection = http.client.HTTPConnection("127.0.0.1", one.port)
            content = body[:-1] + b', "width": %d.0}' % width
            connection.request("POST", "/parse", content, {"Content-Type": "application/json"})
            connections.append(connection)
            if width == 101:
                begun.wait()
        while 'crossarc_queue_waiting{queue="parsing"} 4.0' not in one.get("/metrics").body.decode():
            pass
        for connection in connections:
            connection.close()
        while 'crossarc_requests_total{path="/parse",status="499"} 5.0' not in one.get("/metrics").body.decode():
            pass
        may_go.set()
        assert one.post("/parse", {"data": "a b", "input": "lines", "model": "eager"}).status == 200
    assert parsed == [1, 1]


# Heads, bodies, connections


def received(connection: socket.socket) -> bytes:
    with contextlib.suppress(OSError):  # the answer may be lost with the connection
        return b"".join(iter(lambda: connection.recv(65536), b""))
    return b""


@pytest.fixture(scope="module")
def bare(service: Running) -> Iterator[Running]:
    """A service without models that has little patience."""
    with running(Models([]), Limits(seconds=0.5, head_seconds=0.3)) as one:
        yield one


@pytest.mark.parametrize("block", [b"X-A: " + b"a" * 1000 + b"\r\n", b"a" * 1000])
def test_heads_end_where_they_are_too_long(bare: Running, block: bytes) -> None:
    with socket.create_connection(("127.0.0.1", bare.port)) as sent:
        sent.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-B: ")
        with contextlib.suppress(OSError):
            for _ in range(20_000):  # twenty megabytes: the connection ends long before
                sent.sendall(block)
            raise AssertionError("the head was read on and on")
    assert bare.get("/health").status == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: 1\r\n" * 100 + b"\r\n", b"431"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: 1\r\n" * 99 + b"Connection: close\r\n\r\n", b"431"),
        (b"GET /health HTTP/1.1\r\nHost: localhost\r\n" + b"X: 1\r\n" * 98 + b"Connection: close\r\n\r\n", b"200"),
        (b"GET /health HTTP/1.1\r\nX: " + b"a" * 17_000 + b"\r\n\r\n", b"431"),
        (b"GET /process?data=" + b"a" * 17_000 + b" HTTP/1.1\r\n\r\n", b"414"),
        (b"GET /health HTTP/1.1\r\nHost: local", b"408"),
        (b"GET /hea", b"408"),
        (b"", b""),
    ],
)
def test_heads_have_a_size_lines_and_a_time(bare: Running, head: bytes, status: bytes) -> None:
    with socket.create_connection(("127.0.0.1", bare.port)) as sent:
        sent.sendall(head)
        answer = received(sent)
    assert answer[9:12] == status
    assert not status or json.loads(answer.partition(b"\r\n\r\n")[2])


def test_the_head_of_a_second_request_has_a_time_too(bare: Running) -> None:
    with socket.create_connection(("127.0.0.1", bare.port)) as sent:
        sent.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /health HTTP/1.1\r\nHo")
        answer = received(sent)
    assert answer.count(b"HTTP/1.1 200 ") == 1
    assert answer.count(b"HTTP/1.1 408 ") == 1


def test_a_body_that_nobody_wants_has_a_time_in_all(service: Running) -> None:
    refusing = Limits(seconds=0.2, open=0)
    with running(Models([]), refusing) as one, socket.create_connection(("127.0.0.1", one.port)) as sent:
        sent.sendall(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        with pytest.raises(OSError, match=r"reset|[Bb]roken"):
            for _ in range(3000):  # longer than any patience; each byte comes in time for a timer of its own
                sent.sendall(b"a")
                one.get("/health")


def test_bodies_are_bounded_in_all(service: Running) -> None:
    head = b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4000\r\n\r\n"
    with running(Models([]), Limits(seconds=LONG, bodies=5000)) as one:
        with contextlib.ExitStack() as opened:
            sent = [opened.enter_context(socket.create_connection(("127.0.0.1", one.port))) for _ in range(2)]
            for connection in sent:
                connection.sendall(head + b" " * 3000)
            answered = select.select(sent, [], [])[0]
            assert [connection.recv(12)[-3:] for connection in answered] == [b"503"]
        while one.post("/parse", {"data": CROSSING * 8, "given": True}).status != 200:
            pass  # until the end of the other connection was noticed


def test_an_address_has_so_many_connections(service: Running) -> None:
    with running(Models([]), Limits(head_seconds=LONG, address_connections=6)) as one:
        with contextlib.ExitStack() as opened:
            sent = [opened.enter_context(socket.create_connection(("127.0.0.1", one.port))) for _ in range(9)]
            assert [received(connection)[9:12] for connection in sent[6:]] == [b"503"] * 3
            for connection in sent[:6]:
                connection.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert [received(connection)[9:12] for connection in sent[:6]] == [b"200"] * 6
        assert one.get("/health").status == 200


# Names, and other oddities


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8000", 200),
        ("127.0.0.1:80", 200),
        ("[::1]:8000", 200),
        ("10.0.0.5", 200),
        ("evil.example", 421),
        ("localhost.evil.example", 421),
        ("trees.example:8000", 421),
    ],
)
def test_names_of_strangers_are_not_answered(bare: Running, host: str, status: int) -> None:
    assert bare.ask("GET", "/health", None, {"Host": host}).status == status


def test_names_may_be_allowed(service: Running) -> None:
    with running(Models([]), hosts=["Trees.example"]) as one:
        assert one.ask("GET", "/health", None, {"Host": "trees.example:8000"}).status == 200
        assert one.ask("GET", "/health", None, {"Host": "evil.example"}).status == 421
    with running(Models([]), hosts=["*"]) as one:
        assert one.ask("GET", "/health", None, {"Host": "evil.example"}).status == 200


def test_a_range_of_5000_digits_is_no_range(service: Running) -> None:
    data = f"1\ta\t_\t_\t_\t_\t0\troot\t_\tTokenRange={'1' * 5000}:2\n\n"
    answer = service.post("/parse", {"data": data, "given": True})
    assert answer.status == 200
    assert "start" not in answer.json["sentences"][0]["analyses"][0]["words"][0]


def test_requests_with_a_hundred_fields_are_not_looked_at(bare: Running) -> None:
    answer = bare.post("/parse", {f"x{number}": 0 for number in range(101)})
    assert (answer.status, answer.json["error"]) == (413, "101 fields: at most 100 are taken")


def test_of_many_trees_the_first_are_drawn(service: Running) -> None:
    found = service.post("/parse", {"data": CROSSING * 102, "given": True, "svg": True}).json["sentences"]
    assert ["svg" in sentence["analyses"][0] for sentence in found] == [True] * 100 + [False] * 2


def test_hostile_trees_are_analysed_in_a_bounded_search() -> None:
    chance = np.random.default_rng(1)
    order = chance.permutation(400) + 1
    heads = {word: int(order[chance.integers(place)]) if place else 0 for place, word in enumerate(order.tolist())}
    treebank = xa.from_text("".join(f"{n}\tw\t_\t_\t_\t_\t{heads[n]}\tx\t_\t_\n" for n in range(1, 401)) + "\n")
    with pytest.warns(UserWarning, match="within bounds"):
        xa.analyze(treebank, budget=10)
