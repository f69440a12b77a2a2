"""Are two workers nearly twice as fast as one, is memory constant, and does nothing get lost when processes are killed?

Speed: raw text with the embedded English model, on one worker and on two that run already, the best of several runs;
seconds in which a worker waits for a core that other programs have are not counted, as if there were none.
Memory: the peak of each process of `crossarc parse --cluster local`, on a treebank and on one ten times as large.
Kills: a worker is killed every few seconds, and in another run the scheduler; the output is compared byte for byte.
Cost: milliseconds that a task of one sentence takes away from the processor of the side that gives tasks out, and how
many workers that side keeps busy with shards of 32 MB: the faster a parser, the fewer; docs/guide/clusters.md has the
arithmetic.

    python benchmarks/cluster.py [--runs 2] [--kilobytes 2000] [--megabytes 1000] [--kill-seconds 3] [--tasks 1000]
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import crossarc as xa
from common import Claims, at_least, at_most, best_times, options, print_table
from crossarc.cluster import parse_corpus
from crossarc.errors import imported

CLAIMS = Claims(
    {
        "two workers, times the speed of one": at_least(1.8),
        "memory of a worker, growth with ten times the treebank, %": at_most(10),
        "memory of the command, growth with ten times the treebank, %": at_most(10),
        "workers killed": at_least(3),
        "workers killed, shards that differ": at_most(0),
        "scheduler killed, shards parsed before and again": at_most(0),
        "scheduler killed, shards that differ": at_most(0),
        "workers that one scheduler keeps busy": at_least(1000),
    }
)
COMMAND = (sys.executable, "-c", "from crossarc.cli.main import main; main()")
SHARD_MEGABYTES = 32


def make_model(folder: Path) -> str:
    """A small parser, fast enough for gigabytes."""
    parser = xa.TransitionParser("arc-eager", encoding="head", scorer="perceptron")
    parser.train(xa.sample(300, seed=1), epochs=1, progress=False)
    parser.save(folder / "sample.crossarc")
    return str(folder / "sample.crossarc")


def write_text(path: Path, size: int) -> None:
    """Raw text with a paragraph after every five sentences."""
    sentences = [sentence.text for sentence in xa.sample(2000, seed=2)]
    paragraphs = "".join(" ".join(sentences[place : place + 5]) + "\n\n" for place in range(0, len(sentences), 5))
    path.write_text(paragraphs * max(1, round(size / len(paragraphs.encode()))), encoding="utf-8")


def write_treebank(path: Path, size: int) -> None:
    content = xa.sample(2000, seed=2).to_bytes()
    with path.open("wb") as file:
        for _ in range(max(1, round(size / len(content)))):
            file.write(content)


def outputs(folder: Path) -> dict[str, Path]:
    """The parsed shards of a folder by name."""
    return {path.name: path for path in folder.glob("*.conllu")}


def differing(one: Path, other: Path) -> int:
    """How many shards are in one folder alone or have other bytes."""
    first, second = outputs(one), outputs(other)
    return len(first.keys() ^ second.keys()) + sum(
        first[name].read_bytes() != second[name].read_bytes() for name in first.keys() & second.keys()
    )


def measure_speed(folder: Path, runs: int, size: int) -> list[list[str]]:
    """Sixteen shards of raw text on one worker and on two, which have started and have loaded the model."""
    few, text = folder / "few.txt", folder / "speed.txt"
    write_text(few, 1)
    write_text(text, size)
    numbers = iter(range(1000))

    def parse(address: str, path: Path, shards: int) -> int:
        target, part = folder / f"speed-{next(numbers)}", max(1, path.stat().st_size // shards)
        return parse_corpus("en", path, target, cluster=address, shard_bytes=part, progress=False).words

    rows, best = [], []
    for count, name in ((1, "one worker"), (2, "two workers")):
        with started(count) as cluster:
            parse(cluster.scheduler_address, few, 2 * count)
            found = []
            for _ in range(runs):
                waited, begun = waits_of(cluster), time.perf_counter()
                words = parse(cluster.scheduler_address, text, 16)
                wall = time.perf_counter() - begun
                found.append((wall - (waits_of(cluster) - waited), wall))
        undisturbed, wall = min(found)
        best.append(undisturbed)
        shown = f"{words / undisturbed:,.0f} ({words / wall:,.0f})"
        rows.append([f"{name}, {text.stat().st_size / 1e6:.1f} MB of raw text, words/s (with other work)", shown])
    CLAIMS.measure("two workers, times the speed of one", best[0] / best[1])
    return rows


def waits_of(cluster: Any) -> float:
    """Seconds that the busiest thread of a worker has waited for a core which something else had, on average."""
    waits = []
    for worker in cluster.workers.values():
        threads = [path.read_text().split() for path in Path(f"/proc/{worker.pid}/task").glob("*/schedstat")]
        waits.append(max((int(used), int(waited)) for used, waited, _ in threads)[1] / 1e9)
    return sum(waits) / len(waits)


@contextmanager
def started(workers: int) -> Iterator[Any]:
    """A cluster of so many processes."""
    with imported("distributed", "cluster").LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0", memory_limit=0
    ) as cluster:
        yield cluster


def workers_of(process: int) -> list[int]:
    """The worker processes of a command, whichever of its threads started them."""
    found = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # a thread or a child that has ended
            for child in thread.read_text().split():
                if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes():
                    found.append(int(child))
    return sorted(found)


def peak_of(process: int) -> int:
    """The most memory that a process has had, in bytes; 0 where it has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return 0


