"""The service under load, on the loopback of this machine: speed, memory, overload, a restart, malformed requests.

`crossarc serve` runs in a process of its own, the clients in this one; both share the cores of the machine. Speed: 64
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
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
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

    def __init__(self, model: str, log: Path, port: int = 0) -> None:
        self.log = log
        with log.open("w") as errors:
            self.process = subprocess.Popen([*COMMAND, "serve", model, "--port", str(port)], stderr=errors)
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
        found = re.search(r"^process_resident_memory_bytes (\S+)$", self.get("/metrics"), re.M)
        assert found, "the system does not tell how much memory a process has"
        return float(found[1])

    def end(self, how: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(how)
        self.process.wait()


@contextmanager
def served(model: str) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(model, Path(folder) / "log")
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


async def closed_loop(port: int, requests: list[bytes], count: int) -> tuple[list[float], Counter[int], float]:
    """Let 64 clients send so many requests; return how long each took, the statuses, and the seconds of all."""
    times: list[float] = []
    statuses: Counter[int] = Counter()
    left = iter(range(count))

    async def client() -> None:
        connection = Connection(port)
        for number in left:
            began = time.perf_counter()
            status, _ = await connection.ask(requests[number % len(requests)])
            times.append(time.perf_counter() - began)
            statuses[status] += 1
        connection.close()

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    return times, statuses, time.perf_counter() - began


async def open_loop(port: int, requests: list[bytes], rate: float, seconds: float) -> dict[int, list[float]]:
    """Send requests at a rate, whether or not earlier ones were answered; return the times by status, 0 for none."""
    times: dict[int, list[float]] = {0: [], 200: [], 503: []}
    free: list[Connection] = []

    async def one(number: int) -> None:
        connection = free.pop() if free else Connection(port)
        began = time.perf_counter()
        try:
            status, _ = await connection.ask(requests[number % len(requests)])
            free.append(connection)
        except (OSError, EOFError):
            connection.close()
            status = 0
        times.setdefault(status, []).append(time.perf_counter() - began)

    tasks = []
    began = time.perf_counter()
    for number in range(int(rate * seconds)):
        delay = began + number / rate - time.perf_counter()
        if delay > 0:
            await asyncio.sleep(delay)
        elif number % 50 == 0:
            await asyncio.sleep(0)
        tasks.append(asyncio.create_task(one(number)))
    await asyncio.gather(*tasks)
    for connection in free:
        connection.close()
    return times


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
                head = f"POST {chance.choice(paths)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
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
    with served(model) as server:
        asyncio.run(closed_loop(server.port, requests, 1000))
        before = server.memory()
        times, statuses, seconds = asyncio.run(closed_loop(server.port, requests, chosen.speed_requests))
        rate = len(times) / seconds
        rows = [
            ["crossarc parse, words/s", f"{alone:,.0f}"],
            ["64 clients, words/s", f"{rate * WORDS:,.0f}"],
            ["64 clients, requests/s", f"{rate:,.0f}"],
            ["64 clients, median, ms", f"{1000 * percentile(times, 0.5):.1f}"],
        ]
        CLAIMS.measure("speed, share of crossarc parse", rate * WORDS / alone)
        CLAIMS.measure("64 clients, p99, ms", 1000 * percentile(times, 0.99))
        CLAIMS.measure("64 clients, errors", sum(statuses.values()) - statuses[200])
        asyncio.run(closed_loop(server.port, requests, max(0, chosen.requests - len(times) - 1000)))
        after = server.memory()
        rows.append(["memory after 1,000 requests and at the end, MB", f"{before / 1e6:.1f} and {after / 1e6:.1f}"])
        CLAIMS.measure("growth of memory after 1,000 requests, %", 100 * (after / before - 1))
        flood = asyncio.run(open_loop(server.port, requests, 4 * rate, chosen.seconds))
        rows.append(["overload, accepted and refused", f"{len(flood[200]):,} and {len(flood[503]):,}"])
        CLAIMS.measure("overload, refused, p99, ms", 1000 * percentile(flood[503], 0.99))
        CLAIMS.measure("overload, accepted, p99, ms", 1000 * percentile(flood[200], 0.99))
        unanswered = sum(len(own) for status, own in flood.items() if status not in (200, 503))
        CLAIMS.measure("overload, neither answered nor refused", unanswered)
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
