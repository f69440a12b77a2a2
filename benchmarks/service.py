"""The service under load, on the loopback of this machine: speed, memory, overload, a restart, malformed requests.

`crossarc serve` runs in a process of its own, the clients in this one; both share the cores of the machine, and what
each of them takes of the processor is printed. Speed: 64
clients that each send a sentence of 20 words to /process and wait for its answer, against `crossarc parse` on a file
with the same sentences. Overload: requests come at four times the speed that was measured, whether or not earlier ones
were answered. Restart: the service is killed and started again while clients that retry send requests. Every run is
bounded in requests and in time.

    python benchmarks/service.py [--model en] [--requests 100000] [--malformed 20000]
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import crossarc as xa
from common import Claims, at_least, at_most, best_time, print_table
from crossarc.text import known_models

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from tests.support.malformed import bodies, raw_requests

CLIENTS, WORDS = 64, 20
CLAIMS = Claims(
    {
        "speed, share of crossarc parse": at_least(0.5),
        "64 clients, p99, ms": at_most(250),
        "64 clients, errors": at_most(0),
        "growth of memory after 1,000 requests, %": at_most(5),
        "overload, refused, p99, ms": at_most(100),
        "overload, accepted, p99, ms": at_most(1000),
        "overload, neither answered nor refused": at_most(0),
        "restart, requests lost": at_most(0),
        "malformed requests that failed": at_most(0),
    }
)
COMMAND = (sys.executable, "-c", "from crossarc.cli.main import main; main()")


class Server:
    """`crossarc serve` in a process of its own."""

    def __init__(self, model: str, log: Path, port: int = 0, options: Sequence[str] = ()) -> None:
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen([*COMMAND, "serve", model, "--port", str(port), *options], stderr=errors)
        while not (found := re.search(r"on http://127\.0\.0\.1:(\d+)/", log.read_text())):
            if self.process.poll() is not None:
                sys.exit(log.read_text())
            time.sleep(0.05)
        self.port = int(found[1])

    def get(self, path: str) -> str:
        with urlopen(f"http://127.0.0.1:{self.port}{path}") as answer:
            text: str = answer.read().decode()
            return text

    def memory(self) -> float:
        """Bytes that it has after a moment of rest."""
        time.sleep(2)
        found = re.search(r"^process_resident_memory_bytes (\S+)$", self.get("/metrics"), re.M)
        assert found, "the system does not tell how much memory a process has"
        return float(found[1])

    def processor_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait()


@contextmanager
def served(model: str, *options: str) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(model, Path(folder) / "log", options=options)
        try:
            yield server
        finally:
            server.end()


class Connection:
    """One connection that stays open; sends requests and waits for the answers."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: bytes) -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else b""
        if b"connection: close" in head:
            self.close()
        return int(head[9:12]), body

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None


def process_request(text: str, more: dict[str, str]) -> bytes:
    body = urlencode({"data": text, **more}).encode()
    head = f"POST /process HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/x-www-form-urlencoded\r\n\r\n".encode() + body


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Client(asyncio.Protocol):
    """One connection that stays open, and as little work for each answer as can be: the service needs the processor."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self.began = 0.0
        self.received = b""
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def send(self, request: bytes) -> None:
        self.began = time.perf_counter()
        self.transport.write(request)

    def data_received(self, data: bytes) -> None:
        data = self.received + data if self.received else data
        end = data.find(b"\r\n\r\n")
        place = data.find(b"content-length: ", 0, end) + 16
        if end < 0 or len(data) < end + 4 + int(data[place : data.index(b"\r", place)]):
            self.received = data
            return
        self.received = b""
        self.load.answered(self, int(data[9:12]))

    def connection_lost(self, error: Exception | None) -> None:
        self.load.lost(self)


class Load:
    """Requests that are sent over and over, their times by status (0: no answer), and what it cost to send them."""

    def __init__(self, port: int, requests: list[bytes], count: int) -> None:
        self.port, self.requests, self.count = port, requests, count
        self.times: defaultdict[int, list[float]] = defaultdict(list)
        self.sent = self.finished = 0
        self.seconds = self.processor_seconds = 0.0
        self.clients: list[Client] = []

    def run(self) -> None:
        """Send all requests, and wait for the answers."""
        began, used = time.perf_counter(), time.process_time()
        run(self._run())
        self.seconds, self.processor_seconds = time.perf_counter() - began, time.process_time() - used

    async def _run(self) -> None:
        self.done = asyncio.get_running_loop().create_future()
        await self.send_all()
        await self.done
        for client in self.clients:
            client.transport.close()

    async def send_all(self) -> None:
        raise NotImplementedError

    async def connect(self) -> Client:
        _, client = await asyncio.get_running_loop().create_connection(lambda: Client(self), "127.0.0.1", self.port)
        self.clients.append(client)
        return client

    def next_request(self) -> bytes:
        self.sent += 1
        return self.requests[self.sent % len(self.requests)]

    def answered(self, client: Client, status: int) -> None:
        self.times[status].append(time.perf_counter() - client.began)
        client.began = 0.0
        self.finished += 1
        if self.finished == self.count:
            self.done.set_result(None)

    def lost(self, client: Client) -> None:
        if client.began:  # with a request on the way
            self.answered(client, 0)
        if client in self.clients:
            self.clients.remove(client)


class ClosedLoop(Load):
    """64 clients that wait for each answer before they send again."""

    async def send_all(self) -> None:
        for client in [await self.connect() for _ in range(CLIENTS)]:
            if self.sent < self.count:
                client.send(self.next_request())

    def answered(self, client: Client, status: int) -> None:
        super().answered(client, status)
        if self.sent < self.count:
            client.send(self.next_request())


class OpenLoop(Load):
    """Requests at a rate, whether or not earlier ones were answered, over as many connections as that takes."""

    def __init__(self, port: int, requests: list[bytes], rate: float, seconds: float) -> None:
        super().__init__(port, requests, int(rate * seconds))
        self.rate = rate
        self.free: list[Client] = []
        self.connecting: set[asyncio.Task[None]] = set()

    async def send_all(self) -> None:
        began = time.perf_counter()
        while self.sent < self.count:
            due = min(self.count, int((time.perf_counter() - began) * self.rate) + 1)
            while self.sent < due:
                if self.free:
                    self.free.pop().send(self.next_request())
                else:
                    task = asyncio.create_task(self.send_anew(self.next_request()))
                    self.connecting.add(task)
                    task.add_done_callback(self.connecting.discard)
            await asyncio.sleep(0.001)

    async def send_anew(self, request: bytes) -> None:
        began = time.perf_counter()
        client = await self.connect()
        client.send(request)
        client.began = began

    def answered(self, client: Client, status: int) -> None:
        if status:
            self.free.append(client)
        super().answered(client, status)

    def lost(self, client: Client) -> None:
        if client in self.free:
            self.free.remove(client)
        super().lost(client)


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run on the quicker loop, if it is there."""
    try:
        import uvloop
    except ImportError:
        return asyncio.run(work)
    return uvloop.run(work)


