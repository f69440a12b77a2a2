"""Where commands write: over nothing that would be lost, to full or closed streams, and how signals end them."""

from __future__ import annotations

import json
import os
import resource
import shlex
import signal
import subprocess
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

import crossarc as xa
from crossarc.cli.output import warnings_as_notes
from crossarc.errors import CountedWarning
from crossarc.files import held

from ..support.commands import CROSSARC, crossarc, wait_until

COMMAND = shlex.join(CROSSARC)
TRAIN = "train small.conllu --scorer perceptron --system arc-eager --epochs 1"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A file of each kind, as the commands write them."""
    folder = tmp_path_factory.mktemp("kinds")
    xa.write(xa.sample(20), folder / "small.conllu")
    for arguments in (
        f"{TRAIN} -o model",
        "encode small.conllu -o encoded.conllu.gz --map map.json",
        "analyze small.conllu --html page.html",
        *(f"draw small.conllu -o drawing.{kind}" for kind in ("svg", "tex", "txt", "html")),
    ):
        assert crossarc(*arguments.split(), cwd=folder).returncode == 0, arguments
    (folder / "precious.txt").write_text("Dear diary,\n")
    (folder / "empty").write_text("")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def folder(tmp_path: Path, made: dict[str, bytes]) -> Path:
    for name, content in made.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the shell, in which crossarc stands for ours."""
    script = f'crossarc() {{ {COMMAND} "$@"; }}\n{command}'
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, text=True)


INPUTS = [
    (f"{TRAIN} --dev small.conllu -o small.conllu", "small.conllu: is the input small.conllu"),
    (f"{TRAIN} -o hard", "hard: is the input small.conllu"),
    (f"{TRAIN} -o ./soft", "./soft: is the input small.conllu"),
    (f"{TRAIN} --dev encoded.conllu.gz -o encoded.conllu.gz", "encoded.conllu.gz: is the input"),
    ("train . --system arc-eager -o small.conllu", "small.conllu: is the input small.conllu"),
    ("parse model small.conllu -o model", "model: is the input model"),
    ("analyze small.conllu --html small.conllu", "small.conllu: is the input"),
    ("evaluate small.conllu hard --html hard", "hard: is the input"),
    ("evaluate small.conllu hard --errors small.conllu", "small.conllu: is the input"),
    ("compare small.conllu hard soft --html soft", "soft: is the input"),
    ("draw --gold small.conllu --system hard -o hard", "hard: is the input"),
    ("convert small.conllu -o small.conllu", "small.conllu: is the input"),
    ("encode small.conllu -o new --map small.conllu", "small.conllu: is the input"),
    ("decode small.conllu --map map.json -o map.json", "map.json: is the input map.json"),
    ("compress model -o model", "model: is the input model"),
]
OTHER_KINDS = [
    (f"{TRAIN} -o precious.txt", "precious.txt: holds text, which a model would replace"),
    (f"{TRAIN} -o page.html", "page.html: holds an HTML page, which a model would replace"),
    ("parse model small.conllu -o map.json", "map.json: holds a map of labels, which JSON would replace"),
    ("evaluate small.conllu small.conllu --errors model", "model: holds a model, which an HTML page would replace"),
    ("sample -n 1 -o model", "model: holds a model, which a treebank would replace"),
    ("analyze small.conllu --html model", "model: holds a model, which an HTML page would replace"),
    ("draw small.conllu -o precious.txt", "precious.txt: holds text, which a drawing (text) would replace"),
    ("encode small.conllu -o new --map page.html", "page.html: holds an HTML page, which a map of labels would"),
    ("compress model -o encoded.conllu.gz", "encoded.conllu.gz: holds a treebank, which a model would replace"),
]
TWICE = [
    ("encode small.conllu -o new --map new", "new: two outputs in one file"),
    ("encode small.conllu -o new --map ./new", "new and ./new: two outputs in one file"),
    ("evaluate small.conllu small.conllu --errors new --html new", "new: two outputs in one file"),
    ("evaluate small.conllu small.conllu --errors -", "standard output: two outputs in one file"),
    ("encode small.conllu --map -", "standard output: two outputs in one file"),
]


