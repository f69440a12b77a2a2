"""The queue: what is of one kind is done together, errors stay apart, a full queue refuses, an end is clean."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from crossarc.service.batching import BatchQueue, Job, done_together
from crossarc.service.limits import RefusedError

LONG = 1e6


class Work:
    """Jobs that wait for a signal, and a record of the batches they came in."""

    def __init__(self) -> None:
        self.batches: list[list[Any]] = []
        self.may_go = threading.Event()
        self.reached = threading.Event()

    def together(self, given: Sequence[Any]) -> Sequence[Any]:
        self.reached.set()
        self.may_go.wait()
        self.batches.append(list(given))
        if "poison" in given:
            raise ValueError("poison")
        return [f"{one}!" for one in given]

    def job(self, what: str, kind: object = "kind", size: int = 1) -> Job:
        def prepare() -> str:
            if what == "broken":
                raise KeyError(what)
            return what

        return Job(kind, size, prepare, self.together, lambda result: result)


async def begun(queue: BatchQueue, work: Work, jobs: list[Job]) -> list[asyncio.Task[Any]]:
    """Hand in jobs: the first one is being done, and waits for the signal, before the others come."""
    tasks = [asyncio.create_task(queue.do(jobs[0], LONG))]
    while not work.reached.is_set():
        await asyncio.sleep(0)
    tasks += [asyncio.create_task(queue.do(job, LONG)) for job in jobs[1:]]
    while len(queue) < len(jobs) - 1:
        await asyncio.sleep(0)
    return tasks


def test_what_waits_is_done_together_and_errors_stay_apart() -> None:
    queue, work = BatchQueue("test", waiting=100, waiting_seconds=LONG), Work()

    async def run() -> list[Any]:
        names = ["first", "a", "b", "broken", "poison", "c"]
        waiting = await begun(queue, work, [work.job(name) for name in names])
        work.may_go.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    found = asyncio.run(run())
    queue.stop()
    assert [found[0], found[1], found[2], found[5]] == ["first!", "a!", "b!", "c!"]
    assert isinstance(found[3], KeyError)
    assert isinstance(found[4], ValueError)
    assert work.batches[:2] == [["first"], ["a", "b", "poison", "c"]]


def test_other_kinds_wait_for_their_turn() -> None:
    queue, work = BatchQueue("test", waiting=100, waiting_seconds=LONG, together=3), Work()

    async def run() -> None:
        given = [("x", None), ("a", "A"), ("b", "B"), ("c", "A"), ("d", "A"), ("e", "A")]
        waiting = await begun(queue, work, [work.job(name, kind) for name, kind in given])
        work.may_go.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())
    queue.stop()
    assert work.batches == [["x"], ["a", "c", "d"], ["b"], ["e"]]


def test_a_full_queue_refuses_and_says_when_to_come_back() -> None:
    queue, work = BatchQueue("test", waiting=3, waiting_seconds=LONG), Work()

    async def run() -> None:
        waiting = await begun(queue, work, [work.job("a") for _ in range(4)])
        with pytest.raises(RefusedError) as refused:
            await queue.do(work.job("late"), LONG)
        assert refused.value.status == 503
        assert int(refused.value.headers["Retry-After"]) >= 1
        work.may_go.set()
        assert await asyncio.gather(*waiting) == ["a!"] * 4

    asyncio.run(run())
    queue.stop()
    assert queue.counters.refused == 1


def test_what_would_wait_too_long_is_refused() -> None:
    queue, work = BatchQueue("test", waiting=1000, waiting_seconds=0.5), Work()

    async def run() -> None:
        waiting = await begun(queue, work, [work.job("a", size=1_000_000) for _ in range(6)])
        with pytest.raises(RefusedError, match="more requests than it can answer"):
            await queue.do(work.job("late"), LONG)
        work.may_go.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())
    queue.stop()


def test_what_takes_too_long_is_given_up_and_not_done() -> None:
    queue, work = BatchQueue("test", waiting=10, waiting_seconds=LONG), Work()

    async def run() -> None:
        (first,) = await begun(queue, work, [work.job("first", None)])
        with pytest.raises(RefusedError, match="no answer within"):
            await queue.do(work.job("second", None), 0.01)
        work.may_go.set()
        assert await first == "first!"

    asyncio.run(run())
    queue.stop()
    assert work.batches == [["first"]]
    assert queue.counters.abandoned == 1


def test_the_end_finishes_what_was_begun_and_takes_nothing_more() -> None:
    queue, work = BatchQueue("test", waiting=10, waiting_seconds=LONG), Work()

    async def run() -> None:
        waiting = await begun(queue, work, [work.job(name) for name in "abc"])
        stopping = asyncio.get_running_loop().run_in_executor(None, queue.stop)
        while not queue._stopping:
            await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="stopping"):
            await queue.do(work.job("late"), LONG)
        work.may_go.set()
        assert await asyncio.gather(*waiting) == ["a!", "b!", "c!"]
        await stopping

    asyncio.run(run())


def test_errors_of_finishing_are_those_of_one_request() -> None:
    def finish(result: str) -> str:
        if result == "b!":
            raise OSError(result)
        return result

    work = Work()
    work.may_go.set()
    jobs = [Job("kind", 1, lambda name=name: name, work.together, finish) for name in "abc"]  # type: ignore[misc]
    found = {result or type(error).__name__ for _, result, error in done_together(jobs)}
    assert found == {"a!", "OSError", "c!"}


def test_a_request_that_is_refused_among_others_is_refused_alone() -> None:
    calls: list[list[str]] = []

    def together(given: Sequence[str]) -> list[Any]:
        calls.append(list(given))
        return [RefusedError(413, "too large") if one == "b" else one for one in given]

    jobs = [Job("kind", 1, lambda name=name: name, together, str.upper) for name in "abc"]  # type: ignore[misc]
    found = [result or str(error) for _, result, error in done_together(jobs)]
    assert found == ["A", "too large", "C"]
    assert calls == [["a", "b", "c"]]
