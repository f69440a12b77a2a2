"""Files that do not belong together are refused with the first place where they differ, in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossarc as xa
from crossarc.evaluation.alignment import without_spaces

from ..support.outputs import with_mistakes

GOLD = """# sent_id = one
1\tAnn\t_\tPROPN\t_\t_\t2\tnsubj\t_\t_
2\tsees\t_\tVERB\t_\t_\t0\troot\t_\t_

# sent_id = two
# text = It's Bo.
1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_
1\tIt\t_\tPRON\t_\t_\t3\tnsubj\t_\t_
2\t's\t_\tAUX\t_\t_\t3\tcop\t_\t_
3\tBo\t_\tPROPN\t_\t_\t0\troot\t_\t_
4\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_

"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("gold.conllu").write_text(GOLD)
    return tmp_path


def message(system: str, gold: str = GOLD, **options: object) -> str:
    Path("gold.conllu").write_text(gold)
    Path("system.conllu").write_text(system)
    with pytest.raises(xa.CrossarcError) as caught:
        xa.evaluate("gold.conllu", "system.conllu", **options)  # type: ignore[arg-type]
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def conllx(text: str) -> str:
    return xa.convert(xa.from_text(text), "conllx").treebank.to_text()


def test_another_word(files: Path) -> None:
    assert message(GOLD.replace("\tBo\t", "\tBob\t")) == (
        'system.conllu:10: sentence two, word 3 is "Bob", but gold.conllu:10: sentence two, word 3 is "Bo": '
        "compare two analyses of the same text"
    )


def test_a_truncated_output(files: Path) -> None:
    first = GOLD.partition("# sent_id = two")[0]
    assert message(first) == (
        "system.conllu ends after 1 sentences, but gold.conllu goes on with gold.conllu:8: sentence two, word 1, "
        '"It\'s": is the system output cut short?'
    )
    assert message(GOLD, first).endswith("is the gold standard cut short?")


def test_words_of_conll_x_must_be_the_same(files: Path) -> None:
    gold = conllx(GOLD)
    assert message(gold.replace("\tBo\t", "\tBob\t"), gold, format="conllx") == (
        'system.conllu:6: sentence 2, word 3 is "Bob", but gold.conllu:6: sentence 2, word 3 is "Bo": '
        "compare two analyses of the same text"
    )
    shorter = gold.replace("4\t.\t_\tPUNCT\t_\t_\t3\tpunct\t_\t_\n", "")
    assert message(shorter, gold, format="conllx") == (
        "system.conllu:4: sentence 2 has 3 words, but gold.conllu:4: sentence 2 has 4: is the system output cut short?"
    )
    assert message(gold.partition("\n\n")[0] + "\n\n", gold, format="conllx") == (
        "system.conllu ends after 1 sentences, but gold.conllu has 2 and goes on with gold.conllu:4: sentence 2: "
        "is the system output cut short?"
    )


def test_swapped_arguments(files: Path) -> None:
    bare = xa.from_text(GOLD)
    unparsed = bare.replace(head=[-1] * bare.words, deprel=["_"] * bare.words).to_text()
    assert message(GOLD, unparsed) == (
        "the gold standard has no heads: gold.conllu:1: sentence one: are the arguments the wrong way round?"
    )
    assert message(unparsed, unparsed) == (
        "the gold standard has no heads: gold.conllu:1: sentence one: use a file that has them"
    )
    broken = GOLD.replace("\t2\tnsubj", "\t9\tnsubj")
    assert message(GOLD, broken) == (
        "the gold standard is not well-formed: gold.conllu:2: the head of word 1 is 9, the last word is 2 "
        "(sentence one): write the number of a word that exists; the system output is: are the arguments the wrong way "
        "round?"
    )
    Path("parsed.conllu").write_text(GOLD)
    Path("gold.conllu").write_text(GOLD)
    notes = xa.evaluate("parsed.conllu", "gold.conllu").notes
    assert notes == [
        "parsed.conllu was taken for the gold standard and gold.conllu for the system output: the gold standard comes "
        "first"
    ]


@pytest.mark.parametrize(
    ("gold", "system"),
    [
        ("test.conllu", "gold.parsed.conllu"),
        ("test.conllu", "gold.conllu"),
        ("dev.conllu", "goldfish.conllu"),
        ("parser-test.conllu", "marigold.conllu"),
        ("gold.conllu", "parsed.conllu"),
    ],
)
def test_a_name_that_merely_contains_gold_is_no_reason_for_a_note(files: Path, gold: str, system: str) -> None:
    for name in (gold, system):
        Path(name).write_text(GOLD)
    assert xa.evaluate(gold, system).notes == []


