"""Commands that are given numbers out of their bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa

from ..support.commands import crossarc


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            (f"train t.conllu -o x --system arc-eager {option} {value}", f"Invalid value for '{option}'")
            for option in (
                *("--beam", "--threads", "--least-updates", "--learners", "--hidden-size", "--layers"),
                *("--epochs", "--patience", "--cutoff", "--trials"),
            )
            for value in (2**31, 10**26)
        ),
        (f"train t.conllu -o x --seed {2**63}", "Invalid value for '--seed'"),
        ("train t.conllu -o x --option learning_rate=NaN", "learning_rate is a number above 0, up to 10, not nan"),
        ("train t.conllu -o x --option learning_rate=1e999", "learning_rate is a number above 0, up to 10, not inf"),
        ("train t.conllu -o x --option learning_rate=nan", "learning_rate is a number above 0, up to 10, not 'nan'"),
        ("train t.conllu -o x --option views=[3]", "views[0] is a text without control characters"),
        (f"parse m t.conllu --nbest {2**31}", "Invalid value for '--nbest'"),
        (f"parse m t.conllu --beam {10**26}", "Invalid value for '--beam'"),
        (f"compare t.conllu t.conllu t.conllu --samples {2**40}", "Invalid value for '--samples'"),
        (f"sample -n {2**40}", "Invalid value for '--sentences' / '-n'"),
        ("compress m -o x --prune nan", "prune is a number from 0 to less than 1, not nan"),
        ("compress m -o x --prune inf", "prune is a number from 0 to less than 1, not inf"),
    ],
)
def test_they_are_refused_in_one_line(tmp_path: Path, arguments: str, message: str) -> None:
    treebank = xa.sample(12, seed=1)
    xa.write(treebank, tmp_path / "t.conllu")
    if arguments.startswith("compress"):
        parser = xa.TransitionParser("arc-eager", scorer="perceptron")
        parser.train(treebank, epochs=1)
        parser.save(tmp_path / "m")
    run = crossarc(*arguments.split(), cwd=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    lines = [line for line in run.stderr.splitlines() if "non-projective" not in line]
    assert len(lines) == 1
    assert message in lines[0]
    assert "internal error" not in run.stderr
    assert not (tmp_path / "x").exists()


def test_help_states_the_bounds() -> None:
    shown = crossarc("train", "--help").stdout
    assert "1<=x<=10000" in shown
    assert "0<=x<=1024" in shown