@pytest.mark.parametrize(("arguments", "message"), [*INPUTS, *OTHER_KINDS, *TWICE])
def test_nothing_that_would_be_lost_is_written_over(folder: Path, arguments: str, message: str) -> None:
    (folder / "hard").hardlink_to(folder / "small.conllu")
    (folder / "soft").symlink_to("small.conllu")
    before = contents(folder)
    run = crossarc(*arguments.split(), cwd=folder)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr.startswith(message)
    assert run.stderr.count("\n") == 1
    assert contents(folder) == before


@pytest.mark.parametrize("arguments", [INPUTS[0][0], INPUTS[5][0], OTHER_KINDS[0][0], OTHER_KINDS[5][0]])
def test_force_writes_all_the_same(folder: Path, arguments: str) -> None:
    output = arguments.split()[-1]
    before = (folder / output).read_bytes()
    run = crossarc(*arguments.split(), "--force", cwd=folder)
    assert run.returncode == 0, run.stderr
    assert (folder / output).read_bytes() != before


@pytest.mark.parametrize(
    "arguments",
    [
        f"{TRAIN} -o model",
        f"{TRAIN} -o empty",
        "parse model small.conllu -o small.conllu",
        "parse model small.conllu -o encoded.conllu.gz",
        "encode small.conllu -o encoded.conllu.gz --map map.json",
        "analyze small.conllu --html drawing.html",
        *(f"draw small.conllu -s 2 -o drawing.{kind}" for kind in ("svg", "tex", "txt", "html")),
        "sample -n 1 -o /dev/null",
    ],
)
def test_a_file_of_the_same_kind_is_replaced(folder: Path, arguments: str) -> None:
    run = crossarc(*arguments.split(), cwd=folder)
    assert run.returncode == 0, run.stderr


def test_a_drawing_of_one_word_is_recognised_too(folder: Path) -> None:
    (folder / "word.conllu").write_text("1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n")
    for layout in ("horizontal", "vertical", "auto"):
        arguments = ("draw", "word.conllu", "--layout", layout, "-o", "word.txt")
        assert crossarc(*arguments, cwd=folder).returncode == 0


def test_standard_output_that_is_appended_to_the_input(folder: Path) -> None:
    """It would be read again and again."""
    before = contents(folder)
    for command in ("parse model small.conllu", "convert small.conllu --force"):
        run = shell(f"crossarc {command} >> small.conllu", folder)
        assert run.returncode == 2
        assert run.stderr.startswith("standard output: is the input small.conllu, which is being read")
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("folder", "folder: cannot be written: it is a directory"),
        ("new/", "new/: cannot be written: it names a directory"),
        ("no/model", "no/model: cannot be written: there is no folder no"),
        ("precious.txt/model", "precious.txt/model: cannot be written: there is no folder precious.txt"),
        ("loop", "loop: cannot be written: Too many levels of symbolic links"),
        ("", "the name of a file is empty: give a name"),
        ("x" * 300, "x: cannot be written: File name too long"),
        ("fifo", "fifo: is a pipe: give the name of a file for the model"),
        ("protected", "protected: cannot be written: the file is write-protected: give another name, or add --force"),
        ("/proc/model", "/proc/model: cannot be written: "),
    ],
)
def test_where_a_model_cannot_go_is_said_before_training(folder: Path, output: str, message: str) -> None:
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    os.mkfifo(folder / "fifo")
    (folder / "protected").write_bytes((folder / "model").read_bytes())
    (folder / "protected").chmod(0o444)
    before = contents(folder)
    run = crossarc(*TRAIN.split(), "-o", output, cwd=folder)
    assert run.returncode == 2
    assert message in run.stderr
    assert run.stderr.count("\n") == 1  # no epoch is announced
    assert contents(folder) == before


def test_force_replaces_a_write_protected_file_and_keeps_its_mode(folder: Path) -> None:
    (folder / "model").chmod(0o440)
    before = (folder / "model").stat()
    assert crossarc(*TRAIN.split(), "--seed", "2", "-o", "model", "--force", cwd=folder).returncode == 0
    after = (folder / "model").stat()
    assert after.st_ino != before.st_ino
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)


@pytest.mark.parametrize("where", ["2>&1 | head -1", "2>/dev/full", "2>&-", "2>&- >&-"])
def test_training_goes_on_when_its_progress_cannot_be_printed(folder: Path, where: str) -> None:
    run = shell(f"set -o pipefail; crossarc {TRAIN} --epochs 3 -o new {where}", folder)
    assert (run.returncode, run.stderr) == (0, "")
    assert xa.load(folder / "new").info()["epochs"] == 3