def test_one_file_cannot_be_read_twice_from_standard_input() -> None:
    with pytest.raises(xa.CrossarcError, match="standard input cannot be both"):
        xa.evaluate("-", "-")


def test_other_sentence_boundaries_are_aligned(files: Path) -> None:
    joined = xa.from_text(
        "1\tAnn\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\tsees\t_\t_\t_\t_\t0\troot\t_\t_\n3-4\tIt's\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\tIt\t_\t_\t_\t_\t2\tobj\t_\t_\n4\t's\t_\t_\t_\t_\t2\tcop\t_\t_\n5\tBo\t_\t_\t_\t_\t2\tobj\t_\t_\n"
        "6\t.\t_\t_\t_\t_\t5\tpunct\t_\t_\n\n"
    )
    scores = xa.evaluate(xa.from_text(GOLD), joined).scores
    assert scores.conll2018 is not None
    assert (scores.conll2018["Words"].f1, scores.conll2018["Sentences"].correct) == (1, 0)
    assert scores.all_words.attachment.uas.correct == 3  # Ann, sees and the full stop
    assert scores.all_words.attachment.exact_labelled.correct == 0  # its words are right, but the sentence goes on


def test_missing_multiword_tokens_are_no_obstacle(files: Path) -> None:
    """The words are the same, so everything but tokens can be scored."""
    gold = GOLD.replace("1-2\tIt's", "1-2\tIts")
    bare = gold.replace("1-2\tIts\t_\t_\t_\t_\t_\t_\t_\t_\n", "")
    scores = xa.evaluate(xa.from_text(gold), xa.from_text(bare)).scores
    assert scores.conll2018 is not None
    assert scores.conll2018["LAS"].f1 == 1
    assert "Tokens" not in scores.conll2018


def test_white_space_does_not_count() -> None:
    assert without_spaces("1\xa0000\u2003m") == "1000m"
    gold = "1\t1 000\t_\tNUM\t_\t_\t0\troot\t_\t_\n\n"
    system = "1\t1\t_\tNUM\t_\t_\t0\troot\t_\t_\n2\t000\t_\tNUM\t_\t_\t1\tflat\t_\t_\n\n"
    scores = xa.evaluate(xa.from_text(gold), xa.from_text(system)).scores.conll2018
    assert scores is not None
    assert (scores["Words"].correct, scores["Words"].gold, scores["Words"].system) == (0, 1, 2)
    blank = gold.replace("1 000", "\u2003")
    with pytest.raises(xa.CrossarcError, match="a word of nothing but white space cannot be aligned"):
        xa.evaluate(xa.from_text(blank), xa.from_text(system))


def test_a_multiword_token_without_end_is_refused() -> None:
    """Aligning thousands of words of one multiword token would take too much memory."""
    words = 5000
    lines = "".join(f"{word}\ta\t_\tX\t_\t_\t{word - 1}\tdep\t_\t_\n" for word in range(1, words + 1))
    gold = f"1-{words}\tb\t_\t_\t_\t_\t_\t_\t_\t_\n{lines}\n"
    system = f"1-{words - 1}\tb\t_\t_\t_\t_\t_\t_\t_\t_\n{lines.rpartition(f'{words}	')[0]}\n"
    with pytest.raises(xa.CrossarcError, match="the words cannot be aligned: multiword tokens overlap for 5000 words"):
        xa.evaluate(xa.from_text(gold), xa.from_text(system))


def test_treebanks_that_share_a_pool_and_those_that_do_not() -> None:
    gold = xa.sample(50)
    system = with_mistakes(gold)
    size = len(gold.pool)
    again = xa.evaluate(gold, xa.from_text(system.to_text()))
    assert len(gold.pool) == size  # scoring leaves the gold standard as it is
    assert again.scores.to_dict() == xa.evaluate(gold, system).scores.to_dict()


def test_empty_treebanks() -> None:
    empty = xa.sample(3)[:0]
    found = xa.evaluate(empty, empty)
    assert found.to_dict()["all_words"]["las"]["f1"] is None
    assert "–" in str(found)
    assert found.to_html()
