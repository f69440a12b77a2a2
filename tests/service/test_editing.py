"""Editing over HTTP: edits, parsing again around what is kept, files that are saved, conflicts, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc.annotation import Block, Workspace, doubts

from ..support.service import CROSSING, Running, running, served_models, text_pipeline


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("annotated")


@pytest.fixture(scope="module")
def annotated(folder: Path, service: Running) -> Iterator[Running]:
    (folder / "trees.conllu").write_bytes(xa.sample(6, seed=2).to_bytes())
    (folder / "other.conllu").write_bytes(_relabelled(xa.sample(6, seed=2)))
    workspace = Workspace([folder / "trees.conllu"], against=[folder / "other.conllu"])
    with running(served_models(), workspace=workspace) as one:
        yield one


def _relabelled(treebank: xa.Treebank) -> bytes:
    labels = treebank.texts("deprel")
    labels[0] = "other"
    return treebank.replace(deprel=labels).to_bytes()


def sentence(service: Running, index: int) -> dict[str, Any]:
    listed = service.post("/annotation/sentences", {"file": "trees.conllu", "start": index, "count": 1}).json
    found: dict[str, Any] = listed["sentences"][0]
    return found


def save(service: Running, index: int, version: str, data: str) -> Any:
    return service.post(
        "/annotation/save", {"file": "trees.conllu", "sentence": index, "versions": [version], "data": data}
    )


def lemma(service: Running, data: str, value: str) -> str:
    answer = service.post("/edit", {"data": data, "edit": {"kind": "lemma", "word": 1, "value": value}})
    text: str = answer.json["sentences"][0]["data"]
    return text


def test_an_edit_is_drawn_and_described(service: Running) -> None:
    answer = service.post("/edit", {"data": CROSSING, "edit": {"kind": "head", "word": 7, "value": "4"}}).json
    (found,) = answer["sentences"]
    assert found["words"][6]["head"] == "4" and found["whole"]
    assert found["said"][0].startswith("Projective") and 'data-head="4" data-dependent="7"' in found["svg"]
    cycle = service.post("/edit", {"data": CROSSING, "edit": {"kind": "head", "word": 4, "value": "7"}}).json
    (found,) = cycle["sentences"]
    assert not found["whole"] and any("the heads form a cycle" in line for line in found["said"])
    two = service.post("/edit", {"data": CROSSING, "edit": {"kind": "head", "word": 8, "value": "0"}}).json
    assert two["sentences"][0]["said"][0] == "2 roots: words 4, 8."


def test_a_cut_gives_two_sentences(service: Running) -> None:
    answer = service.post("/edit", {"data": CROSSING, "edit": {"kind": "cut", "word": 5}}).json
    assert [len(found["words"]) for found in answer["sentences"]] == [4, 5]


@pytest.mark.parametrize(
    ("edit", "status", "message"),
    [
        ({"kind": "head", "word": 99, "value": "1"}, 400, "no word 99"),
        ({"kind": "head", "word": 1, "value": "x"}, 400, "a number from 0 to 9"),
        ({"kind": "draw"}, 400, "no edit 'draw'"),
        ({"kind": "form", "word": "1"}, 422, "valid integer"),
        ({"kind": "form", "word": 1, "value": "\ud800"}, 422, "unicode"),
    ],
)
def test_edits_that_are_refused(service: Running, edit: Any, status: int, message: str) -> None:
    answer = service.post("/edit", {"data": CROSSING, "edit": edit})
    assert answer.status == status and message in answer.json["error"]


def test_what_is_no_sentence_is_refused(service: Running) -> None:
    for data in ("", "1\ta\n\n", "hello", "x\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", CROSSING * 2):
        answer = service.post("/edit", {"data": data, "edit": {"kind": "lemma", "word": 1, "value": "a"}})
        assert answer.status == 400


def test_what_is_kept_stays_and_the_rest_is_parsed_again(service: Running) -> None:
    data = CROSSING.replace("\t7\tcase", "\t2\tobl")
    answer = service.post("/reparse", {"data": data, "keep": [5], "model": "tiny-text"}).json
    words = answer["sentences"][0]["words"]
    assert (words[4]["head"], words[4]["deprel"]) == ("2", "obl")
    assert all(0 <= word["doubt"] <= 1 for word in words) and words[4]["doubt"] == 0
    refused = service.post("/reparse", {"data": data, "keep": [5], "model": "eager"})
    assert refused.status == 400 and "cannot keep heads" in refused.json["error"]
    cycle = CROSSING.replace("\t2\tdet\t", "\t2\tdet\t", 1).replace("\t4\tnsubj:pass", "\t1\tnsubj:pass")
    refused = service.post("/reparse", {"data": cycle, "keep": [1, 2], "model": "tiny-text"})
    assert refused.status == 400


@pytest.mark.parametrize(
    "edit",
    [
        {"kind": "head", "word": 7, "value": "4"},
        {"kind": "head", "word": 8, "value": "0"},
        {"kind": "upos", "word": 3, "value": "X"},
    ],
)
def test_doubt_is_that_of_the_sentence_after_an_edit(service: Running, edit: dict[str, Any]) -> None:
    """What the model found for these words before is taken for edits of arcs, and for no others."""
    for _ in range(2):
        (found,) = service.post("/edit", {"data": CROSSING, "model": "tiny-text", "edit": edit}).json["sentences"]
        expected = doubts(text_pipeline(), xa.from_text(found["data"], root="any"), threads=1)
        assert [word["doubt"] for word in found["words"]] == pytest.approx(expected, abs=1e-4)
        service.post("/edit", {"data": CROSSING, "model": "tiny-text"})


def test_doubt_after_parsing_again_is_what_is_left(annotated: Running) -> None:
    data = sentence(annotated, 3)["data"]
    request = {"data": data, "model": "tiny-text", "file": "trees.conllu"}
    before = annotated.post("/edit", {"data": data, "model": "tiny-text"}).json["sentences"][0]["words"]
    every = [int(word["id"]) for word in before]
    assert annotated.post("/annotation/prepare", {**request, "keep": []}).json == {"prepared": True}
    first, *_, last = (
        annotated.post("/reparse", {**request, "keep": every[:count]}).json["sentences"][0]["words"]
        for count in (1, 2, len(every))
    )
    assert first[0]["doubt"] == 0 and max(word["doubt"] for word in first) > 0
    assert [word["doubt"] for word in last] == [0] * len(every)
    assert [(word["head"], word["deprel"]) for word in last] == [(word["head"], word["deprel"]) for word in before]
    unknown = annotated.post("/reparse", {**request, "keep": [1], "file": "../../etc/passwd"})
    assert unknown.status in (400, 404) and "no file" in unknown.json["error"]


def test_a_service_without_files_has_none(service: Running) -> None:
    for path in ("/annotation", "/annotation/save", "/annotation/sentences"):
        assert service.get(path).status == 404


def test_files_are_listed_with_their_agreement(annotated: Running) -> None:
    (file,) = annotated.get("/annotation").json["files"]
    assert (file["name"], file["sentences"], file["other"]) == ("trees.conllu", 6, "other.conllu")
    assert "nsubj" in file["deprel"] and file["agreement"]["uas"] == 1.0 and file["agreement"]["kappa"] < 1
    request = {"file": "trees.conllu", "count": 6}
    assert annotated.post("/annotation/differences", request).json["differences"] == [1, 0, 0, 0, 0, 0]
    doubts = annotated.post("/annotation/doubt", {**request, "model": "tiny-text"}).json["doubts"]
    assert len(doubts) == 6 and min(doubts) > 0
    assert b"annotate.js" in annotated.get("/").body and b"page.js" in annotated.get("/text").body


def test_saving_and_a_conflict(annotated: Running, folder: Path) -> None:
    path = folder / "trees.conllu"
    before, found = path.read_bytes(), sentence(annotated, 3)
    mine, theirs = lemma(annotated, found["data"], "mine"), lemma(annotated, found["data"], "theirs")
    answer = save(annotated, 3, found["version"], mine)
    assert answer.status == 200 and answer.json["sentences"][0]["version"] != found["version"]
    assert path.read_bytes() == before.replace(found["data"].encode(), mine.encode())
    conflict = save(annotated, 3, found["version"], theirs)
    assert conflict.status == 409 and "was saved by somebody else meanwhile" in conflict.json["error"]
    assert path.read_bytes().count(b"theirs") == 0
    assert Block.from_bytes(sentence(annotated, 3)["data"].encode()).word(1)[2] == "mine"


def test_no_other_file_is_read_or_written(annotated: Running, folder: Path) -> None:
    (folder / "secret.conllu").write_bytes(CROSSING.encode())
    for name in ("secret.conllu", "../x", str(folder / "secret.conllu"), "/etc/passwd", ""):
        listed = annotated.post("/annotation/sentences", {"file": name})
        assert listed.status == 400 and "trees.conllu" in listed.json["error"]
        saved = annotated.post("/annotation/save", {"file": name, "sentence": 0, "versions": ["x"], "data": CROSSING})
        assert saved.status == 400
    assert (folder / "secret.conllu").read_bytes() == CROSSING.encode()
    assert {one.name for one in folder.iterdir()} <= {
        *("trees.conllu", "trees.conllu.orig", "other.conllu", "secret.conllu")
    }


def test_unfinished_trees_are_not_saved(annotated: Running, folder: Path) -> None:
    before, found = (folder / "trees.conllu").read_bytes(), sentence(annotated, 0)
    broken = found["data"].replace("\t0\troot", "\t_\t_")
    answer = save(annotated, 0, found["version"], broken)
    assert answer.status == 400 and "not saved" in answer.json["error"]
    assert (folder / "trees.conllu").read_bytes() == before


def test_read_only(folder: Path, service: Running) -> None:
    path = folder / "shown.conllu"
    path.write_bytes(CROSSING.encode())
    with running(served_models(), workspace=Workspace([path], read_only=True)) as shown:
        assert shown.get("/annotation").json["read_only"]
        known = shown.post("/annotation/sentences", {"file": path.name}).json["sentences"][0]
        request = {"file": path.name, "sentence": 0, "versions": [known["version"]], "data": CROSSING}
        answer = shown.post("/annotation/save", request)
        assert answer.status == 403 and "--read-only" in answer.json["error"]
    assert path.read_bytes() == CROSSING.encode()


def test_strangers_cannot_save_from_their_pages(annotated: Running) -> None:
    """A page elsewhere may send plain text without asking first; only JSON is taken, which it may not send."""
    body = b'{"file": "trees.conllu", "sentence": 0, "versions": ["x"], "data": ""}'
    assert annotated.ask("POST", "/annotation/save", body, {"Content-Type": "text/plain"}).status == 422
    assert annotated.ask("OPTIONS", "/annotation/save", headers={"Origin": "http://evil"}).status == 405
