"""`crossarc annotate` as people start it: what it says, what it refuses, that it ends in good order."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

import crossarc as xa

from ..support.commands import CROSSARC, crossarc

pytest.importorskip("fastapi", reason="the page needs FastAPI: pip install 'crossarc[serve]'")


@pytest.mark.slow
def test_a_file_is_served_and_saved(tmp_path: Path) -> None:
    xa.write(xa.sample(3, seed=1), tmp_path / "trees.conllu")
    command = [*CROSSARC, "annotate", "trees.conllu", "--port", "0"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        port = int(re.findall(r"^3 sentences to correct on http://127\.0\.0\.1:(\d+)/$", said, re.M)[0])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/annotation")
        found = json.loads(connection.getresponse().read())
        connection.close()
        server.send_signal(signal.SIGINT)
    assert server.returncode == 0
    assert found["files"][0]["name"] == "trees.conllu" and not found["read_only"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.conllu"], "missing.conllu: cannot be read"),
        (["bad.conllu"], "the head of word 1 is 7"),
        (["good.conllu", "--against", "good.conllu", "--against", "good.conllu"], "1 files and 2 second annotations"),
        (["good.conllu", "-m", "no-such-model"], "no model of this name"),
    ],
)
def test_what_is_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    (tmp_path / "good.conllu").write_text("1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n")
    (tmp_path / "bad.conllu").write_text("1\tGo\t_\tVERB\t_\t_\t7\troot\t_\t_\n\n")
    run = crossarc("annotate", *arguments, "--port", "0", cwd=tmp_path)
    assert run.returncode == 2 and message in run.stderr
