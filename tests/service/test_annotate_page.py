"""The page of `crossarc annotate` in a real Chromium: every edit by mouse and by keyboard alone, saved in the file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc.annotation import Block, Document, Workspace, split_blocks, version

from ..support.browser import browser, opened
from ..support.service import CROSSING, Running, running, served_models

pytestmark = pytest.mark.slow

SECOND = """\
# sent_id = s2
# text = Go on.
1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_
2\ton\ton\tADV\t_\t_\t1\tadvmod\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t_\t_\t1\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def started(service: Running) -> Iterator[Any]:
    with browser() as one:
        yield one


class Annotated:
    """A file that is open on the page."""

    def __init__(self, path: Path, page: Any, address: str) -> None:
        self.path, self.page, self.address = path, page, address

    def block(self, index: int = 0) -> Block:
        return Block.from_bytes(split_blocks(self.path.read_bytes())[index])

    def saved(self, index: int = 0) -> Block:
        """Wait until what was done last is saved."""
        self.page.wait_for_function("() => document.getElementById('status').textContent === 'saved'")
        return self.block(index)

    def clear(self) -> None:
        self.page.evaluate("document.getElementById('status').textContent = ''")

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def middle(self, selector: str) -> tuple[float, float]:
        box = self.page.locator(selector).first.bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def drag(self, start: str, end: str) -> None:
        """By mouse, from the middle of something to that of something else."""
        self.page.mouse.move(*self.middle(start))
        self.page.mouse.down()
        x, y = self.middle(end)
        self.page.mouse.move(x, y - 30)
        self.page.mouse.move(x, y)
        self.page.mouse.up()


def word(number: int) -> str:
    return f".editing .current [data-word='{number}']"


@pytest.fixture
def annotated(started: Any, tmp_path: Path) -> Iterator[Annotated]:
    path = tmp_path / "trees.conllu"
    path.write_text(CROSSING + SECOND)
    with (
        running(served_models(), workspace=Workspace([path])) as service,
        opened(started, service.address, expected="status of 4") as page,
    ):
        page.wait_for_selector(word(9))
        yield Annotated(path, page, service.address)


def test_dragging_from_head_to_dependent(annotated: Annotated) -> None:
    before = annotated.path.read_bytes()
    annotated.drag(word(4), word(7))
    assert annotated.saved().heads()[6] == 4
    assert annotated.page.locator(".editing g.arc.crossing").count() == 0
    assert "Projective" in annotated.page.inner_text(".editor .described")
    annotated.clear()
    annotated.drag(word(1), word(8))
    annotated.saved()
    assert annotated.page.locator(".editing g.arc.crossing").count() > 0
    assert annotated.page.locator(".editing path.line1").count() > 0
    assert split_blocks(annotated.path.read_bytes())[1] == split_blocks(before)[1]
    assert annotated.path.with_name("trees.conllu.orig").read_bytes() == before


def test_dragging_from_the_root(annotated: Annotated) -> None:
    annotated.drag(".root-handle", word(8))
    assert annotated.saved().heads()[7] == 0
    assert "2 roots: words 4, 8." in annotated.page.inner_text(".editor .described")


@pytest.mark.parametrize(
    ("selector", "value", "column"),
    [
        (".current g.arc[data-dependent='8'] text", "advmod", 7),
        (".current [data-line='0'][data-of='8']", "ADV", 3),
        (".current [data-line='1'][data-of='8']", "Today", 2),
    ],
)
def test_clicking_a_label_a_tag_or_a_lemma(annotated: Annotated, selector: str, value: str, column: int) -> None:
    annotated.page.click(f".editing {selector}")
    annotated.page.keyboard.type(value)
    annotated.page.keyboard.press("Enter")
    assert annotated.saved().word(8)[column] == value
    assert annotated.page.evaluate("document.activeElement.className") == "editing"


