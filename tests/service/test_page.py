"""The page in a real Chromium: type, parse, step, compare, export, link, keyboard, phone, right-to-left, scripts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc.stepping import SteppedDerivation, lecture_page
from crossarc.transitions import systems

from ..support.browser import browser, opened
from ..support.service import CROSSING, Running

pytestmark = pytest.mark.slow

HEBREW = """\
1\tשלום\t_\tNOUN\t_\t_\t0\troot\t_\t_
2\tלכל\t_\tADP\t_\t_\t3\tcase\t_\t_
3\tהעולם\t_\tNOUN\t_\t_\t1\tnmod\t_\t_

"""
EVIL = "<img/src=x/onerror=alert(1)><script>alert(1)</script>"


@pytest.fixture(scope="module")
def started(service: Running) -> Iterator[Any]:
    with browser() as one:
        yield one


@pytest.fixture
def page(started: Any, service: Running) -> Iterator[Any]:
    with opened(started, service.address) as one:
        ready(one)
        yield one


def ready(page: Any) -> None:
    page.wait_for_function("() => document.getElementById('version').textContent !== ''")


def show(page: Any, data: str, model: str | None = None) -> None:
    """Type something and wait for its tree."""
    if len(data) < 10_000:
        page.fill("#data", data)
    else:  # as if pasted: typing that much takes minutes
        page.locator("#data").evaluate("(field, text) => { field.value = text; }", data)
    if model is not None:
        page.select_option("#model", label=model)
    page.click("text=Show the tree")
    page.wait_for_selector("#trees svg")
    page.wait_for_function("() => /words/.test(document.getElementById('status').textContent)")


GIVEN = "none: the trees of CoNLL-U"


def step(page: Any, system: str = "") -> None:
    page.select_option("#system", system)
    page.click("#derive")
    page.wait_for_selector(".stepper")


def test_text_is_parsed_and_described(page: Any) -> None:
    show(page, "I don't know, Ann. Go on!")
    assert page.locator("#sentence option").count() == 2
    assert "Projective" in page.inner_text(".described")
    page.click("text=The arcs as a table")
    rows = page.locator("#trees table tbody tr")
    assert rows.count() == 7
    assert "%" in rows.nth(0).inner_text()
    page.click("#next")
    assert page.locator("#trees svg [data-word]").count() == 3


def test_a_crossing_is_drawn_on_two_planes(page: Any) -> None:
    show(page, CROSSING, GIVEN)
    assert "2-planar" in page.inner_text(".described")
    assert page.locator("#trees g.arc.crossing").count() >= 2
    assert page.locator("#trees path.line1").count() >= 1


def test_stepping_by_button_key_slider_and_play(page: Any) -> None:
    show(page, CROSSING, GIVEN)
    step(page, "2-planar")
    assert page.locator(".structure.stack").count() == 2
    visible = "document.querySelectorAll('.step-drawing g.arc:not(.future)').length"
    assert page.evaluate(visible) == 0
    assert "there is no word on the stack" in page.locator(".choices tr.refused").first.inner_text()
    page.click("[aria-label='one step forward']")
    assert page.inner_text(".step-title").startswith("1 / ")
    page.focus(".stepper")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.inner_text(".step-title").startswith("4 / ")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(".step-title").startswith("3 / ")
    assert page.locator(".choices tr.taken").count() == 1
    page.keyboard.press("End")
    assert page.evaluate(visible) == 9
    assert "Nothing is left" in page.inner_text(".choices")
    page.keyboard.press("Home")
    slider = page.locator(".controls input[type=range]").first
    slider.evaluate("one => { one.value = 5; one.dispatchEvent(new Event('input')) }")
    assert page.inner_text(".step-title").startswith("5 / ")
    page.locator(".speed input").evaluate("one => { one.value = 10 }")
    page.focus(".stepper")
    page.keyboard.press("Space")
    page.wait_for_function("() => Number(document.querySelector('.controls input').value) > 6")
    page.keyboard.press("Space")
    assert page.get_by_label("play", exact=True).inner_text() == "Play"


def test_keys_step_at_once(page: Any) -> None:
    show(page, CROSSING, GIVEN)
    step(page, "2-planar")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".step-title").startswith("2 / ")


def test_trees_behind_the_first_hundred_are_drawn_when_they_are_looked_at(page: Any) -> None:
    show(page, CROSSING * 102, GIVEN)
    assert page.locator("#sentence option").count() == 102
    page.select_option("#sentence", "101")
    page.wait_for_selector("#trees svg g.arc.crossing")
    assert page.locator("#trees svg [data-word]").count() == 9


def test_no_old_tree_stays_when_a_text_is_refused(started: Any, service: Running) -> None:
    with opened(started, service.address, expected="status of 413") as page:
        ready(page)
        show(page, CROSSING, GIVEN)
        step(page, "2-planar")
        page.fill("#data", "a " * 20_001)
        page.select_option("#model", "eager")
        page.click("text=Show the tree")
        page.wait_for_selector("#status.error")
        assert page.inner_text("#status") == "20,001 words: at most 20,000 are taken"
        assert page.locator("svg, .stepper").count() == 0


def test_lemmas_and_features_are_in_the_table(page: Any) -> None:
    show(page, CROSSING.replace("\tbe\tAUX\t_\t_", "\tbe\tAUX\t_\tMood=Ind|Tense=Pres"), GIVEN)
    page.click("text=The arcs as a table")
    heads = page.locator("#trees thead th").all_inner_texts()
    assert heads[1:5] == ["word", "lemma", "tag", "features"]
    assert page.locator("#trees tbody tr").nth(2).inner_text().split("\t")[2:5] == ["be", "AUX", "Mood=Ind Tense=Pres"]


def test_a_long_text_is_shown_in_parts_and_saved_whole(page: Any) -> None:
    text = "I don't know, Ann. Go on!\n" * 560
    show(page, text, "tiny-text (Tiny)")
    assert page.inner_text("#part") == "part 1 of 3"
    count = page.locator("#sentence option").count()
    assert page.locator("#earlier").is_disabled()
    page.select_option("#sentence", str(count - 1))
    page.click("#next")
    page.wait_for_function("() => /^part 2 of 3: /.test(document.getElementById('status').textContent)")
    assert page.input_value("#sentence") == "0"
    page.click("#previous")
    page.wait_for_function("() => /^part 1 of 3: /.test(document.getElementById('status').textContent)")
    assert page.input_value("#sentence") == str(count - 1)
    page.click("#later")
    page.wait_for_function("() => /^part 2 of 3: /.test(document.getElementById('status').textContent)")
    with page.expect_download() as saved:
        page.click("[data-export=all]")
    whole = xa.from_text(Path(saved.value.path()).read_text())
    assert whole.words == 5600 and whole.has_heads


def test_parts_of_treebanks_end_where_sentences_end(page: Any) -> None:
    show(page, CROSSING * 300, GIVEN)
    assert page.inner_text("#part") == "part 1 of 2"
    page.click("#later")
    page.wait_for_function("() => /^part 2 of 2: /.test(document.getElementById('status').textContent)")
    assert page.locator("#trees svg [data-word]").count() == 9


def test_back_goes_back(page: Any) -> None:
    show(page, CROSSING + CROSSING.replace("today", "now"), GIVEN)
    page.click("#next")
    show(page, "I don't know, Ann. Go on!", "tiny-text (Tiny)")
    page.go_back()
    page.wait_for_function("() => document.getElementById('sentence').value === '1'")
    page.wait_for_selector("#trees [data-word='8'] >> text=now")
    assert page.input_value("#data").startswith("# text = A hearing")
    page.go_back()
    page.wait_for_selector("#trees [data-word='8'] >> text=today")
    page.go_back()
    page.wait_for_function("() => document.getElementById('result').hidden")
    assert page.input_value("#data") == ""
    page.go_forward()
    page.wait_for_selector("#trees [data-word='8'] >> text=today")


def test_choosing_the_transition_yourself(page: Any) -> None:
    show(page, CROSSING, GIVEN)
    step(page, "2-planar")
    page.keyboard.press("c")
    page.wait_for_selector(".picks button")
    assert page.locator(".choices table").count() == 0
    names = page.locator(".picks button").all_inner_texts()
    page.click(f".picks button:nth-child({1 + next(n for n, name in enumerate(names) if 'REDUCE' in name)})")
    assert page.inner_text(".verdict") == "REDUCE is not legal here: there is no word on the stack. 0 of 1 right."
    shift = str(1 + next(n for n, name in enumerate(names) if "SHIFT" in name))
    page.keyboard.press(shift)
    assert page.inner_text(".verdict") == "SHIFT is right: the oracle takes it. 1 of 2 right."
    assert page.inner_text(".step-title").startswith("1 / ")
    page.keyboard.press(shift)
    assert page.inner_text(".verdict").startswith("SHIFT is legal, but costs an arc of the tree. Choose again.")
    assert page.inner_text(".step-title").startswith("1 / ")
    page.click("text=Choose the transition yourself")
    assert page.locator(".choices table").count() == 1


def test_a_tree_is_edited_and_taken_into_the_text(page: Any) -> None:
    show(page, CROSSING + CROSSING, GIVEN)
    page.click("#edit")
    page.wait_for_selector(".editing [data-word='9']")
    page.wait_for_function("() => document.activeElement.className === 'editing'")
    for key in ("End", "ArrowLeft", "h", "Home", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector(".editing g.arc[data-head='2'][data-dependent='8']")
    page.keyboard.press("J")
    page.wait_for_selector(".editing [data-word='18']")
    page.click("#done")
    page.wait_for_selector("#trees g.arc[data-head='2'][data-dependent='8']")
    (sentence,) = xa.from_text(page.input_value("#data"))
    assert len(sentence) == 18 and sentence.word(8).head == 2
    page.click("#edit")
    page.wait_for_selector(".editing [data-word='9']")
    page.click("#discard")
    assert page.locator(".editing").count() == 0


def test_the_active_stack_is_marked_when_it_changes(page: Any) -> None:
    show(page, CROSSING, GIVEN)
    step(page, "2-planar")
    marked = set()
    page.focus(".stepper")
    for _ in range(30):
        marked.add(page.inner_text(".structure.active .name"))
        page.keyboard.press("ArrowRight")
    assert marked == {"stack 1 active", "stack 2 active"}


def test_a_parser_shows_how_it_scored_the_others(page: Any) -> None:
    show(page, xa.sample(1, seed=8).to_text(), "two-planar")
    step(page)
    page.click("[aria-label='one step forward']")
    assert "The transitions that the parser chose" in page.inner_text(".about")
    assert page.locator(".choices meter").count() >= 1


def test_two_parsers_side_by_side(page: Any) -> None:
    page.select_option("#other", "eager")
    show(page, xa.sample(4, seed=8).to_text(), "two-planar")
    assert page.locator("#trees figure").count() == 2
    counts = []
    for _ in range(4):
        marked = [page.locator(f"#trees figure:nth-child({place}) g.arc.differs").count() for place in (1, 2)]
        assert marked[0] == marked[1]
        counts.append(marked[0])
        if page.locator("#next").is_enabled():
            page.click("#next")
    assert sum(counts) > 0


def test_n_best_trees(page: Any) -> None:
    page.fill("#nbest", "4")
    show(page, xa.sample(1, seed=8).to_text(), "two-planar")
    assert page.locator("#rank option").count() > 1
    first = page.inner_html("#trees svg")
    page.select_option("#rank", "1")
    assert page.inner_html("#trees svg") != first


@pytest.mark.parametrize(
    ("kind", "beginning"),
    [("conllu", b"# text = A hearing"), ("svg", b"<svg"), ("png", b"\x89PNG"), ("tikz", b"% Needs in the preamble")],
)
def test_exports(page: Any, kind: str, beginning: bytes) -> None:
    show(page, CROSSING, GIVEN)
    with page.expect_download() as saved:
        page.click(f"[data-export={kind}]")
    assert Path(saved.value.path()).read_bytes().startswith(beginning)


def test_a_link_holds_text_and_settings(page: Any, started: Any) -> None:
    show(page, CROSSING, GIVEN)
    step(page, "covington")
    page.focus(".stepper")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    with opened(started, page.url) as other:
        ready(other)
        other.wait_for_selector(".stepper")
        other.wait_for_function("() => document.querySelector('.step-title').textContent.startsWith('4 / ')")
        assert other.input_value("#data") == CROSSING
        assert other.input_value("#system") == "covington"


def test_right_to_left(page: Any) -> None:
    show(page, HEBREW, GIVEN)
    places = [page.locator(f"#trees [data-word='{word}']").bounding_box()["x"] for word in (1, 2, 3)]
    assert places == sorted(places, reverse=True)
    step(page, "arc-eager")
    page.focus(".stepper")
    page.keyboard.press("ArrowLeft")
    assert page.inner_text(".step-title").startswith("1 / ")


def test_scripts_as_words_and_labels_are_text(page: Any) -> None:
    show(page, f"1\t{EVIL}\t_\t{EVIL}\t_\t_\t0\t{EVIL}\t_\t_\n\n", GIVEN)
    step(page)
    page.click("[aria-label='last step']")
    assert page.locator("#trees svg [data-word]").text_content() == EVIL
    assert page.evaluate("document.querySelectorAll('main script, main img').length") == 0


def test_errors_are_told(started: Any, service: Running) -> None:
    with opened(started, service.address, expected="status of 400") as page:
        ready(page)
        page.fill("#data", "1\ta\tb\n")
        page.select_option("#input", "conllu")
        page.click("text=Show the tree")
        page.wait_for_selector("#status.error")
        assert "data:1" in page.inner_text("#status")


@pytest.mark.parametrize("width", [320, 375])
def test_nothing_is_wider_than_a_phone(started: Any, service: Running, width: int) -> None:
    with opened(started, service.address, viewport={"width": width, "height": 700}, has_touch=True) as page:
        ready(page)
        show(page, CROSSING, GIVEN)
        step(page, "2-planar")
        page.click("[aria-label='one step forward']")
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_sentence_of_84_words_can_be_read(started: Any, service: Running) -> None:
    words = "".join(f"{n}\tverbum{n}\t_\tX\t_\t_\t{0 if n == 1 else max(1, n // 2)}\tobl\t_\t_\n" for n in range(1, 85))
    with opened(started, service.address, viewport={"width": 1000, "height": 900}) as page:
        ready(page)
        show(page, words + "\n", GIVEN)
        assert page.locator("#trees svg").bounding_box()["width"] <= 1000
        sizes = [page.locator(f"#trees [data-word='{word}']").bounding_box()["height"] for word in (1, 42, 84)]
        assert min(sizes) >= 12


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier(started: Any, service: Running, scheme: str) -> None:
    source = os.environ.get("CROSSARC_AXE")
    if not source:
        pytest.skip("no axe-core: npm install axe-core, and name axe.min.js in CROSSARC_AXE")
    with opened(started, service.address, color_scheme=scheme) as page:
        ready(page)
        page.select_option("#other", "eager")
        show(page, xa.sample(1, seed=8).to_text(), "two-planar")
        step(page, "arc-eager")
        page.click("[aria-label='one step forward']")
        page.click("text=The arcs as a table >> nth=0")
        page.click("text=Choose the transition yourself")
        page.wait_for_selector(".picks")
        page.evaluate(Path(source).read_text())
        for address in ("", "/docs"):
            if address:
                page.goto(service.address + address)
                page.wait_for_selector("h2")
                page.evaluate(Path(source).read_text())
            found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
            assert found == [], [(one["id"], [node["html"] for node in one["nodes"]]) for one in found]


def test_a_file_for_lectures_steps_without_a_server(started: Any, tmp_path: Path) -> None:
    sentence = xa.from_text(CROSSING)[0]
    data = SteppedDerivation.from_tree(systems.get("2-planar"), sentence.tree, sentence.forms).to_dict(costs=None)
    (tmp_path / "steps.html").write_text(lecture_page("2-planar", [data, data]))
    with opened(started, (tmp_path / "steps.html").as_uri()) as page:
        page.wait_for_selector(".stepper")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        assert page.inner_text(".step-title").startswith("2 / ")
        page.select_option("#sentence", "1")
        assert page.inner_text(".step-title").startswith("0 / ")
        page.click("text=Choose the transition yourself")
        page.click(".picks button >> text=SHIFT")
        assert page.inner_text(".verdict") == "SHIFT is right: the oracle takes it. 1 of 1 right."