def test_a_checkpoint_that_cannot_be_written_does_not_end_training(folder: Path) -> None:
    """A limit on the size of files, between those of the model and of the checkpoint, stands for a full disk."""
    size = 2 * (folder / "model").stat().st_size
    run = subprocess.run(
        [*CROSSARC, *TRAIN.split(), "--epochs", "3", "--checkpoint", "-o", "new"],
        cwd=folder,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )
    assert run.returncode == 0, run.stderr
    warning = "note: new.checkpoint: cannot be written: File too large; training goes on without this checkpoint\n"
    assert run.stderr.count(warning) == 1
    assert "epoch 3: " in run.stderr
    assert xa.load(folder / "new").info()["epochs"] == 3
    assert not [name for name in contents(folder) if name.startswith((".", "new."))]


def test_two_trainings_have_two_checkpoints(folder: Path) -> None:
    with held(folder / "new.checkpoint", "is the checkpoint of a training"):
        second = crossarc(*TRAIN.split(), "--checkpoint", "-o", "new", cwd=folder)
    message = "new.checkpoint: is the checkpoint of a training in another process: wait for it, or give another name"
    assert second.returncode == 2 and message in second.stderr
    again = crossarc(*TRAIN.split(), "--checkpoint", "-o", "new", cwd=folder)
    assert again.returncode == 0 and not [name for name in contents(folder) if name.endswith(".lock")]


def test_a_pipe_may_be_called_dev_stdout(folder: Path) -> None:
    if not Path("/dev/stdout").exists():
        pytest.skip("no /dev/stdout")
    plain, named = (
        subprocess.run([*CROSSARC, "parse", "model", "small.conllu", "-o", name], cwd=folder, capture_output=True)
        for name in ("-", "/dev/stdout")
    )
    assert (named.returncode, named.stderr, named.stdout) == (0, b"", plain.stdout)


def test_no_escape_of_a_name_reaches_the_terminal(folder: Path) -> None:
    (folder / "a\x1b[31m.conllu").write_bytes((folder / "small.conllu").read_bytes())
    run = crossarc("describe", "a\x1b[31m.conllu", "-vv", cwd=folder)
    assert run.returncode == 0 and "a\ufffd[31m.conllu" in run.stderr and "\x1b" not in run.stderr


def test_training_data_may_have_any_name(folder: Path) -> None:
    name = os.fsdecode(b"a\xff\n\x1b.conllu")
    try:
        (folder / name).write_bytes((folder / "small.conllu").read_bytes())
    except OSError:
        pytest.skip("no name on this file system")
    trained = crossarc(*TRAIN.replace("small.conllu", "").split(), name, "-o", "new", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    info = crossarc("info", "new", "--json", cwd=folder)
    assert info.returncode == 0 and json.loads(info.stdout)["trained_on"] == ["a\ufffd\ufffd\ufffd.conllu"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("parse model empty", 0, "note: no sentences in empty"),
        ("parse model", 0, "note: no sentences in standard input"),
        ("analyze empty", 0, "note: no sentences in empty"),
        ("describe empty", 0, "note: no sentences in empty"),
        ("convert empty", 0, "note: no sentences in empty"),
        ("oracle empty", 0, "note: no sentences in empty"),
        ("evaluate empty empty", 0, "note: no sentences in empty"),
        ("compare empty empty empty", 0, "note: no sentences in empty"),
        ("train empty -o new", 2, "crossarc train: the training data have no sentences: empty"),
        (f"{TRAIN} --dev empty -o new", 2, "crossarc train: the development data have no sentences: empty"),
        (f"{TRAIN} empty -o new", 0, "note: no sentences in empty"),
    ],
)
def test_an_empty_input_is_said(folder: Path, arguments: str, code: int, message: str) -> None:
    run = crossarc(*arguments.split(), cwd=folder)
    assert run.returncode == code
    assert run.stderr.splitlines()[0] == message


@pytest.mark.parametrize("command", ["sample -n 3", "systems", "--help"])
def test_standard_output_is_full_or_closed(folder: Path, command: str) -> None:
    run = shell(f"crossarc {command} > /dev/full", folder)
    assert (run.returncode, run.stderr) == (2, "standard output: cannot be written: No space left on device\n")
    run = shell(f"crossarc {command} >&-", folder)
    assert (run.returncode, run.stderr) == (2, "standard output is closed: open it, or give a file for the output\n")