def peaks(model: str, treebank: Path, target: Path) -> tuple[int, int, float]:
    """The peaks of the command and of its largest worker, and the seconds that a run took."""
    command = [
        *COMMAND,
        "parse",
        model,
        str(treebank),
        "-o",
        f"{target}/",
        "--cluster",
        "local",
        "--workers",
        "2",
        "-q",
    ]
    begun = time.perf_counter()
    process = subprocess.Popen(command)
    own = largest = 0
    while process.poll() is None:
        own = max(own, peak_of(process.pid))
        with suppress(OSError):
            largest = max([largest, *map(peak_of, workers_of(process.pid))])
        time.sleep(0.1)
    assert process.returncode == 0
    return own, largest, time.perf_counter() - begun


def measure_memory(folder: Path, model: str, megabytes: int) -> list[list[str]]:
    rows, found = [], []
    for size in (megabytes // 10, megabytes):
        treebank, target = folder / "memory.conllu", folder / f"memory-{size}"
        write_treebank(treebank, size * 10**6)
        own, largest, seconds = peaks(model, treebank, target)
        written = sum(path.stat().st_size for path in outputs(target).values())
        assert written > 0.9 * treebank.stat().st_size
        found.append((own, largest))
        shown = f"{size:,} MB of CoNLL-U in {seconds:.0f} s"
        rows.append([f"{shown}, peaks of command and largest worker, MB", f"{own / 1e6:.0f} and {largest / 1e6:.0f}"])
        treebank.unlink()
        for path in outputs(target).values():
            path.unlink()
    for place, name in enumerate(("the command", "a worker")):
        growth = 100 * (found[1][place] / found[0][place] - 1)
        CLAIMS.measure(f"memory of {name}, growth with ten times the treebank, %", growth)
    return rows


def measure_killed_workers(folder: Path, model: str, calm: Path, seconds: int) -> list[list[str]]:
    """Kill a worker every few seconds, the two in turn, until the command is done."""
    target = folder / "killed"
    process = subprocess.Popen(parse_command(model, folder, target, "local", "--workers", "2"))
    killed, last = 0, time.perf_counter()
    while process.poll() is None:
        time.sleep(0.05)
        with suppress(OSError):
            workers = workers_of(process.pid)
            if workers and time.perf_counter() - last > seconds:
                os.kill(workers[killed % len(workers)], signal.SIGKILL)
                killed, last = killed + 1, time.perf_counter()
    CLAIMS.measure("workers killed", killed)
    CLAIMS.measure("workers killed, shards that differ", differing(calm, target) + (process.returncode != 0))
    return [[f"one worker killed every {seconds} s, kills", f"{killed}"]]


def parse_command(model: str, folder: Path, target: Path, cluster: str, *more: str) -> list[str]:
    treebank = str(folder / "kills.conllu")
    return [*COMMAND, "parse", model, treebank, "-o", f"{target}/", "--cluster", cluster, "--shard", "2", "-q", *more]


def quiet_process(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@contextmanager
def scheduler(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """A scheduler and two workers, as processes of their own."""
    dask = [sys.executable, "-m", "dask"]
    address = f"tcp://127.0.0.1:{port}"
    first = quiet_process([*dask, "scheduler", "--port", str(port), "--no-dashboard"])
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard", "--death-timeout", "20"]
    others = [quiet_process(worker) for _ in range(2)]
    try:
        yield first
    finally:
        for process in (*others, first):
            process.terminate()
        for process in (*others, first):
            process.wait()


def measure_killed_scheduler(folder: Path, model: str, calm: Path) -> list[list[str]]:
    """Kill the scheduler when a third of the shards is done, start another one, and run the command again."""
    target = folder / "scheduler"
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = parse_command(model, folder, target, f"tcp://127.0.0.1:{port}")
    records = target / ".crossarc"
    count = len(outputs(calm))
    with scheduler(port) as process:
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while len(list(records.glob("*.json"))) < count // 3 and run.poll() is None:
            time.sleep(0.02)
        process.kill()
        said = run.communicate(timeout=300)[1].strip()
    assert run.returncode == 2, said
    before = {path.name: path.stat().st_mtime_ns for path in records.glob("*.json")}
    with scheduler(port):
        again = subprocess.run(command, check=False).returncode
    repeated = sum((records / name).stat().st_mtime_ns != changed for name, changed in before.items())
    CLAIMS.measure("scheduler killed, shards parsed before and again", repeated)
    CLAIMS.measure("scheduler killed, shards that differ", differing(calm, target) + (again != 0))
    return [["scheduler killed, shards done before and in the second run", f"{len(before)} and {count - len(before)}"]]


def measure_cost(folder: Path, model: str, count: int) -> list[list[str]]:
    """What a task costs the side that gives it out, and what a shard of 32 MB costs a worker with this model."""
    small, large = folder / "small", folder / "large.conllu"
    small.mkdir()
    for number in range(count):
        xa.write(xa.sample(1, seed=number), small / f"{number}.conllu")
    write_treebank(large, SHARD_MEGABYTES * 10**6)
    with started(1) as cluster:
        address = cluster.scheduler_address
        parse_corpus(model, large, folder / "large", cluster=address, progress=False)
        shard = best_times([lambda: parse_corpus(model, large, fresh(folder / "large"), cluster=address)], 1)[0].wall
        cost = best_times([lambda: parse_corpus(model, small, folder / "parsed", cluster=address)], 1)[0].processor
        again = best_times([lambda: parse_corpus(model, small, folder / "parsed", cluster=address)], 1)[0].wall
    CLAIMS.measure("workers that one scheduler keeps busy", shard * count / cost)
    return [
        ["a task, processor of the side that gives it out, ms", f"{1000 * cost / count:.2f}"],
        ["a task that was done before, ms", f"{1000 * again / count:.2f}"],
        [f"a shard of {SHARD_MEGABYTES} MB on a worker, s", f"{shard:.1f}"],
    ]


def fresh(folder: Path) -> Path:
    """A folder without parsed shards in it."""
    for path in outputs(folder).values():
        path.unlink()
    return folder


def main() -> int:
    chosen = options(__doc__, runs=2, kilobytes=2000, megabytes=1000, kill_seconds=3, tasks=1000)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = make_model(folder)
        rows += measure_speed(folder, chosen.runs, chosen.kilobytes * 1000)
        rows += measure_memory(folder, model, chosen.megabytes)
        rows += measure_cost(folder, model, chosen.tasks)
        write_treebank(folder / "kills.conllu", 100 * 10**6)
        calm = folder / "calm"
        subprocess.run(parse_command(model, folder, calm, "local", "--workers", "2"), check=True)
        rows += measure_killed_workers(folder, model, calm, chosen.kill_seconds)
        rows += measure_killed_scheduler(folder, model, calm)
    print_table(["", "measured"], rows)
    return CLAIMS.finish()


if __name__ == "__main__":
    sys.exit(main())
