"""Which format a file is in, by content; and from one to the other."""

from __future__ import annotations

import pytest

import crossarc as xa
from crossarc.treebank import detect_format


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\n", "conllu"),
        ("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n", "conllu"),
        ("1\ta\t_\tN\tNC\t_\t0\tROOT\t_\t_\n", "conllx"),
        ("1\ta\t_\tNOUN\t_\t_\t0\troot\t0\troot\n", "conllx"),
        ("# any comment\n1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n", "conllu"),
        ("# any comment\n1\ta\t_\tN\t_\t_\t0\troot\t0\troot\n", "conllx"),
        ("1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\tN\t_\t_\t0\troot\t_\t_\n", "conllu"),
        ("1\ta\t_\tN\t_\t_\t0\troot\t0:root\t_\n", "conllu"),
        ("1\ta\t_\tNOUN\t_\t_\t0\troot\t_\t_\r\n", "conllu"),
    ],
)
def test_detection(text: str, expected: str) -> None:
    assert detect_format(text.encode()) == expected


UNIVERSAL = """# sent_id = 1
1-2\tal\t_\t_\t_\t_\t_\t_\t_\t_
1\ta\ta\tADP\tIN\tA=1\t0\troot\t0:root\tX=1
2\tel\tel\tDET\tDT\t_\t1\tdet\t1:det\t_
2.1\tx\t_\t_\t_\t_\t_\t_\t1:dep\t_

"""


def test_to_conllx_counts_what_is_lost() -> None:
    conversion = xa.convert(xa.from_text(UNIVERSAL), "conllx")
    assert conversion.treebank.to_text() == (
        "1\ta\ta\tADP\tIN\tA=1\t0\troot\t_\t_\n2\tel\tel\tDET\tDT\t_\t1\tdet\t_\t_\n\n"
    )
    assert conversion.lost == {
        "comments": 1,
        "multiword tokens": 1,
        "empty nodes": 1,
        "DEPS values": 2,
        "MISC values": 1,
    }
    assert str(conversion).startswith("conllx cannot hold 1 comments, 1 multiword tokens")


def test_to_conllu_counts_what_is_lost() -> None:
    treebank = xa.from_text("1\ta\ta\tN\tNC\t_\t0\tROOT\t0\tROOT\n2\tb\tb\tN\tNC\t_\t0\tROOT\t_\t_\n\n")
    conversion = xa.convert(treebank, "conllu")
    assert conversion.treebank.to_text() == "1\ta\ta\tN\tNC\t_\t0\tROOT\t_\t_\n2\tb\tb\tN\tNC\t_\t0\tROOT\t_\t_\n\n"
    assert conversion.lost == {"PHEAD values": 1, "PDEPREL values": 1}


def test_there_and_back_without_loss() -> None:
    text = "1\ta\ta\tNOUN\tNC\tA=1\t0\troot\t_\t_\n\n"
    treebank = xa.from_text(text)
    there = xa.convert(treebank, "conllx")
    back = xa.convert(there.treebank, "conllu")
    assert there.lost == back.lost == {}
    assert back.treebank.to_text() == text
    assert xa.convert(treebank, "conllu").treebank is treebank
