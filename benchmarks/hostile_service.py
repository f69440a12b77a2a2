"""The service beside requests that are made to stop it, on the loopback of this machine: do ordinary clients notice?

`crossarc serve` runs in a process of its own. Twenty ordinary clients send a sentence of 20 words and wait for its
answer, most to /process, some to /parse with a drawing, as the page does; who is refused for now tries again, and the
time counts from the first try. Beside them hostile clients of another address send 200 requests: the n best trees of
long sentences, few or hundreds; sentences whose search is hard; requests whose client hangs up; texts of megabytes;
trees of hundreds of crossings to be analysed and stepped through; heads without an end, of many lines, or half of one;
bodies byte by byte. Ordinary clients go on until the last hostile one is done; every hostile one is bounded in time.

    python benchmarks/hostile_service.py [--model en] [--hostile 200] [--requests 1000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from itertools import count, takewhile
from pathlib import Path

import crossarc as xa
from common import Claims, at_most, print_table
from service import Connection, Server, make_model, percentile, process_request, sentences, served

CLIENTS, HOSTILE_CLIENTS, SECONDS = 20, 40, 15.0
CLAIMS = Claims(
    {
        "ordinary clients, p99, s": at_most(2),
        "ordinary requests without an answer": at_most(0),
        "hostile requests that failed inside": at_most(0),
        "most memory beyond that of ordinary clients, MB": at_most(500),
        "seconds of work after the last hostile client": at_most(3),
    }
)


def post(path: str, data: dict[str, object]) -> bytes:
    body = json.dumps(data).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def crossing_tree(words: int, chance: random.Random) -> str:
    """Return a random tree in CoNLL-U: hundreds of arcs that cross."""
    order = chance.sample(range(1, words + 1), words)
    heads = {word: chance.choice(order[:index]) if index else 0 for index, word in enumerate(order)}
    return "".join(f"{word}\tw\t_\tX\t_\t_\t{heads[word]}\tx\t_\t_\n" for word in range(1, words + 1)) + "\n"


class Ordinary:
    """Clients that wait for each answer; what they waited for it, in seconds."""

    def __init__(self, port: int, requests: list[bytes], go_on: Callable[[int], bool]) -> None:
        self.port, self.requests = port, requests
        self.left = takewhile(go_on, count())
        self.seconds: list[float] = []
        self.refused = self.lost = 0

    async def run(self) -> None:
        await asyncio.gather(*(self._client() for _ in range(CLIENTS)))

    async def _client(self) -> None:
        connection = Connection(self.port)
        for number in self.left:
            began = time.perf_counter()
            for _ in range(20):
                status, _ = await connection.ask(self.requests[number % len(self.requests)])
                if status == 200:
                    self.seconds.append(time.perf_counter() - began)
                    break
                self.refused += 1
                await asyncio.sleep(0.1)
            else:
                self.lost += 1
            await asyncio.sleep(0.1)
        connection.close()


def hostile_requests() -> dict[str, bytes]:
    """What is sent at once and waits for an answer, by kind."""
    words = [word for word in xa.sample(3000, seed=3).texts("form") if word.isalpha()]

    def ranked(length: int, count: int, nbest: int) -> bytes:
        lines = [" ".join(words[index * length : (index + 1) * length]) for index in range(count)]
        return post("/parse", {"data": "\n".join(lines), "input": "lines", "nbest": nbest})

    def trees(path: str, count: int, words: int) -> bytes:
        more = {"given": True} if path == "/derive" else {}
        data = "".join(crossing_tree(words, random.Random(seed)) for seed in range(count))
        return post(path, {"data": data, **more})

    return {
        "n best of 96 words": ranked(96, 1, 20),
        "n best of 208 sentences": ranked(40, 208, 2),
        "n best of 96 hard words": post("/parse", {"data": "word " * 96, "input": "lines", "nbest": 20}),
        "n best of 56 hard words": post("/parse", {"data": "word " * 56, "input": "lines", "nbest": 20}),
        "n best of 40 words": ranked(40, 1, 20),
        "n best of 12 sentences": ranked(40, 12, 2),
        "hard sentences": ranked(100, 3, 1),
        "a text of megabytes": post("/parse", {"data": "a b c " * 600_000}),
        "trees to analyse": trees("/analyze", 20, 400),
        "a tree to step through": trees("/derive", 1, 200),
        "a head of many lines": b"GET / HTTP/1.1\r\n" + b"X: 1\r\n" * 2000 + b"\r\n",
        "half a head": b"GET /health HTTP/1.1\r\nHost: local",
        "a foreign name": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    }


class Hostile:
    """Clients that mean harm, each kind of request in turn; the statuses of what was answered."""

    def __init__(self, port: int, number: int) -> None:
        self.port = port
        self.left = iter(range(number))
        self.done = False
        self.statuses: Counter[str] = Counter()
        self.requests = hostile_requests()
        self.kinds = [*self.requests, "a client that hangs up", "a head without an end", "a body byte by byte"]

    async def run(self) -> None:
        await asyncio.gather(*(self._client() for _ in range(HOSTILE_CLIENTS)))
        self.done = True

    async def _client(self) -> None:
        for number in self.left:
            kind = self.kinds[number % len(self.kinds)]
            status: int | str = "closed"
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=("127.0.0.2", 0))
            try:
                status = await asyncio.wait_for(self._attack(kind, reader, writer), SECONDS)
            except asyncio.TimeoutError:
                status = "given up"
            except (OSError, asyncio.IncompleteReadError):
                pass
            writer.transport.abort()
            self.statuses[f"{kind}: {status}"] += 1

    async def _attack(self, kind: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> int | str:
        if kind == "a client that hangs up":
            writer.write(self.requests["n best of 12 sentences"])
            await writer.drain()
            await asyncio.sleep(0.2)
            return "hung up"
        if kind == "a head without an end":
            writer.write(b"GET / HTTP/1.1\r\nX: ")
            for _ in range(1000):
                writer.write(b"a" * 100_000)
                await writer.drain()
        elif kind == "a body byte by byte":
            writer.write(b"POST /parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
            for _ in range(100):
                writer.write(b" ")
                await asyncio.sleep(0.5)
        else:
            writer.write(self.requests[kind])
        return int((await reader.readuntil(b"\r\n\r\n"))[9:12])


def most_memory(server: Server) -> float:
    """Megabytes that the service had at most."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.process.pid}/status").read_text())
    assert found, "the system does not tell how much memory a process had"
    return int(found[1]) / 1000