async def with_retries(port: int, requests: list[bytes], count: int, done: Counter[str]) -> None:
    """Clients that send each request until it is answered, through a restart, for five minutes at most."""
    left = iter(range(count))
    end = time.perf_counter() + 300

    async def client() -> None:
        connection = Connection(port)
        for number in left:
            while time.perf_counter() < end:
                try:
                    status, body = await connection.ask(requests[number % len(requests)])
                    if status == 200 and json.loads(body)["result"]:
                        done["answered"] += 1
                        break
                except (OSError, EOFError):
                    pass
                done["tries again"] += 1
                connection.close()
                await asyncio.sleep(0.1)

    await asyncio.gather(*(client() for _ in range(16)))


async def malformed(port: int, count: int) -> Counter[int]:
    """Send requests that are wrong on purpose; return the statuses."""
    statuses: Counter[int] = Counter()
    paths = ["/process", "/parse", "/draw", "/derive", "/analyze", "/evaluate", "/models", "/../x", "/page/%2e%2e/x"]

    async def client(first: int) -> None:
        for seed in range(first, count, 8):
            chance = random.Random(seed)
            kinds = bodies(chance)
            if seed % 4 == 0:
                request = raw_requests(chance)
            else:
                kind, body = chance.choice(list(kinds.values()))
                head = f"POST {chance.choice(paths)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                head += f"Content-Type: {kind}\r\n"
                request = f"{head}Content-Length: {len(body)}\r\n\r\n".encode("latin-1") + body
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(request)
            if seed % 4 == 0:  # it may promise a body that never comes
                writer.write_eof()
            try:
                answer = await reader.read()
            except OSError:
                answer = b""
            writer.close()
            statuses[int(answer[9:12]) if answer[:5] == b"HTTP/" else 0] += 1

    await asyncio.gather(*(client(first) for first in range(8)))
    return statuses


def sentences(count: int) -> list[str]:
    """Texts of 20 words."""
    words = [word for word in xa.sample(count * 3, seed=7).texts("form") if word.isalpha()]
    return [" ".join(words[place * WORDS : (place + 1) * WORDS - 1]) + " ." for place in range(count)]


def parse_speed(model: str, texts: list[str], kind: str) -> float:
    """Words a second of `crossarc parse`, without its start."""
    with tempfile.TemporaryDirectory() as folder:
        few, many = Path(folder) / "few.txt", Path(folder) / "many.txt"
        separator = "\n" if kind == "lines" else "\n\n"
        prepared = texts if kind == "lines" else [text.replace(" ", "\n") for text in texts]
        few.write_text(separator.join(prepared[:1]) + "\n")
        many.write_text(separator.join(prepared) + "\n")
        output = ["-o", str(Path(folder) / "out.conllu"), "--input", kind]

        def run(path: Path) -> object:
            return subprocess.run([*COMMAND, "parse", model, str(path), *output, "-q"], check=True)

        start, whole = best_time(lambda: run(few), 3), best_time(lambda: run(many), 3)
    return (len(texts) - 1) * WORDS / max(1e-3, whole - start)