@pytest.mark.parametrize(("field", "column"), [("form", 1), ("lemma", 2), ("feats", 5), ("misc", 9)])
def test_clicking_a_word_and_a_field(annotated: Annotated, field: str, column: int) -> None:
    annotated.page.click(word(8))
    annotated.page.fill(f"[name={field}]", "A=b")
    annotated.page.press(f"[name={field}]", "Tab")
    saved = annotated.saved()
    assert saved.word(8)[column] == "A=b"
    assert ("A=b" in (saved.comment("text") or "")) == (field == "form")


def test_a_double_click_on_a_word_changes_its_form(annotated: Annotated) -> None:
    annotated.page.dblclick(word(1))
    annotated.page.keyboard.type("The")
    annotated.page.keyboard.press("Enter")
    assert annotated.saved().comment("text") == "The hearing is scheduled on the issue today ."


def test_everything_by_keys_alone(annotated: Annotated) -> None:
    page = annotated.page
    page.focus(".editing")
    annotated.keys("End", "ArrowLeft", "h", "ArrowRight", "Escape", "h", "ArrowLeft", "ArrowLeft", "Enter")
    assert annotated.saved().heads()[7] == 2
    for keys, column, value in (
        (("l",), 7, "advmod"),
        (("t",), 3, "ADV"),
        (("x",), 4, "RB"),
        (("m",), 2, "Today"),
        (("f",), 1, "Today"),
        (("e",), 5, "A=1"),
        (("i",), 9, "B=2"),
    ):
        annotated.clear()
        annotated.keys(*keys)
        page.keyboard.type(value)
        annotated.keys("Enter")
        assert annotated.saved().word(8)[column] == value
    annotated.clear()
    annotated.keys("r")
    assert annotated.saved().heads()[7] == 0
    for undone in range(9):
        annotated.clear()
        annotated.keys("Control+z" if undone % 2 else "u")
        annotated.saved()
    assert annotated.path.read_text() == CROSSING + SECOND
    annotated.clear()
    annotated.keys("U", "Control+y")
    annotated.saved()
    annotated.clear()
    annotated.keys("n")
    page.wait_for_selector("[aria-current] >> text=Go on.")
    page.wait_for_selector(word(3))
    page.wait_for_function("() => document.activeElement.className === 'editing'")
    annotated.keys("ArrowRight", "ArrowUp")
    assert page.inner_text(".selected-word").startswith("Go (1 of 3)")
    annotated.keys("ArrowDown", "?")
    assert page.inner_text(".selected-word").startswith("on (2 of 3)")
    assert page.locator(".keys[open]").count() == 1


