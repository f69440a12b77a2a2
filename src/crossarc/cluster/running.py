"""A cluster of Dask: how it is reached, and tasks that are given out until all are done.

`local` starts worker processes on this machine, `slurm` jobs of a batch system (dask-jobqueue), and an address such as
`tcp://host:8786`, or the file that a scheduler wrote, is a cluster that runs already. A few tasks for each worker are
given out at a time, so that the scheduler holds few however many there are; what a worker had that died goes to another
one. O(tasks).
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from .._progress import logger
from ..errors import CrossarcError, imported

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Tasks that are given out for each thread of a worker: one to work on, and more so that it never waits.
_AHEAD = 3
_FEWEST_AHEAD = 32
#: More are given out when this share of them is left: several at once cost the scheduler little more than one.
_REFILLED_AT = 2 / 3
#: How long answers are collected, so that those of short tasks are fetched together; workers have tasks for longer.
_COLLECTED_SECONDS = 0.05
#: How often a task is tried whose workers die.
_ATTEMPTS = 50
#: Jobs of a batch system, where nothing else is said.
_JOBS = 2
_LOOK_MILLISECONDS = 5000
#: How often the workers are counted: the scheduler is asked for all of them.
_LOOK_SECONDS = 1.0
#: What Dask says of workers that die and of connections that end, in this process and in those of workers.
_LOGGERS = ("distributed", "distributed.client", "tornado.application", "asyncio")
_WORKER_LOG = "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED"
_ADDRESS = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")


class ClusterError(CrossarcError):
    """A cluster that cannot be reached or was lost, or tasks that failed."""


@contextmanager
def connected(cluster: str, workers: int | None = None) -> Iterator[Any]:
    """Give a client of a cluster; what was started for it ends with the block."""
    distributed = imported("distributed", "cluster")
    dask = imported("dask", "cluster")
    # A worker that dies says nothing about its task: processes are killed for memory, machines are taken away.
    settings: dict[str, Any] = {
        "distributed.scheduler.allowed-failures": _ATTEMPTS,
        "distributed.worker.memory.terminate": False,
    }
    with ExitStack() as stack:
        if not logger("cluster").isEnabledFor(logging.DEBUG):
            stack.enter_context(_without_log())
            settings[_WORKER_LOG] = "critical"
        stack.enter_context(dask.config.set(settings))
        if cluster == "local":
            count = workers or os.cpu_count() or 1
            # Started without workers: one that dies while it starts would end LocalCluster with an error.
            started = distributed.LocalCluster(
                n_workers=0,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",  # any port: none at all is the usual one, with a warning where that is taken
                scheduler_kwargs={"dashboard": False},
                memory_limit=0,
            )
            client = stack.enter_context(distributed.Client(stack.enter_context(started)))
            started.scale(count)
            stack.callback(_replace_lost(started, count).stop)
            client.wait_for_workers(1)
        elif cluster == "slurm":
            count = workers or _JOBS
            # Queue, memory and time are those of the configuration of dask-jobqueue.
            started = stack.enter_context(imported("dask_jobqueue", "cluster").SLURMCluster(**slurm_options()))
            started.scale(jobs=count)
            client = stack.enter_context(distributed.Client(started))
            stack.callback(_replace_lost(started, count).stop)
        elif cluster.startswith(_ADDRESS) or cluster.endswith(".json"):
            address = {"scheduler_file": cluster} if cluster.endswith(".json") else {"address": cluster}
            try:
                client = stack.enter_context(distributed.Client(**address))
            except OSError as error:
                raise ClusterError(f"{cluster}: no scheduler answers ({error}): start dask scheduler") from error
        else:
            raise ClusterError(
                f"the cluster is local, slurm, an address such as tcp://host:8786, or the .json file of a scheduler, "
                f"not {cluster!r}"
            )
        yield client


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep back what Dask and the event loop say of workers that die: others are started, and errors are told."""
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _replace_lost(cluster: Any, count: int) -> Any:
    """Look every few seconds whether workers are gone for good, and start others.

    Dask restarts a worker whose process dies, but gives it up if that dies again while it starts.
    """
    callbacks = imported("tornado.ioloop", "cluster")

    def look() -> None:
        for name, worker in list(cluster.workers.items()):
            if getattr(worker.status, "name", "") in ("closed", "failed"):
                del cluster.workers[name]
        cluster.scale(count)

    periodic = callbacks.PeriodicCallback(look, _LOOK_MILLISECONDS)
    cluster.loop.add_callback(periodic.start)
    return periodic


