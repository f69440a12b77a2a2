"""`crossarc pretrain`: what it prints and writes; bad input gets one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..support.commands import crossarc

TINY = ("--layers", "1", "--size", "16", "--pieces", "200", "--sequence", "32", "--device", "cpu")


def test_bad_input_is_refused_in_one_line(tmp_path: Path) -> None:
    """Whether torch is there or not."""
    (tmp_path / "empty.txt").write_text("\n")
    for arguments in (["missing.txt"], ["empty.txt"], ["empty.txt", "--minutes", "0"], ["empty.txt", "--layers", "99"]):
        run = crossarc("pretrain", *arguments, "-o", "my.encoder", *TINY[4:], cwd=tmp_path)
        assert run.returncode == 2, run.stderr
        assert "Traceback" not in run.stderr
        assert not (tmp_path / "my.encoder").exists()


@pytest.mark.slow
def test_an_encoder_is_written_and_its_progress_printed(tmp_path: Path) -> None:
    for package in ("torch", "tokenizers"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'crossarc[torch,encoders]'")
    crossarc("sample", "-n", "100", "-o", "text.conllu", cwd=tmp_path)
    run = crossarc("pretrain", "text.conllu", "-o", "my.encoder", "--epochs", "2", "--batch", "32", *TINY, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "on the CPU: this is slow" in run.stderr
    assert "fewer than a million words" in run.stderr
    assert "epoch 2, step " in run.stderr and "held out " in run.stderr and " pieces/s" in run.stderr
    assert "my.encoder: an encoder of one layer of 16" in run.stderr
    names = sorted(path.name for path in (tmp_path / "my.encoder").iterdir())
    assert names == ["README.md", "config.json", "model.safetensors", "tokenizer.json"]
