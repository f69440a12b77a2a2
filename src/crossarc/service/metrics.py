"""What the service counts, for Prometheus: requests by path and status, how long they took, queues, words, memory.

Needs prometheus_client, the extra `serve`. A request costs O(buckets); the text of all O(paths · statuses).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from .. import __version__
from .batching import BatchQueue

#: Upper ends in seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_QUEUE_COUNTERS = {
    "jobs": "Requests that were worked off.",
    "batches": "Batches in which they were.",
    "refused": "Requests refused because the queue was full.",
    "abandoned": "Requests that took too long.",
    "busy_seconds": "Seconds of work.",
}


class Metrics:
    """Counts since the start."""

    def __init__(self, queues: Sequence[BatchQueue]) -> None:
        """Count nothing yet."""
        self.open = 0
        self._started = time.time()
        self._registry = registry = CollectorRegistry()
        Gauge("crossarc_info", "The version.", ["version"], registry=registry).labels(__version__).set(1)
        uptime = Gauge("crossarc_uptime_seconds", "Seconds since the start.", registry=registry)
        uptime.set_function(lambda: round(self.uptime, 3))
        requests = Gauge("crossarc_open_requests", "Requests that are being answered.", registry=registry)
        requests.set_function(lambda: self.open)
        answers = Counter("crossarc_requests", "Requests by path and status.", ["path", "status"], registry=registry)
        seconds = Histogram(
            "crossarc_request_seconds", "Seconds until the answer.", ["path"], buckets=BUCKETS, registry=registry
        )
        self._answers, self._seconds = lru_cache(answers.labels), lru_cache(seconds.labels)
        self._words = Counter("crossarc_words", "Words parsed, by model.", ["model"], registry=registry)
        registry.register(_Queues(queues))
        ProcessCollector(registry=registry)

    @property
    def uptime(self) -> float:
        """Seconds since the start."""
        return time.time() - self._started

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count an answer."""
        self._answers(path, status).inc()
        self._seconds(path).observe(seconds)

    def count_words(self, model: str, words: int) -> None:
        """Count words that a model parsed."""
        self._words.labels(model).inc(words)

    def text(self) -> bytes:
        """Return all counts in the text format of Prometheus."""
        content: bytes = generate_latest(self._registry)
        return content


class _Queues:
    """What queues count themselves, read when somebody asks for it."""

    def __init__(self, queues: Sequence[BatchQueue]) -> None:
        self._queues = queues

    def collect(self) -> Iterator[Any]:
        waiting = GaugeMetricFamily("crossarc_queue_waiting", "Requests that wait.", labels=["queue"])
        about = "How long a request that came now would wait."
        expected = GaugeMetricFamily("crossarc_queue_expected_seconds", about, labels=["queue"])
        counters = {
            name: CounterMetricFamily(f"crossarc_queue_{name}", about, labels=["queue"])
            for name, about in _QUEUE_COUNTERS.items()
        }
        for queue in self._queues:
            waiting.add_metric([queue.name], len(queue))
            expected.add_metric([queue.name], round(queue.expected_seconds, 6))
            for name, family in counters.items():
                family.add_metric([queue.name], getattr(queue.counters, name))
        yield from (waiting, expected, *counters.values())