def slurm_options() -> dict[str, Any]:
    """Return what a job is where the configuration (`jobqueue.slurm` of Dask) does not say it: a core, 4 GB."""
    configured = imported("dask", "cluster").config.get("jobqueue.slurm", {})
    defaults = {"cores": 1, "processes": 1, "memory": "4GB"}
    return {name: value for name, value in defaults.items() if configured.get(name) is None}


def completed(
    client: Any, function: Callable[[Task], Result], tasks: Iterable[Task]
) -> Iterator[tuple[Task, Result | BaseException]]:
    """Run a function on all tasks and give each with its result, or the error that it raised, as they are done.

    Warnings of workers are given here.
    """
    distributed = imported("distributed", "cluster")
    left = iter(tasks)
    held: dict[str, tuple[Task, int]] = {}
    done = distributed.as_completed()

    def submit(some: list[tuple[Task, int]]) -> None:
        if some:
            futures = client.map(partial(_attempted, function), [task for task, _ in some], pure=False)
            held.update((future.key, waiting) for future, waiting in zip(futures, some, strict=True))
            done.update(futures)

    ahead, looked = _ahead(client), time.monotonic()
    submit([(task, 1) for task in islice(left, ahead)])
    while held:
        answers: list[tuple[Task, Result | BaseException]] = []
        again: list[tuple[Task, int]] = []
        ended = done.next_batch()
        time.sleep(_COLLECTED_SECONDS)
        ended += done.next_batch(block=False)
        for future, answer in _answers(client, ended):
            task, attempt = held.pop(future.key)
            if isinstance(answer, _died()):
                if client.status != "running":
                    raise ClusterError(
                        "the scheduler was lost: run the command again, it goes on where it was"
                    ) from answer
                if attempt < _ATTEMPTS:
                    again.append((task, attempt + 1))
                    continue
                answer = ClusterError(f"its workers died {attempt} times")
            future.release()
            if isinstance(answer, _Attempt):
                for warning in answer.warnings:
                    warnings.warn(warning, stacklevel=3)
                answer = answer.answer
            answers.append((task, answer))
        if time.monotonic() - looked > _LOOK_SECONDS:
            ahead, looked = _ahead(client), time.monotonic()
        if len(held) <= _REFILLED_AT * ahead:
            again += [(task, 1) for task in islice(left, max(0, ahead - len(held) - len(again)))]
        submit(again)
        yield from answers


@dataclass(frozen=True)
class _Attempt:
    """What came of a task: its result or the error that it raised, and the warnings on the way."""

    answer: Any
    warnings: list[Warning]


def _attempted(function: Callable[[Task], Result], task: Task) -> _Attempt:
    """Run a task in a worker; an error that were raised there would be in Dask's log, with a traceback.

    Where a worker has several threads, which share what is done with warnings, these go to its own log.
    """
    is_alone = imported("distributed", "cluster").get_worker().state.nthreads == 1
    with warnings.catch_warnings(record=True) if is_alone else nullcontext([]) as said:
        if is_alone:
            warnings.simplefilter("always", UserWarning)
        try:
            answer: Any = function(task)
        except Exception as error:
            answer = error
    return _Attempt(answer, [warning.message for warning in said if isinstance(warning.message, UserWarning)])


def _answers(client: Any, futures: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Give futures that are done with their results or errors; results are fetched together if none is lost."""
    try:
        results = client.gather(futures)
    except Exception:
        results = [_answer(future) for future in futures]
    return zip(futures, results, strict=True)


def _answer(future: Any) -> Any:
    try:
        return future.result()
    except Exception as error:
        return error


def _died() -> tuple[type[BaseException], ...]:
    """Return what is raised where a worker or the scheduler is gone."""
    distributed = imported("distributed", "cluster")
    return distributed.scheduler.KilledWorker, distributed.CancelledError, distributed.comm.CommClosedError


def _ahead(client: Any) -> int:
    threads = sum(map(int, client.nthreads().values()))
    return max(_FEWEST_AHEAD, _AHEAD * threads)
