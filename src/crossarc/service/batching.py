"""One thread behind a bounded queue: requests that ask the same of the same model are done together.

A job is prepared alone, done together with others, and finished alone, so that an error of one request is its own. The
thread takes what waits, at once; while the kernel works at that on all cores, the next batch gathers. The queue is
bounded by the number of requests and by the time that they will take, as far as the last batches tell: who would wait
longer is refused at once and told when to come back, so that those who are taken are answered in time.

A job that turns out to be long, by the estimate of `costs`, is cut into pieces (`Pieces`), which are done one at a time
between the batches of a queue, those of several long jobs in turn. Nothing is done for a request whose client went away
or got an answer: it is looked at before every batch and every piece.
"""

from __future__ import annotations

import asyncio
import ctypes
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
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
    #: Takes what was prepared of several jobs, gives for each a result, the error with which it is refused, or pieces.
    together: Callable[[Sequence[Any]], Sequence[Any]]
    finish: Callable[[Any], Any]
    future: asyncio.Future[Any] = field(init=False)
    loop: asyncio.AbstractEventLoop = field(init=False)


@dataclass(eq=False)
class Pieces:
    """What is left to do for a long job: a generator that does a piece each time, and at the end returns the answer."""

    seconds: float
    steps: Iterator[None]
    job: Job = field(init=False)


@dataclass
class Counters:
    """What a queue did so far."""

    jobs: int = 0
    batches: int = 0
    refused: int = 0
    abandoned: int = 0
    busy_seconds: float = 0.0


class BatchQueue:
    """A bounded queue and the thread that works it off."""

    def __init__(
        self,
        name: str,
        *,
        waiting: int,
        waiting_seconds: float,
        together: int = 20_000,
        long_seconds: float = 30.0,
        long_queue: BatchQueue | None = None,
    ) -> None:
        """Say how many requests may wait, for how long, and how much is done together at most.

        `long_seconds`: how long all jobs in pieces may take by estimate. `long_queue`: the queue that does them, if it
        is not this one.
        """
        self.name = name
        self.counters = Counters()
        self._long: deque[Pieces] = deque()
        self._long_seconds, self._most_long_seconds = 0.0, long_seconds
        self._long_queue = self if long_queue is None else long_queue
        self._waiting, self._seconds, self._together = waiting, waiting_seconds, together
        self._queue: deque[Job] = deque()
        self._size = 0  # of all that waits or is being done
        self._speed = _FIRST_SPEED
        self._stopping = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._work, name=f"crossarc-{name}", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """How many requests wait, or are done in pieces."""
        return len(self._queue) + len(self._long)

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
            return await job.future  # who is cancelled, since the client went away, cancels it
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
            if (not batch and not self._long) or began - given_back > _WORK_SECONDS:
                _give_back_memory()
                given_back = began
            kept = bool(batch or self._long)
            if batch:
                self._do_batch(batch, began)
            if self._long:
                self._do_piece()

    def _do_batch(self, batch: list[Job], began: float) -> None:
        size = sum(job.size for job in batch)
        awaited = [job for job in batch if not job.future.done()]
        if awaited:
            outcomes = done_together(awaited)
            _deliver([self._handed_on(outcome) if isinstance(outcome[1], Pieces) else outcome for outcome in outcomes])
        self._measure(size, time.monotonic() - began, len(batch))

    def _handed_on(self, outcome: Outcome) -> Outcome:
        """Have a job done in pieces, unless those that wait take too long already."""
        job, pieces, _ = outcome
        pieces.job = job
        refused = self._long_queue._take_pieces(pieces)
        return job, None if refused else pieces, refused

    def _take_pieces(self, pieces: Pieces) -> RefusedError | None:
        with self._wake:
            if self._long and self._long_seconds + pieces.seconds > self._most_long_seconds:
                self.counters.refused += 1
                return refused_for_now(self._long_seconds, "the service has more long requests than it can answer")
            self._long.append(pieces)
            self._long_seconds += pieces.seconds
            self._wake.notify()
            return None

    def _do_piece(self) -> None:
        """Do a piece of the long job whose turn it is; one that nobody waits for is dropped."""
        pieces, began = self._long[0], time.monotonic()
        outcome: Outcome | None = None
        if not pieces.job.future.done():
            try:
                next(pieces.steps)
            except StopIteration as end:
                outcome = (pieces.job, end.value, None)
            except Exception as error:
                outcome = (pieces.job, None, error)
        if outcome is not None:
            _deliver([outcome])
        with self._wake:
            self._long.popleft()
            if outcome is None and not pieces.job.future.done():
                self._long.append(pieces)
            else:
                self._long_seconds = max(0.0, self._long_seconds - pieces.seconds) if self._long else 0.0
                self.counters.jobs += 1
            self.counters.busy_seconds += time.monotonic() - began

    def _next(self, seconds: float | None) -> list[Job] | None:
        """Wait for a job and return it with all others of its kind that wait, as many as go together.

        None: the service stops. Without a job in so many seconds, or with long ones to go on with, the list is empty.
        """
        with self._wake:
            while not self._queue:
                if self._long:
                    return []
                if self._stopping:
                    return None
                if not self._wake.wait(seconds):
                    return []
            first = self._queue[0]
            if first.kind is None:  # what is done alone does not keep smaller things waiting
                first = min(self._queue, key=lambda job: job.size)
            self._queue.remove(first)
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
    outcomes: list[Outcome] = []
    prepared: list[tuple[Job, Any]] = []
    for job in jobs:
        try:
            prepared.append((job, job.prepare()))
        except Exception as error:
            outcomes.append((job, None, error))
    if not prepared:
        return outcomes
    try:
        results = prepared[0][0].together([given for _, given in prepared])
    except Exception as error:
        if len(prepared) == 1:
            return [*outcomes, (prepared[0][0], None, error)]
        _LOG.info("a batch of %d requests is done one by one: %s", len(prepared), type(error).__name__)
        return [*outcomes, *(outcome for job, _ in prepared for outcome in done_together([job]))]
    for (job, _), result in zip(prepared, results, strict=True):
        if isinstance(result, (RefusedError, Pieces)):
            outcomes.append((job, None, result) if isinstance(result, RefusedError) else (job, result, None))
            continue
        try:
            outcomes.append((job, job.finish(result), None))
        except Exception as error:
            outcomes.append((job, None, error))
    return outcomes


def _deliver(outcomes: Sequence[Outcome]) -> None:
    """Hand results to the event loops that wait for them, to each in one call."""
    loops: dict[asyncio.AbstractEventLoop, list[Outcome]] = {}
    for outcome in outcomes:
        if not isinstance(outcome[1], Pieces):
            loops.setdefault(outcome[0].loop, []).append(outcome)
    for loop, results in loops.items():
        try:
            loop.call_soon_threadsafe(_set_results, results)
        except RuntimeError:  # the loop was closed: nobody waits
            _LOG.warning("%d answers came after the end", len(results))


def _set_results(outcomes: Sequence[Outcome]) -> None:
    for job, result, error in outcomes:
        if job.future.done():
            continue
        if error is None:
            job.future.set_result(result)
        else:
            job.future.set_exception(error)
