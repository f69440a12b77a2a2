"""Vector paths: whatever CROSSARC_VECTOR allows, decoders find the same trees and networks agree within rounding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import crossarc as xa
from crossarc import _kernel

SCRIPT = """
import sys
import numpy as np
import crossarc as xa
from crossarc import _kernel, decoders

generator = np.random.default_rng(7)
matrices = [generator.normal(size=(n + 1, n + 1)).astype(np.float32) for n in (3, 9, 17, 26)]
trees = decoders.one_endpoint_crossing(matrices, pruned=False)
parsed = xa.load(sys.argv[1]).parse(xa.sample(150, seed=2))
heads = [word for tree in trees for word in tree.heads]
print(_kernel.vector_path(), " ".join(map(str, heads)), " ".join(map(str, parsed.head)), sep="\\n")
"""


def run(setting: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CROSSARC_VECTOR": setting}
    return subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True, env=environment)


@pytest.mark.slow
@pytest.mark.kernel
def test_the_narrow_path_agrees_with_the_widest(tmp_path: Path) -> None:
    parser = xa.TransitionParser("2-planar", scorer="network")
    parser.train(xa.sample(150, seed=1), epochs=2, seed=1, threads=1)
    parser.save(tmp_path / "model.crossarc")
    found = {}
    for setting in ("", "narrow"):
        answer = run(setting, SCRIPT, str(tmp_path / "model.crossarc"))
        assert answer.returncode == 0, answer.stderr
        path, trees, heads = answer.stdout.splitlines()
        found[setting] = (path, trees, np.array(heads.split(), np.int32))
    assert found["narrow"][0] == "narrow"
    assert found[""][1] == found["narrow"][1]
    # A decision may turn where two scores are as good as equal.
    assert (found[""][2] == found["narrow"][2]).mean() > 0.995


def test_the_path_is_the_widest_unless_something_else_is_said() -> None:
    assert _kernel.vector_path() in ("narrow", "avx2", "avx512", "vnni")
    show = "from crossarc import _kernel; print(_kernel.vector_path())"
    assert run("narrow", show).stdout == "narrow\n"
    assert run("avx2", show).stdout in ("narrow\n", "avx2\n")
    assert run("avx512", show).stdout in ("narrow\n", "avx2\n", "avx512\n")


def test_a_setting_that_means_nothing_is_refused() -> None:
    answer = run("wide", "from crossarc import _kernel")
    assert answer.returncode == 1
    assert answer.stderr.splitlines()[-1] == "ImportError: CROSSARC_VECTOR is narrow, avx2, avx512 or vnni, not wide"
