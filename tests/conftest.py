"""What all tests share: where the treebanks are, and counts worth printing at the end."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# No test depends on the clock, on a machine however busy.
# Half of hypothesis' usual number of examples: there are hundreds of such tests, and every run has other examples.
settings.register_profile("crossarc", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("crossarc")

# A job in the background of a shell ignores SIGINT, and one under nohup SIGHUP, with all its children. Tests send both.
for _name, _handler in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    _number = getattr(signal, _name, None)  # Windows has no SIGHUP
    if _number is not None and signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)

# Tests write thousands of small files and do not wait until each has reached the disk; one asserts that users do.
os.fsync = lambda fd: None

# Tests run in as many processes as there are cores: each works in one thread, and the commands that it starts do, too.
# Tests of threads say how many they want. Set before the kernel is loaded, which reads it then.
os.environ.setdefault("CROSSARC_THREADS", "1")

_counts: list[str] = []


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder of the run, which its processes share."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="crossarc-tests-", ignore_cleanup_errors=True)
        os.environ["CROSSARC_TEST_RUN"] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of real treebanks."""
    named = os.environ.get("CROSSARC_TREEBANKS")
    if named is None:
        pytest.skip("CROSSARC_TREEBANKS, the folder of real treebanks, is not set")
    if not Path(named).is_dir():
        pytest.skip(f"CROSSARC_TREEBANKS is {named}, where there is no folder")
    return Path(named)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what reads real treebanks."""
    for item in items:
        if "treebanks" in getattr(item, "fixturenames", ()):
            item.add_marker("treebanks")


@pytest.fixture
def announce() -> Iterator[list[str]]:
    """Lines that the test run prints at its end."""
    yield _counts


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the lines over, where tests run in several processes."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["announced"] = _counts


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Collect the lines of a process that is done."""
    _counts.extend(getattr(node, "workeroutput", {}).get("announced", []))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in _counts:
        terminalreporter.write_line(line)


def pytest_sessionstart() -> None:
    """Make sure that the sanitizer run runs on the sanitizer build."""
    if os.environ.get("CROSSARC_EXPECT_SANITIZERS"):
        from crossarc import _kernel

        if not _kernel.sanitized:
            pytest.exit("the kernel under test has no sanitizers", returncode=3)
