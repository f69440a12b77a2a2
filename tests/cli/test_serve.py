"""`crossarc serve` and the files for lectures."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

import crossarc as xa

from ..support.commands import CROSSARC, crossarc
from ..support.service import CROSSING, two_planar

needs_the_extra = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("fastapi", "uvicorn", "prometheus_client")),
    reason="the service needs FastAPI, uvicorn and prometheus_client: pip install 'crossarc[serve]'",
)


def test_help_names_the_addresses() -> None:
    shown = crossarc("serve", "--help").stdout
    for word in ("/process", "/derive", "--port", "--most-words", "--allow-origin"):
        assert word in shown


def test_without_the_extra_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['fastapi'] = None; sys.argv = ['crossarc', 'serve']; "
        "from crossarc.cli.main import main; main()"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.strip() == "the service needs fastapi: pip install 'crossarc[serve]'"


@needs_the_extra
def test_a_port_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        run = crossarc("serve", "--port", str(port))
    assert run.returncode == 2
    assert run.stderr.strip() == f"port {port} is in use: choose another with --port, 0 for any that is free"


@needs_the_extra
def test_a_model_that_is_not_there_is_said(tmp_path: Path) -> None:
    run = crossarc("serve", "nothing.crossarc", "--port", "0", cwd=tmp_path)
    assert run.returncode == 2
    assert "nothing.crossarc" in run.stderr


@needs_the_extra
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that asks a program to end")
def test_it_serves_and_ends_in_good_order(tmp_path: Path) -> None:
    two_planar().save(tmp_path / "my.crossarc")
    process = subprocess.Popen(
        [*CROSSARC, "serve", "named=my.crossarc", "--port", "0"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "CROSSARC_MODELS": ""},
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.fullmatch(r"serving named on (http://127\.0\.0\.1:\d+/)\n", line)
    assert found, line
    with urlopen(f"{found[1]}models") as answer:
        assert b'"named"' in answer.read()
    process.send_signal(signal.SIGTERM)
    rest = process.communicate()[1]
    assert process.returncode == 0, rest
    (said,) = rest.splitlines()  # nothing but the request: no complaint of the kernel about models that are held
    assert '"path": "/models", "status": 200' in said


def test_oracle_writes_a_page_to_step_through(tmp_path: Path) -> None:
    (tmp_path / "in.conllu").write_text(CROSSING)
    run = crossarc("oracle", "in.conllu", "--system", "2-planar", "--html", "steps.html", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "steps.html").read_text()
    assert "CrossarcSteps" in page
    assert "in.conllu: 2-planar" in page
    assert crossarc("oracle", "in.conllu", "--html", "x.html", "--trace", cwd=tmp_path).returncode == 2


def test_of_a_large_treebank_the_page_has_the_first_sentences(tmp_path: Path) -> None:
    xa.write(xa.sample(25), tmp_path / "in.conllu")
    run = crossarc("oracle", "in.conllu", "--html", "steps.html", cwd=tmp_path)
    assert "the page has the first 20 of 25 sentences" in run.stderr


def test_parse_writes_how_the_parser_goes(tmp_path: Path) -> None:
    two_planar().save(tmp_path / "my.crossarc")
    (tmp_path / "in.conllu").write_text(CROSSING)
    run = crossarc("parse", "my.crossarc", "in.conllu", "--steps", "steps.html", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    page = (tmp_path / "steps.html").read_text()
    assert '"source": "parser"' in page
    assert "my: 2-planar" in page
    assert crossarc("parse", "my.crossarc", "in.conllu", "--steps", "x.html", "--scores", cwd=tmp_path).returncode == 2
