"""One thread behind a bounded queue: requests that ask the same of the same model are done together.

A job is prepared alone, done together with others, and finished alone, so that an error of one request is its own. The
thread takes what waits, at once; while the kernel works at that on all cores, the next batch gathers. It is one thread,
since a second one would take the interpreter from the loop that speaks HTTP more often than it helps. The queue is
bounded by the number of requests and by the time that they will take, as far as the last batches tell: who would wait
longer is refused at once and told when to come back, so that those who are taken are answered in time.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .limits import RefusedError, refused_for_now

_LOG = logging.getLogger("crossarc.service")
#: Before anything was measured: characters a second.
_FIRST_SPEED = 50_000.0
#: How much the measured speed follows a batch: much where it was faster; where it was slower, by its size, since a
#: small batch says little of how fast a large one would be.
_FASTER, _SLOWER, _LARGE = 0.5, 0.2, 10_000
#: Memory that batches needed and freed goes back to the system after so many seconds of work, or of rest.
_WORK_SECONDS, _REST_SECONDS = 5.0, 0.5
#: Waiting for so little is never too long, whatever was measured.
_ALWAYS_TAKEN = 4


@dataclass(eq=False)
class Job:
    """What one request asks of the thread. `kind`: jobs of the same kind are done together; None: alone."""

    kind: Hashable
    #: How much it is, in characters or the like.
    size: int
    prepare: Callable[[], Any]
    #: Takes what was prepared of several jobs, gives for each a result, or the error with which it is refused.
    together: Callable[[Sequence[Any]], Sequence[Any]]
    finish: Callable[[Any], Any]
    future: asyncio.Future[Any] = field(init=False)
    loop: asyncio.AbstractEventLoop = field(init=False)


@dataclass
class Counters:
    """What a queue did so far."""

    jobs: int = 0
    batches: int = 0
    refused: int = 0
    abandoned: int = 0
    busy_seconds: float = 0.0


class Lane:
    """A bounded queue and the thread that works it off."""

    def __init__(self, name: str, *, waiting: int, waiting_seconds: float, together: int = 20_000) -> None:
        """Say how many requests may wait, for how long, and how much is done together at most."""
        self.name = name
        self.counters = Counters()
        self._waiting, self._seconds, self._together = waiting, waiting_seconds, together
        self._queue: deque[Job] = deque()
        self._size = 0  # of all that waits or is being done
        self._speed = _FIRST_SPEED
        self._stopping = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=f"crossarc-{name}", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """How many requests wait."""
        return len(self._queue)

    @property
    def expected_seconds(self) -> float:
        """How long a request that came now would wait."""
        return self._size / self._speed

    def check_room(self) -> None:
        """Refuse if the queue is full or the service is stopping."""
        if self._stopping:
            raise refused_for_now(1, "the service is stopping: try again")
        waiting = len(self._queue)
        if waiting >= self._waiting or (waiting > _ALWAYS_TAKEN and self.expected_seconds > self._seconds):
            self.counters.refused += 1
            raise refused_for_now(self.expected_seconds, "the service has more requests than it can answer: try again")

    async def do(self, job: Job, seconds: float) -> Any:
        """Have a job done and return its result; one that takes too long is refused."""
        self.check_room()
        job.loop = asyncio.get_running_loop()
        job.future = job.loop.create_future()
        with self._wake:
            self._queue.append(job)
            self._size += job.size
            self._wake.notify()
        timer = job.loop.call_later(seconds, self._give_up, job, seconds)
        try:
            return await job.future
        finally:
            timer.cancel()

    def _give_up(self, job: Job, seconds: float) -> None:
        if not job.future.done():
            self.counters.abandoned += 1
            job.future.set_exception(RefusedError(504, f"no answer within {seconds:g} seconds: send less at once"))

    def stop(self) -> None:
        """Take nothing more, finish what was taken, and end the thread."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        self._thread.join()

    # In the thread

    def _work(self) -> None:
        given_back, kept = time.monotonic(), False
        while (batch := self._next(_REST_SECONDS if kept else None)) is not None:
            began = time.monotonic()
            if not batch or began - given_back > _WORK_SECONDS:
                _give_back_memory()
                given_back = began
            kept = bool(batch)
            if not batch:
                continue
            size = sum(job.size for job in batch)
            wanted = [job for job in batch if not job.future.done()]
            if wanted:
                _deliver(done_together(wanted))
            self._measure(size, time.monotonic() - began, len(batch))

    def _next(self, seconds: float | None) -> list[Job] | None:
        """Wait for a job and return it with all others of its kind that wait, as many as go together.

        None: the service stops. Without a job in so many seconds the list is empty.
        """
        with self._wake:
            while not self._queue:
                if self._stopping:
                    return None
                if not self._wake.wait(seconds):
                    return []
            first = self._queue.popleft()
            batch, size = [first], first.size
            if first.kind is not None:
                left: deque[Job] = deque()
                for job in self._queue:
                    if job.kind == first.kind and size + job.size <= self._together:
                        batch.append(job)
                        size += job.size
                    else:
                        left.append(job)
                self._queue = left
            return batch

    def _measure(self, size: int, seconds: float, jobs: int) -> None:
        speed = max(1.0, size / max(seconds, 1e-6))
        with self._wake:
            self._size -= size
            share = _FASTER if speed > self._speed else _SLOWER * min(1.0, size / _LARGE)
            self._speed += share * (speed - self._speed)
            self.counters.jobs += jobs
            self.counters.batches += 1
            self.counters.busy_seconds += seconds


def _give_back_memory() -> None:
    """Return memory that is free to the system: glibc keeps it, more and more as batches of all sizes come and go."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (OSError, TypeError, AttributeError):  # another library, which does not keep it
        return


Outcome = tuple[Job, Any, BaseException | None]


def done_together(jobs: Sequence[Job]) -> list[Outcome]:
    """Do jobs of one kind together; where that fails, each alone, so that the error reaches only its own request."""
    found: list[Outcome] = []
    prepared: list[tuple[Job, Any]] = []
    for job in jobs:
        try:
            prepared.append((job, job.prepare()))
        except Exception as error:
            found.append((job, None, error))
    if not prepared:
        return found
    try:
        results = prepared[0][0].together([given for _, given in prepared])
    except Exception as error:
        if len(prepared) == 1:
            return [*found, (prepared[0][0], None, error)]
        _LOG.info("a batch of %d requests is done one by one: %s", len(prepared), type(error).__name__)
        return [*found, *(outcome for job, _ in prepared for outcome in done_together([job]))]
    for (job, _), result in zip(prepared, results, strict=True):
        if isinstance(result, RefusedError):
            found.append((job, None, result))
            continue
        try:
            found.append((job, job.finish(result), None))
        except Exception as error:
            found.append((job, None, error))
    return found


def _deliver(outcomes: Sequence[Outcome]) -> None:
    """Hand results to the event loops that wait for them, to each in one call."""
    loops: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for outcome in outcomes:
        loops.setdefault(outcome[0].loop, []).append(outcome)
    for loop, own in loops.items():
        try:
            loop.call_soon_threadsafe(_set_results, own)
        except RuntimeError:  # the loop was closed: nobody waits
            _LOG.warning("%d answers came after the end", len(own))


def _set_results(outcomes: Sequence[Outcome]) -> None:
    for job, result, error in outcomes:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)