async def both(ordinary: Ordinary, hostile: Hostile) -> None:
    await asyncio.gather(ordinary.run(), hostile.run())


def measure(model: str, hostile_requests: int, least: int) -> None:
    more = {"tokenizer": "presegmented", "tagger": "", "parser": ""}
    texts = sentences(200)
    requests = [
        post("/parse", {"data": text, "svg": True}) if number % 5 == 4 else process_request(text, more)
        for number, text in enumerate(texts)
    ]
    with served(model) as server:
        alone = Ordinary(server.port, requests, lambda number: number < max(CLIENTS, least // 4))
        asyncio.run(alone.run())
        before = most_memory(server)
        hostile = Hostile(server.port, hostile_requests)
        beside = Ordinary(server.port, requests, lambda number: number < least or not hostile.done)
        began = time.perf_counter()
        asyncio.run(both(beside, hostile))
        print(f"hostile and ordinary clients: {time.perf_counter() - began:.0f} seconds")
        used = server.processor_seconds()
        time.sleep(10)
        used = server.processor_seconds() - used
        print_table(
            ["", "alone", "beside hostile ones"],
            [
                ["ordinary, requests", f"{len(alone.seconds):,}", f"{len(beside.seconds):,}"],
                *(
                    [
                        f"ordinary, {name}, s",
                        f"{percentile(alone.seconds, share):.3f}",
                        f"{percentile(beside.seconds, share):.3f}",
                    ]
                    for name, share in (("median", 0.5), ("p99", 0.99), ("longest", 1.0))
                ),
                ["ordinary, refused and tried again", f"{alone.refused:,}", f"{beside.refused:,}"],
                ["most memory, MB", f"{before:,.0f}", f"{most_memory(server):,.0f}"],
            ],
        )
        print_table(
            ["hostile requests", "number"], [[kind, str(hostile.statuses[kind])] for kind in sorted(hostile.statuses)]
        )
        CLAIMS.measure("ordinary clients, p99, s", percentile(beside.seconds, 0.99))
        CLAIMS.measure("ordinary requests without an answer", beside.lost)
        failed = sum(number for kind, number in hostile.statuses.items() if kind.endswith(": 500"))
        CLAIMS.measure("hostile requests that failed inside", failed)
        CLAIMS.measure("most memory beyond that of ordinary clients, MB", most_memory(server) - before)
        CLAIMS.measure("seconds of work after the last hostile client", used)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a name or a path; by default en, else a parser trained on the sample")
    parser.add_argument("--hostile", type=int, default=200, help="hostile requests, default: 200")
    parser.add_argument("--requests", type=int, default=1000, help="ordinary requests at least, default: 1000")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(chosen.model or make_model(Path(folder)), chosen.hostile, chosen.requests)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
