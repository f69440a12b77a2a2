"""The levels of Universal Dependencies: what we find is what the official validator finds, word for word."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.errors import CrossarcError
from crossarc.evaluation.levels import level_problems, official_problems

from ..support.commands import crossarc
from ..support.outputs import with_mistakes

#: What both have; the official validator has more.
TESTS = {
    *("unknown-upos", "unsorted-features", "invalid-feature", "repeated-feature-value", "unsorted-feature-values"),
    *("repeated-feature", "invalid-deprel", "unknown-udeprel", "missing-sent-id", "non-unique-sent-id", "missing-text"),
    *("0-is-not-root", "root-is-not-0", "rel-upos-punct", "upos-rel-punct", "punct-causes-nonproj", "punct-is-nonproj"),
    *(f"right-to-left-{relation}" for relation in ("conj", "fixed", "flat", "goeswith", "appos")),
}
RELATIONS = ["conj", "appos", "flat", "punct", "nsubj:pass", "root", "Subj", "subj", "obl:in:on", "goeswith"]
TAGS = ["PUNCT", "NOUN", "V", "CONJ"]
FEATURES = [
    *("B=X|A=Y", "a=X", "A=Y,X", "A=X,X", "A=X|A=Y", "A", "Case=Nom|Number=Sing", "ExtPos=PUNCT", "A[psor]=X"),
    *("Abc=1|abd=2", "AB=X|Aa=Y"),
]


def with_faults(treebank: xa.Treebank, columns: dict[str, list[str]], seed: int) -> xa.Treebank:
    choose = random.Random(seed)
    return treebank.replace(
        **{
            name: [choose.choice(values) if choose.random() < 0.1 else text for text in treebank.texts(name)]
            for name, values in columns.items()
        }
    )


def found(problems: list[xa.Problem]) -> set[tuple[str, int]]:
    return {(problem.name, problem.line) for problem in problems if problem.name in TESTS}


def assert_as_official(treebank: xa.Treebank, level: int) -> set[str]:
    text = treebank.to_text()
    ours = found(level_problems(xa.from_text(text), level))
    assert ours == found(official_problems(text, "t", level, None))
    return {name for name, _ in ours}


def test_values_as_in_the_official_validator() -> None:
    treebank = with_faults(xa.sample(60), {"upos": TAGS, "feats": FEATURES, "deprel": RELATIONS}, 1)
    names = assert_as_official(treebank, 2)
    assert {name for name in TESTS if "feature" in name or "deprel" in name or "upos" in name} - names == {
        *("rel-upos-punct", "upos-rel-punct"),
    }


def test_trees_as_in_the_official_validator() -> None:
    """Trees with many crossings: punctuation anywhere, and with multiword tokens and comments between the lines."""
    treebank = with_mistakes(xa.sample(120), 0.3)
    treebank = with_faults(treebank, {"deprel": RELATIONS[:6], "upos": TAGS[:2]}, 2)
    treebank = treebank.replace(feats=["_"] * treebank.words)
    names = assert_as_official(treebank, 3)
    assert TESTS - names <= {name for name in TESTS if "feat" in name or "id" in name or "deprel" in name} | {
        *("unknown-upos", "missing-text", "right-to-left-fixed", "right-to-left-goeswith"),
    }


def test_lines_and_comments() -> None:
    lines = [
        *("# sent_id = a", "# text = don't", "1-2\tdon't\t_\t_\t_\t_\t_\t_\t_\t_"),
        *("1\tdo\tdo\tAUXX\t_\t_\t0\troot\t_\t_", "1.1\tx\t_\tX\t_\t_\t_\t_\t1:dep\t_"),
        *(
            "2\tn't\tnot\tPARTT\t_\t_\t1\tadvmod\t_\t_",
            "",
            "# sent_id = a",
            "# text = Yes",
            "1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_",
            "",
        ),
        *("1\tNo\tno\tINTJ\t_\t_\t0\troot\t_\t_", "", ""),
    ]
    problems = level_problems(xa.from_text("\n".join(lines)), 2)
    assert [(problem.name, problem.line) for problem in problems] == [
        *[("unknown-upos", 4), ("unknown-upos", 6), ("non-unique-sent-id", 8), ("text-form-mismatch", 8)],
        *[("missing-sent-id", 12), ("missing-text", 12)],
    ]
    with pytest.raises(CrossarcError, match="in CoNLL-U alone"):
        level_problems(xa.sample(1).in_format("conllx"), 2)


def test_the_command(tmp_path: Path) -> None:
    xa.write(xa.sample(3), tmp_path / "good.conllu")
    (tmp_path / "bad.conllu").write_text("# sent_id = a\n# text = Ja\n1\tJa\tja\tYES\t_\t_\t0\troot\t_\t_\n\n")
    for which in ("--own", "--official"):
        run = crossarc("check", "bad.conllu", "--level", "2", which, "--json", cwd=tmp_path)
        (problem,) = json.loads(run.stdout)["problems"]
        assert (run.returncode, problem["problem"], problem["line"]) == (1, "unknown-upos", 3)
        assert crossarc("check", "bad.conllu", "--level", "1", which, cwd=tmp_path).returncode == 0
    run = crossarc("check", "good.conllu", "--level", "3", "--own", cwd=tmp_path)
    assert (run.returncode, run.stdout) == (0, "1 files, 3 sentences, 42 words: no problems\n")
    run = crossarc("check", "good.conllu", "--level", "4", cwd=tmp_path)
    assert (run.returncode, "need udtools (crossarc[check]) and --language" in run.stderr) == (2, True)