def test_multiword_tokens_words_and_sentences_by_keys(annotated: Annotated) -> None:
    page = annotated.page
    page.focus(".editing")
    annotated.keys("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "g")
    assert [token[:2] for token in annotated.saved().ranges()] == [(5, 6)]
    for keys, rows in (
        (("j",), 8),  # one word of them
        (("s",), 10),  # two words of it again, and their token
        (("c",), 4),  # two sentences
        (("J",), 10),
    ):
        annotated.clear()
        annotated.keys(*keys)
        if keys == ("s",):
            page.keyboard.type("on the")
            annotated.keys("Enter")
        assert len(annotated.saved().rows) == rows
        assert xa.treebank.check(annotated.path) == []
    assert annotated.block(1).to_bytes().decode() == SECOND


def test_multiword_tokens_and_cuts_by_mouse(annotated: Annotated) -> None:
    page = annotated.page
    page.click(word(5))
    page.click(word(6), modifiers=["Shift"])
    page.click("text=Multiword token")
    assert annotated.saved().comment("text") == "A hearing is scheduled onthe issue today ."
    annotated.clear()
    page.click("text=onthe 5–6 ×")
    assert list(annotated.saved().ranges()) == []
    annotated.clear()
    page.click(word(5))
    page.click("text=Cut here")
    annotated.saved()
    assert [len(Block.from_bytes(block)) for block in split_blocks(annotated.path.read_bytes())] == [4, 5, 3]
    assert page.locator("#sentences li").count() == 3
    annotated.clear()
    page.click("text=Undo")
    annotated.saved()
    annotated.clear()
    page.click("text=Join with next")
    assert len(annotated.saved()) == 12
    assert xa.treebank.check(annotated.path) == []
    while page.get_by_role("button", name="Undo").is_enabled():
        annotated.clear()
        page.click("text=Undo")
        annotated.saved()
    assert annotated.path.read_text() == CROSSING + SECOND


def test_an_unfinished_tree_is_said_kept_and_not_saved(annotated: Annotated, started: Any) -> None:
    page = annotated.page
    page.focus(".editing")
    annotated.keys("ArrowRight", "ArrowRight", "ArrowRight", "h", "ArrowLeft", "ArrowLeft", "Enter")
    page.wait_for_selector(".described.error >> text=the heads form a cycle")
    assert annotated.path.read_text() == CROSSING + SECOND
    page.reload()
    page.wait_for_selector(".described.error >> text=the heads form a cycle")
    page.focus(".editing")
    annotated.keys("ArrowRight", "r")
    assert annotated.saved().heads()[:4] == [2, 0, 4, 2]


def test_fix_and_reparse_keeps_what_was_set(annotated: Annotated) -> None:
    page = annotated.page
    assert page.input_value("#model") == "tiny-text"
    page.wait_for_selector("[data-word].doubted")
    annotated.drag(word(1), word(9))
    annotated.saved()
    annotated.clear()
    page.click("text=Fix and re-parse")
    page.wait_for_function("() => / kept, /.test(document.querySelector('.editor [role=status]').textContent)")
    saved = annotated.saved()
    assert saved.heads()[8] == 1
    assert page.locator(".editing g.arc.kept").count() == 1
    heads = saved.heads()
    page.focus(".editing")
    annotated.keys("Home", "k")
    page.wait_for_selector(".editing [data-word='1'].kept")
    annotated.keys("ArrowRight", "ArrowRight", "K")
    page.wait_for_function("() => document.querySelectorAll('.editing [data-word].kept').length === 4")
    annotated.keys("p", "d")
    page.wait_for_function("() => document.querySelector('.editor [role=status]').textContent !== ''")
    assert annotated.block().heads()[:3] == heads[:3]


def test_doubt_is_shown_anew_after_parsing_again(annotated: Annotated) -> None:
    page = annotated.page
    titles = "() => [...document.querySelectorAll('.editing .doubted title')].map((title) => title.textContent)"
    page.wait_for_selector("[data-word].doubted")
    before = page.evaluate(titles)
    assert all(re.fullmatch(r"in doubt: \d+ %", title) for title in before)
    page.focus(".editing")
    annotated.keys("Home", "ArrowRight", "ArrowRight", "K", "p")
    page.wait_for_function("() => /kept,|Nothing/.test(document.querySelector('.editor [role=status]').textContent)")
    assert page.evaluate(titles) != before
    annotated.keys("End", "K", "p")
    page.wait_for_function("() => /Nothing/.test(document.querySelector('.editor [role=status]').textContent)")
    assert page.evaluate(titles) == []


def test_sentences_in_doubt_come_first(annotated: Annotated) -> None:
    page = annotated.page
    page.select_option("#order", "doubt")
    page.wait_for_function("() => document.querySelectorAll('#sentences li .count').length === 2")
    page.wait_for_selector("#sentences >> text=in doubt")
    shown = [float(text.split("·")[1].split()[0]) for text in page.locator("#sentences .count").all_inner_texts()]
    assert shown == sorted(shown, reverse=True)


def test_two_people_on_one_sentence(annotated: Annotated) -> None:
    document = Document.open(annotated.path)
    block = document.blocks[0]
    document.replace(0, [version(block)], block.replace(b"\tobl\t", b"\tobl:tmod\t"))
    annotated.drag(word(1), word(3))
    annotated.page.wait_for_selector(".editor [role=alert] >> text=was saved by somebody else meanwhile")
    assert annotated.block().heads()[2] == 4
    annotated.page.click("text=Show theirs")
    annotated.page.wait_for_selector(".editing text >> text=obl:tmod")
    annotated.drag(word(1), word(3))
    assert annotated.saved().heads()[2] == 1 and annotated.block().word(8)[7] == "obl:tmod"


def test_read_only(started: Any, tmp_path: Path) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text(CROSSING)
    with (
        running(served_models(), workspace=Workspace([path], read_only=True)) as service,
        opened(started, service.address) as page,
    ):
        page.wait_for_selector(word(9))
        shown = Annotated(path, page, service.address)
        shown.drag(word(1), word(8))
        page.focus(".editing")
        shown.keys("r", "Delete", "h", "Enter")
        assert page.locator("text=Cut here").is_disabled()
    assert path.read_text() == CROSSING and len(list(tmp_path.iterdir())) == 1


def test_a_second_annotation_is_shown_and_taken_by_click_and_by_key(started: Any, tmp_path: Path) -> None:
    mine, theirs = tmp_path / "mine.conllu", tmp_path / "theirs.conllu"
    mine.write_text(SECOND + CROSSING)
    theirs.write_text(SECOND + CROSSING.replace("\t4\tobl", "\t2\tnmod").replace("\tdet", "\tdet:def", 1))
    with (
        running(served_models(), workspace=Workspace([mine], against=[theirs])) as service,
        opened(started, service.address) as page,
    ):
        page.wait_for_selector("#agreement >> text=kappa of labels")
        assert "UAS 91.7, LAS 83.3" in page.inner_text("#agreement")
        page.select_option("#order", "differences")
        page.wait_for_selector("#sentences >> text=2 different")
        page.wait_for_selector("#other g.arc.differs[data-dependent='8']")
        shown = Annotated(mine, page, service.address)
        page.click("#other g.arc[data-dependent='8'] text")
        page.wait_for_selector("#other >> text=1 of 9 words differ")
        assert shown.saved(1).word(8)[6:8] == ["2", "nmod"]
        page.focus("text=take det:def of hearing")
        page.keyboard.press("Enter")
        page.wait_for_selector("#other >> text=The two annotations are the same.")
        assert shown.saved(1).word(1)[7] == "det:def"
    assert mine.read_text() == theirs.read_text()


def test_right_to_left_and_hostile_words(started: Any, tmp_path: Path) -> None:
    evil = "<img/src=x/onerror=alert(1)>"
    path = tmp_path / "rtl.conllu"
    path.write_text(
        f"1\tשלום\t_\tNOUN\t_\t_\t0\troot\t_\t_\n2\tהעולם\t{evil}\tNOUN\t_\t_\t1\t{evil}\t_\t_\n\n", encoding="utf-8"
    )
    with running(served_models(), workspace=Workspace([path])) as service, opened(started, service.address) as page:
        page.wait_for_selector(word(2))
        page.focus(".editing")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text(".selected-word").startswith("העולם (2 of 2)")
        assert page.input_value("[name=lemma]") == evil
        assert page.locator("main img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier(started: Any, tmp_path: Path, scheme: str) -> None:
    source = os.environ.get("CROSSARC_AXE")
    if not source:
        pytest.skip("no axe-core: npm install axe-core, and name axe.min.js in CROSSARC_AXE")
    path = tmp_path / "trees.conllu"
    path.write_text(CROSSING + SECOND)
    with (
        running(served_models(), workspace=Workspace([path], against=[path])) as service,
        opened(started, service.address, color_scheme=scheme) as page,
    ):
        page.wait_for_selector("#other svg")
        page.focus(".editing")
        for key in ("ArrowRight", "Shift+ArrowRight", "g", "?", "h"):
            page.keyboard.press(key)
        page.wait_for_selector(".tokens button")
        page.evaluate(Path(source).read_text())
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
        assert found == [], [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


@pytest.mark.parametrize("width", [320, 1000])
def test_nothing_is_wider_than_the_window(started: Any, tmp_path: Path, width: int) -> None:
    path = tmp_path / "trees.conllu"
    path.write_text(CROSSING + SECOND)
    with (
        running(served_models(), workspace=Workspace([path])) as service,
        opened(started, service.address, viewport={"width": width, "height": 700}) as page,
    ):
        page.wait_for_selector(word(9))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