def test_closed_streams_and_what_does_not_need_them(folder: Path) -> None:
    run = shell("crossarc parse model <&-", folder)
    assert (run.returncode, run.stderr) == (2, "standard input is closed: give a file\n")
    run = shell("crossarc check - <&-", folder)
    assert (run.returncode, run.stderr) == (2, "standard input is closed: give a file\n")
    assert shell("crossarc check none.conllu 2>&-", folder).returncode == 2
    assert shell("crossarc parse model small.conllu -o new <&- >&- 2>&-", folder).returncode == 0
    parsed = xa.load(folder / "model").parse(xa.read(folder / "small.conllu", root="any"))
    assert (folder / "new").read_bytes() == parsed.to_bytes()


@pytest.mark.parametrize(
    "arguments",
    ["parse model loop", "parse loop small.conllu", "analyze loop", "decode small.conllu --map loop", "info loop"],
)
def test_a_loop_of_links_is_one_line(folder: Path, arguments: str) -> None:
    (folder / "loop").symlink_to("loop")
    run = crossarc(*arguments.split(), cwd=folder)
    assert (run.returncode, run.stderr) == (2, "loop: cannot be read: Too many levels of symbolic links\n")


@pytest.mark.parametrize(
    ("number", "message"), [(signal.SIGTERM, "terminated\n"), (signal.SIGHUP, "hung up\n")], ids=["TERM", "HUP"]
)
def test_a_run_that_is_ended_by_a_signal_tidies_up(tmp_path: Path, number: signal.Signals, message: str) -> None:
    command = [*CROSSARC, "convert", "-", "-o", "new.conllu.xz"]  # waits for its input
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=tmp_path, stdin=pipe, stderr=pipe, text=True)
    wait_until(lambda: list(tmp_path.iterdir()), process)
    while process.returncode is None:  # a signal just before a read is seen when the read ends: send another
        process.send_signal(number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(20)
    assert process.stderr is not None
    assert (process.returncode, process.stderr.read()) == (128 + number, message)
    assert list(tmp_path.iterdir()) == []
    process.communicate()


def test_models_from_pipes(folder: Path) -> None:
    run = shell("crossarc info <(sleep 0.1; cat model) --json", folder)
    assert (run.returncode, run.stderr) == (0, "")
    known = json.loads(crossarc("info", "model", "--json", cwd=folder).stdout)
    assert json.loads(run.stdout) == {name: known[name] for name in known if name not in ("written", "bytes")}
    assert shell("crossarc parse <(cat model) small.conllu", folder).stdout == (
        crossarc("parse", "model", "small.conllu", cwd=folder).stdout
    )
    os.mkfifo(folder / "fifo")
    for command in ("info fifo", "parse fifo small.conllu"):  # nothing writes to it
        run = crossarc(*command.split(), cwd=folder)
        assert run.returncode == 2
        assert run.stderr == "fifo: nothing is written to this pipe: give a file that crossarc train wrote\n"
    for what in ("small.conllu", "/dev/zero"):
        run = shell(f"crossarc info <(cat {what})", folder)
        assert run.returncode == 2
        assert "not a crossarc model, or damaged" in run.stderr


@pytest.mark.parametrize("command", ["train", "oracle", "systems", "features"])
def test_help_says_where_files_are_run(command: str) -> None:
    words = " ".join(crossarc(command, "--help").stdout.replace("│", " ").split())
    assert "A file is run as a Python program: give only files that you trust." in words


def test_warnings_of_many_pieces_are_one_note(capsys: pytest.CaptureFixture[str]) -> None:
    """Numbers are added up, and what is said again is said once."""
    with warnings_as_notes():
        for count in (58, 1, 2000):
            warnings.warn(CountedWarning(count, "1 sentence was cut", "{} sentences were cut"), stacklevel=1)
            warnings.warn("nobody knows this language", stacklevel=1)
        warnings.warn(CountedWarning(1, "1 word was cut", "{} words were cut"), stacklevel=1)
    assert capsys.readouterr().err.splitlines() == [
        "note: nobody knows this language",
        "note: 2,059 sentences were cut",
        "note: 1 word was cut",
    ]
