"""What the service counts, as Prometheus reads it: requests by path and status, how long they took, queues, memory.

A request costs O(buckets); the text of all O(paths · statuses).
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from .. import __version__
from .batching import Lane

#: Upper ends in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts since the start."""

    def __init__(self, lanes: Iterable[Lane]) -> None:
        """Count nothing yet."""
        self.open = 0
        self.words: Counter[str] = Counter()
        self._lanes = list(lanes)
        self._started = time.time()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BUCKETS) + 1))
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return time.time() - self._started

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._requests[path, status] += 1
        self._buckets[path][bisect_left(BUCKETS, seconds)] += 1
        self._seconds[path] += seconds

    def text(self) -> str:
        """Return all counts in the text format of Prometheus."""
        lines = [
            *_family("crossarc_info", "gauge", "The version.", {f'version="{__version__}"': 1}),
            *_family("crossarc_uptime_seconds", "gauge", "Seconds since the start.", {"": round(self.uptime, 3)}),
            *_family("crossarc_open_requests", "gauge", "Requests that are being answered.", {"": self.open}),
            *_family(
                "crossarc_requests_total",
                "counter",
                "Requests by path and status.",
                {f'path="{path}",status="{status}"': n for (path, status), n in sorted(self._requests.items())},
            ),
            *self._histogram(),
            *_family(
                "crossarc_words_total",
                "counter",
                "Words parsed, by model.",
                {f'model="{_escaped(model)}"': n for model, n in sorted(self.words.items())},
            ),
        ]
        for name, kind, about in _LANE_FAMILIES:
            values = {f'queue="{lane.name}"': _lane_value(lane, name) for lane in self._lanes}
            lines += _family(f"crossarc_queue_{name}", kind, about, values)
        memory = resident_bytes()
        if memory is not None:
            lines += _family("process_resident_memory_bytes", "gauge", "Memory in use.", {"": memory})
        return "\n".join(lines) + "\n"

    def _histogram(self) -> list[str]:
        name = "crossarc_request_seconds"
        lines = [f"# HELP {name} Seconds until the answer.", f"# TYPE {name} histogram"]
        for path, counts in sorted(self._buckets.items()):
            total = 0
            for end, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                total += count
                lines.append(f'{name}_bucket{{path="{path}",le="{end}"}} {total}')
            lines.append(f'{name}_sum{{path="{path}"}} {self._seconds[path]:.6f}')
            lines.append(f'{name}_count{{path="{path}"}} {total}')
        return lines


_LANE_FAMILIES = (
    ("waiting", "gauge", "Requests that wait."),
    ("expected_seconds", "gauge", "How long a request that came now would wait."),
    ("jobs_total", "counter", "Requests that were worked off."),
    ("batches_total", "counter", "Batches in which they were."),
    ("refused_total", "counter", "Requests refused because the queue was full."),
    ("abandoned_total", "counter", "Requests that took too long."),
    ("busy_seconds_total", "counter", "Seconds of work."),
)


def _lane_value(lane: Lane, name: str) -> float:
    if name == "waiting":
        return len(lane)
    if name == "expected_seconds":
        return round(lane.expected_seconds, 6)
    value: float = getattr(lane.counters, name.removesuffix("_total"))
    return value


def _family(name: str, kind: str, about: str, values: Mapping[str, float]) -> list[str]:
    lines = [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
    return lines + [f"{name}{{{labels}}} {value}" if labels else f"{name} {value}" for labels, value in values.items()]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def resident_bytes() -> int | None:
    """Return how much memory the process has, where the system tells (Linux)."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError, IndexError):
        return None
