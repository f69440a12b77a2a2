"""Signals end native calls, on one thread and on several, and leave everything usable.

The calls would take many minutes; a process that ignored the signal would print their end.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import crossarc as xa
from tests.support.long_calls import CALLS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")]


def interrupt(name: str, with_signal: signal.Signals) -> list[str]:
    """Start a long call, send the signal when it has begun, and return what was printed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.long_calls", name],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "began\n", process.stderr.read()
        process.send_signal(with_signal)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        return output.split()
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", CALLS)
def test_ctrl_c_ends_a_native_call(name: str) -> None:
    assert interrupt(name, signal.SIGINT) == ["KeyboardInterrupt", "usable"]


def test_what_the_handler_of_a_signal_raises_comes_out_of_the_call() -> None:
    assert interrupt("parse-on-threads", signal.SIGUSR1) == ["StoppedError", "usable"]


def test_calls_go_on_after_a_signal_whose_handler_raises_nothing() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, frame: seen.append(number))
    treebank = xa.sample(300, seed=1)
    parser = xa.TransitionParser("covington", scorer="perceptron")
    pulse = threading.Event()

    def send() -> None:
        while not pulse.wait(0.01):
            os.kill(os.getpid(), signal.SIGUSR1)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        parser.train(treebank, epochs=1, seed=1)
        with_signals = parser.parse(treebank).to_text()
    finally:
        pulse.set()
        sender.join()
        signal.signal(signal.SIGUSR1, before)
    assert seen
    assert parser.parse(treebank).to_text() == with_signals


def test_calls_from_other_threads_work() -> None:
    treebank = xa.sample(200, seed=1)
    found: list[str] = []

    def work() -> None:
        parser = xa.TransitionParser("2-planar", scorer=xa.Perceptron(learners=2))
        parser.train(treebank, epochs=1, seed=1, threads=2)
        found.append(parser.parse(treebank, threads=2).to_text())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work()
    assert len(set(found)) == 1
