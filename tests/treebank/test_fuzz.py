"""Mutated files: the reader never crashes or hangs, and never takes what is not a tree.

Under `make kernel-check` this runs on the sanitizer build with 200,000 files; their counts are printed at the end.
"""

from __future__ import annotations

import random

import pytest

import crossarc as xa
from crossarc import _kernel
from crossarc.treebank import from_bytes

from ..support.altered import PARTS, numbers_of_part

pytestmark = pytest.mark.kernel

SEEDS = [
    b"""# sent_id = 1
# text = vamonos al mar
1-2\tvamonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_
2\tnos\tnosotros\tPRON\t_\tCase=Acc\t1\tobj\t1:obj\t_
3-4\tal\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
3\ta\ta\tADP\t_\t_\t5\tcase\t5:case\t_
4\tel\tel\tDET\t_\t_\t5\tdet\t5:det|6.1:dep\t_
5\tmar\tmar\tNOUN\t_\t_\t1\tobl\t1:obl\t_
5.1\tx\tx\tX\t_\t_\t_\t_\t1:dep\t_

# sent_id = 2
1\tdie\tder\tDET\t_\t_\t4\tobj\t4:obj\t_
2\tkat\tkat\tNOUN\t_\t_\t3\tnsubj\t3:nsubj\tA=1|B=2
3\tsag\tse\tVERB\t_\t_\t0\troot\t0:root\t_
4\tsm\xc3\xb8r\tsm\xc3\xb8r\tNOUN\t_\t_\t2\tdep\t2:dep\t_

""",
    b"""1\tSamme\tsamme\tA\tAN\tdegree=pos|number=sing/plur\t0\tROOT\t_\t_
2\tcifre\tciffer\tN\tNC\t_\t1\tnobj\t1\tnobj
3\t,\t,\tX\tXP\t_\t1\tpnct\t_\t_

1\tHej\thej\tI\tI\t_\t0\tROOT\t0\tROOT
2\tdu\tdu\tP\tPP\t_\t0\tROOT\t_\t_

""",
]
INTERESTING = [bytes([byte]) for byte in b"\t\n\r\0_-.#09 \xff|:"] + [b"\r\n", b"\xef\xbb\xbf"]


def mutated(rng: random.Random) -> tuple[int, bytes]:
    """A seed file with one to four changes: bytes flipped or replaced, lines cut, swapped, doubled, dropped."""
    which = rng.randrange(len(SEEDS))
    text = bytearray(SEEDS[which])
    if rng.random() < 0.1:
        text = bytearray(bytes(text).replace(b"\n", b"\r\n"))
    for _ in range(rng.randint(1, 4)):
        if not text:
            break
        at = rng.randrange(len(text))
        kind = rng.randrange(8)
        if kind == 0:
            text[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            text[at : at + 1] = rng.choice(INTERESTING)
        elif kind == 2:
            text[at:at] = rng.choice(INTERESTING)
        elif kind == 3:
            del text[at : at + rng.randint(1, 6)]
        elif kind == 4:
            digits = [place for place, byte in enumerate(text) if 48 <= byte <= 57]
            if digits:
                text[rng.choice(digits)] = rng.randrange(48, 58)
        else:
            lines = bytes(text).splitlines(keepends=True)
            first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
            if kind == 5:
                lines[first], lines[second] = lines[second], lines[first]
            elif kind == 6:
                lines.insert(first, lines[second])
            else:
                del lines[first]
            text = bytearray(b"".join(lines))
    return which, bytes(text)


def assert_well_formed(text: bytes, single_root: bool) -> None:
    """An independent reading of the file, slow and plain: every sentence is a tree or has no heads at all."""
    decoded = text.decode("utf-8").removeprefix("\ufeff")
    assert "\0" not in decoded
    for block in decoded.replace("\r\n", "\n").split("\n\n"):
        rows = [line.split("\t") for line in block.strip("\n").split("\n") if line and not line.startswith("#")]
        words = [row for row in rows if row[0].isdigit()]
        assert all(len(row) == 10 and all(row) for row in rows)
        assert [row[0] for row in words] == [str(place) for place in range(1, len(words) + 1)]
        if not words or all(row[6] == "_" for row in words):
            continue
        heads = [0] + [int(row[6]) for row in words]
        assert all(0 <= head <= len(words) for head in heads)
        roots = sum(head == 0 for head in heads[1:])
        assert roots == 1 if single_root else roots >= 1
        for word in range(1, len(words) + 1):
            steps = 0
            while word:
                word = heads[word]
                steps += 1
                assert steps <= len(words), "a cycle was accepted"


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_mutated_files(part: int, announce: list[str]) -> None:
    count = len(numbers_of_part(part, 1.0, 20_000))
    rng = random.Random(20 + part)
    accepted = 0
    for _ in range(count):
        which, text = mutated(rng)
        format, root = (("conllu", "single"), ("conllx", "any"))[which]
        try:
            treebank = from_bytes(text, format=format, root=root)
        except xa.TreebankError as error:
            assert error.problems
            assert str(error)
            continue
        accepted += 1
        assert treebank.to_bytes() == text
        assert_well_formed(text, single_root=format == "conllu")
    assert 0 < accepted < count
    build = "the sanitizer build" if _kernel.sanitized else "the plain build"
    announce.append(f"fuzz: {count:,} mutated files on {build}: {accepted:,} accepted, all of them trees")
