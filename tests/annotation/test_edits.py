"""Edits of sentences: what follows a change, what is refused, and that no run of edits makes a file that is refused."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossarc as xa
from crossarc.annotation import Block, Document, Edit, EditError, edited, faults, split_blocks, version

FRENCH = """\
# sent_id = f1
# text = Il va au parc.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t2:nsubj\t_
2\tva\taller\tVERB\t_\t_\t0\troot\t0:root\t_
3-4\tau\t_\t_\t_\t_\t_\t_\t_\t_
3\tà\tà\tADP\t_\t_\t5\tcase\t5:case\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t5:det\t_
5\tparc\tparc\tNOUN\t_\t_\t2\tobl\t2:obl:à\tSpaceAfter=No
5.1\tvide\t_\t_\t_\t_\t_\t_\t2:dep\t_
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t2:punct\t_

""".encode()
PLAIN = b"1\tGo\t_\tVERB\t_\t_\t0\troot\t_\t_\r\n2\ton\t_\tADV\t_\t_\t1\tadvmod\t_\t_\r\n\r\n"
WITHOUT_HEADS = b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n\n"


def columns(text: bytes, *indices: int) -> list[tuple[str, ...]]:
    return [tuple(row[index] for index in indices) for row in Block.from_bytes(text).rows]


def heads(text: bytes) -> list[int]:
    return Block.from_bytes(text).heads()


def test_a_block_is_written_as_it_was_read() -> None:
    content = b"\xef\xbb\xbf\n" + FRENCH + PLAIN + WITHOUT_HEADS + FRENCH.rstrip(b"\n")
    blocks = split_blocks(content)
    assert len(blocks) == 4
    assert b"".join(Block.from_bytes(block).to_bytes() for block in blocks) == content


def test_a_new_head_and_what_mirrors_it() -> None:
    text = edited(FRENCH, Edit("head", 5, "1"))
    assert heads(text) == [2, 0, 5, 5, 1, 2]
    assert Block.from_bytes(text).word(5)[8] == "1:obl"
    assert Block.from_bytes(edited(text, Edit("deprel", 5, "nmod"))).word(5)[6:9] == ["1", "nmod", "1:nmod"]


def test_a_new_root_is_called_root_and_an_old_one_is_not() -> None:
    text = edited(edited(FRENCH, Edit("head", 1, "0")), Edit("head", 2, "1"))
    assert columns(text, 6, 7)[:2] == [("0", "root"), ("1", "dep")]
    assert faults(text) == []


def test_roots_that_are_called_otherwise_stay_so() -> None:
    text = FRENCH.replace(b"\troot\t0:root", b"\tPRED\t0:PRED")
    assert Block.from_bytes(edited(text, Edit("head", 1, "0"))).word(1)[7] == "nsubj"


def test_a_cycle_may_be_drawn_but_is_a_fault() -> None:
    text = edited(FRENCH, Edit("head", 2, "5"))
    assert [fault.name for fault in faults(text)] == ["no_root", "cycle"]
    assert faults(edited(text, Edit("head", 5, "0"))) == []


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (Edit("head", 2, "2"), "cannot be its own head"),
        (Edit("head", 2, "7"), "a number from 0 to 6"),
        (Edit("head", 7, "1"), "no word 7"),
        (Edit("upos", 1, "A B"), "holds a space"),
        (Edit("form", 1, "a\tb"), "neither tabs"),
        (Edit("form", 1, "\ud800"), "half a surrogate"),
        (Edit("group", 2, "", 3), "multiword token already"),
        (Edit("ungroup", 1), "in no multiword token"),
        (Edit("merge", 2, "", 3), "goes on beyond"),
        (Edit("split", 1, "I"), "two words or more"),
        (Edit("cut", 1), "but the first"),
        (Edit("cut", 4), "stands over the cut"),
        (Edit("paint", 1), "there are form, lemma"),
        (Edit("join"), "to join takes two"),
    ],
)
def test_what_cannot_be_done_is_said(edit: Edit, message: str) -> None:
    with pytest.raises(EditError, match=message):
        edited(FRENCH, edit)


def test_multiword_tokens_come_and_go() -> None:
    apart = edited(FRENCH, Edit("ungroup", 4))
    assert b"# text = Il va \xc3\xa0le parc." in apart
    assert edited(apart, Edit("group", 3, "au", 4)) == FRENCH
    merged = edited(FRENCH, Edit("merge", 3, "", 4))
    assert [row[0] for row in Block.from_bytes(merged).rows] == ["1", "2", "3", "4", "4.1", "5"]
    assert heads(merged) == [2, 0, 4, 2, 2]
    assert Block.from_bytes(merged).word(3)[1] == "au"
    again = edited(merged, Edit("split", 3, "à le"))
    assert columns(again, 0, 1) == columns(FRENCH, 0, 1)
    assert heads(again) == [2, 0, 5, 3, 2, 2] and faults(again) == []


def test_a_sentence_is_cut_and_joined() -> None:
    halves = split_blocks(edited(FRENCH, Edit("cut", 3)))
    assert [heads(half) for half in halves] == [[2, 0], [3, 3, 0, 3]]
    assert b"# sent_id = f1-3\n# text = au parc.\n" in halves[1] and b"# text = Il va\n" in halves[0]
    assert Block.from_bytes(halves[1]).word(3)[6:9] == ["0", "root", "0:root"] and faults(halves[1]) == []
    joined = edited(b"".join(halves), Edit("join"))
    assert heads(joined) == [2, 0, 5, 5, 2, 5] and b"# text = Il va au parc.\n" in joined


def test_versions_tell_sentences_apart() -> None:
    assert version(FRENCH) == version(bytes(FRENCH)) != version(PLAIN)


# Random edits

KINDS = [
    *("head", "deprel", "form", "lemma", "upos", "xpos", "feats", "misc") * 2,
    "group",
    "ungroup",
    "split",
    "merge",
]
VALUES = st.text(st.sampled_from("ab0_|=:-. é\t\n#漢"), max_size=5) | st.sampled_from(
    ["", "_", "0", "A=1", "nsubj", "a b"]
)
EDITS = st.builds(
    Edit,
    st.sampled_from([*KINDS, "cut"]),
    st.integers(0, 12),
    st.integers(0, 12).map(str) | VALUES,
    st.integers(0, 12),
)


def edit_at_random(document: Document, edits: list[tuple[float, Edit]]) -> int:
    """Make edits one after the other, each in the sentence that its share of the file says; count those saved."""
    saved = 0
    for share, edit in edits:
        index = int(share * len(document))
        before = list(document.blocks)
        try:
            text = edited(before[index], edit, document.format)
            document.replace(index, [version(before[index])], text)
            saved += 1
        except EditError:
            assert document.blocks == before
        content = document.path.read_bytes()
        assert content == b"".join(document.blocks)
        behind = len(before) - index - 1
        assert document.blocks[:index] == before[:index]
        assert document.blocks[len(document) - behind :] == before[index + 1 :]
    assert xa.treebank.check(document.path, root="any") == []
    return saved


@settings(max_examples=60)
@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), EDITS), max_size=12))
def test_no_edits_make_a_file_that_is_refused(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[float, Edit]]
) -> None:
    path = tmp_path_factory.mktemp("edits") / "file.conllu"
    path.write_bytes(FRENCH + PLAIN + WITHOUT_HEADS + FRENCH.rstrip(b"\n"))
    edit_at_random(Document.open(path), edits)


@pytest.mark.exhaustive
def test_ten_thousand_edits(tmp_path: Path) -> None:
    """Most of them are saved; sentences that were not touched are the same bytes, and `check` finds nothing."""
    numbers = random.Random(34)
    path = tmp_path / "file.conllu"
    path.write_bytes(b"".join([xa.sample(30, seed=3).to_bytes(), FRENCH, PLAIN, WITHOUT_HEADS]))
    document = Document.open(path)
    saved = 0
    for _ in range(100):
        edits = []
        for _ in range(100):
            kind = numbers.choice([*KINDS, "cut"])
            value = {"head": str(numbers.randint(0, 9)), "split": "ab c", "feats": "A=1"}.get(
                kind, numbers.choice("xyz")
            )
            word = numbers.randint(1, 9)
            edits.append((numbers.random(), Edit(kind, word, value, word + numbers.randint(1, 2))))
        saved += edit_at_random(document, edits)
    assert saved > 3000
