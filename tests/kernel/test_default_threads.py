"""CROSSARC_THREADS: as many threads as it says wherever a call leaves their number open."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SHOW = "from crossarc import _kernel; print(_kernel.default_threads())"


def run(setting: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CROSSARC_THREADS": setting}
    return subprocess.run([sys.executable, "-c", SHOW], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("setting", ["1", "3", "1024"])
def test_the_setting_is_the_default(setting: str) -> None:
    assert run(setting).stdout == f"{setting}\n"


def test_without_a_setting_it_is_the_number_of_cores() -> None:
    assert 1 <= int(run("").stdout) <= (os.cpu_count() or 1)


@pytest.mark.parametrize("setting", ["0", "-1", "1025", "all", "2 ", "1e1", "99999999999999999999"])
def test_a_setting_that_means_nothing_is_refused(setting: str) -> None:
    answer = run(setting)
    assert answer.returncode == 1
    message = f"ImportError: CROSSARC_THREADS is a whole number from 1 to 1024, not {setting}"
    assert answer.stderr.splitlines()[-1] == message