def _costs(service: float, load: Load) -> str:
    return f"{1000 * service / load.count:.2f} and {1000 * load.processor_seconds / load.count:.2f}"


def make_model(folder: Path) -> str:
    """The embedded English model, or a parser that learns the sample."""
    if "en" in known_models():
        return "en"
    path = folder / "sample.crossarc"
    parser = xa.TransitionParser("2-planar")
    parser.train(xa.sample(1000), epochs=2)
    parser.save(path)
    return str(path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a name or a path; by default en, else a parser trained on the sample")
    parser.add_argument("--requests", type=int, default=100_000, help="for memory, default: 100000")
    parser.add_argument("--speed-requests", type=int, default=6_000, help="for speed, default: 6000")
    parser.add_argument("--malformed", type=int, default=20_000, help="default: 20000")
    parser.add_argument("--seconds", type=float, default=6.0, help="of overload, default: 6")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(chosen.model or make_model(Path(folder)), chosen)
    return CLAIMS.finish()


def measure(model: str, chosen: argparse.Namespace) -> None:
    takes_text = isinstance(xa.load(model), xa.Pipeline)
    texts = sentences(400)
    more = {"tokenizer": "presegmented", "tagger": "", "parser": ""}
    if not takes_text:
        more = {"input": "horizontal", "parser": ""}
    requests = [process_request(text, more) for text in texts]
    alone = parse_speed(model, texts * max(1, chosen.speed_requests // len(texts)), "lines" if takes_text else "words")
    with served(model, "--most-connections", "10000") as server:  # of one address: all clients are here
        ClosedLoop(server.port, requests, 1000).run()
        before = server.memory()
        used = server.processor_seconds()
        load = ClosedLoop(server.port, requests, chosen.speed_requests)
        load.run()
        used = server.processor_seconds() - used
        rate = load.count / load.seconds
        rows = [
            ["crossarc parse, words/s", f"{alone:,.0f}"],
            ["64 clients, words/s", f"{rate * WORDS:,.0f}"],
            ["64 clients, requests/s", f"{rate:,.0f}"],
            ["64 clients, median, ms", f"{1000 * percentile(load.times[200], 0.5):.1f}"],
            ["of the processor, service and clients, ms/request", _costs(used, load)],
        ]
        CLAIMS.measure("speed, share of crossarc parse", rate * WORDS / alone)
        CLAIMS.measure("64 clients, p99, ms", 1000 * percentile(load.times[200], 0.99))
        CLAIMS.measure("64 clients, errors", load.count - len(load.times[200]))
        ClosedLoop(server.port, requests, max(CLIENTS, chosen.requests - load.count - 1000)).run()
        after = server.memory()
        rows.append(["memory after 1,000 requests and at the end, MB", f"{before / 1e6:.1f} and {after / 1e6:.1f}"])
        CLAIMS.measure("growth of memory after 1,000 requests, %", 100 * (after / before - 1))
        used = server.processor_seconds()
        flood = OpenLoop(server.port, requests, 4 * rate, chosen.seconds)
        flood.run()
        used = server.processor_seconds() - used
        taken, refused = flood.times[200], flood.times[503]
        rows += [
            ["overload, accepted and refused", f"{len(taken):,} and {len(refused):,}"],
            ["overload, of the processor, service and clients, ms/request", _costs(used, flood)],
        ]
        CLAIMS.measure("overload, refused, p99, ms", 1000 * percentile(refused, 0.99))
        CLAIMS.measure("overload, accepted, p99, ms", 1000 * percentile(taken, 0.99))
        CLAIMS.measure("overload, neither answered nor refused", flood.count - len(taken) - len(refused))
        found = asyncio.run(malformed(server.port, chosen.malformed))
        rows.append(["malformed, statuses", ", ".join(f"{key}: {found[key]:,}" for key in sorted(found))])
        healthy = json.loads(server.get("/health"))["status"] == "ok"
        failed = sum(number for status, number in found.items() if status >= 500)
        CLAIMS.measure("malformed requests that failed", failed + (not healthy))
    lost, tries = asyncio.run(restarted(model, requests))
    rows.append(["restart, tries that were repeated", f"{tries:,}"])
    CLAIMS.measure("restart, requests lost", lost)
    print_table(["", "measured"], rows)


async def restarted(model: str, requests: list[bytes], count: int = 2000) -> tuple[int, int]:
    """Kill the service and start it again while clients send requests; return how many were lost, and repeated."""
    done: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        server = await asyncio.to_thread(Server, model, Path(folder) / "log")
        clients = asyncio.create_task(with_retries(server.port, requests, count, done))
        while done["answered"] < count // 4:
            await asyncio.sleep(0.01)
        await asyncio.to_thread(server.end, signal.SIGKILL)
        again = await asyncio.to_thread(Server, model, Path(folder) / "again", server.port)
        await clients
        await asyncio.to_thread(again.end)
    return count - done["answered"], done["tries again"]


if __name__ == "__main__":
    sys.exit(main())
