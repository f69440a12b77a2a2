"""The command line as people and scripts use it: what it prints, where, and how it exits."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from crossarc import TreebankError, read, text
from crossarc.cli.info import info
from crossarc.cli.main import app
from crossarc.models.model_file import ModelFile, write_model_file
from crossarc.text import known_models

from ..support.commands import CROSSARC, GOOD, crossarc, wait_until

COMMANDS = [
    *("demo", "sample", "check", "describe", "convert", "analyze", "draw", "systems", "oracle"),
    *("encode", "decode", "evaluate", "compare", "train", "parse", "info", "compress", "features", "models", "package"),
    *("serve", "pretrain", "annotate", "agreement"),
]

BAD = GOOD + GOOD.replace("\t0\troot\t0", "\t7\troot\t0")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "good.conllu").write_text(GOOD)
    (tmp_path / "bad.conllu").write_text(BAD)
    return tmp_path


def test_help_fits_a_screen_and_names_every_command() -> None:
    run = crossarc("--help")
    assert run.returncode == 0
    assert len(run.stdout.splitlines()) <= 70
    for command in COMMANDS:
        assert f"│ {command} " in run.stdout
        detail = crossarc(command, "--help")
        assert detail.returncode == 0
        assert re.search(r"Examples?:\s+crossarc " + command, detail.stdout), command
        # Every option stands under a heading, what all commands have last; flags have no type.
        headings = re.findall("^╭─ (.*?) ─", detail.stdout, re.M)
        assert headings[-1] == "Everywhere" and "Options" not in headings, command
        assert len(set(headings)) == len(headings) and "<bool>" not in detail.stdout, command


@pytest.mark.parametrize(("command", "extra"), [("parse", "xlsx"), ("check", "check"), ("pretrain", "torch,encoders")])
def test_brackets_of_help_are_shown(command: str, extra: str) -> None:
    assert f"crossarc[{extra}]" in crossarc(command, "--help").stdout


def test_paragraphs_of_help_are_broken_by_the_terminal() -> None:
    """They have no line ends of the source, where a terminal of another width would break them once more."""
    for command in app.registered_commands:
        assert command.help
        for paragraph in command.help.split("\n\n"):
            assert paragraph.startswith(" ") or "\n" not in paragraph


#: Runs a command, and prints of some modules those that were imported.
IMPORTED = """
import sys
from crossarc.cli.main import _run
wanted, sys.argv = sys.argv[1].split(","), ["crossarc", *sys.argv[2:]]
assert _run() == 0
print("imported:", [name for name in wanted if name in sys.modules])
"""


def imported(modules: str, *arguments: str) -> str:
    run = subprocess.run([sys.executable, "-c", IMPORTED, modules, *arguments], capture_output=True, text=True)
    return run.stdout.splitlines()[-1] if run.returncode == 0 else run.stderr


def test_starting_needs_neither_numpy_nor_the_kernel() -> None:
    """What keeps `crossarc --help` quick; the time itself depends on the machine."""
    assert imported("numpy,crossarc._kernel,pydantic,importlib.metadata", "--help") == "imported: []"


def test_the_package_itself_imports_next_to_nothing() -> None:
    unneeded = ("numpy", "crossarc._kernel", "crossarc.errors", "crossarc.treebank", "json", "dataclasses", "inspect")
    code = f"import sys; import crossarc; print([name for name in {unneeded} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.skipif("en" not in known_models(), reason="the embedded English model is not in the package")
def test_parsing_a_text_imports_only_what_it_needs(tmp_path: Path) -> None:
    """What keeps `crossarc parse en` quick: neither training, nor other parsers, nor what converts arguments."""
    (tmp_path / "text.txt").write_text("She met him.\n")
    unneeded = "pydantic,rich,importlib.metadata,numpy.ma,html,crossarc.cli.train,crossarc.training.loop"
    unneeded += ",crossarc.transitions,crossarc.structure,crossarc.encodings,crossarc.decoders"
    unneeded += ",crossarc.models.neural.transitions,crossarc.models.perceptron,crossarc.models.classifiers"
    arguments = ("parse", "en", str(tmp_path / "text.txt"), "-o", str(tmp_path / "out.conllu"), "--threads", "1")
    assert imported(unneeded, *arguments) == "imported: []"


def test_version() -> None:
    run = crossarc("--version")
    assert re.fullmatch(r"crossarc \d+\.\d+\.\d+\n", run.stdout)


def test_check_says_no_problems(files: Path) -> None:
    run = crossarc("check", "good.conllu", cwd=files)
    assert (run.returncode, run.stdout, run.stderr) == (0, "1 files, 1 sentences, 1 words: no problems\n", "")


def test_check_lists_every_problem_and_exits_1(files: Path) -> None:
    run = crossarc("check", ".", cwd=files)
    assert run.returncode == 1
    assert run.stdout == (
        "bad.conllu:3: the head of word 1 is 7, the last word is 1 (sentence 2): "
        "write the number of a word that exists\n"
    )
    assert run.stderr == "1 problems in 2 files\n"


def test_check_as_json(files: Path) -> None:
    run = crossarc("check", "--json", "bad.conllu", "good.conllu", cwd=files)
    assert run.returncode == 1
    assert json.loads(run.stdout) == {
        "files": 2,
        "problem_count": 1,
        "causes": [],
        "problems": [
            {
                "file": "bad.conllu",
                "line": 3,
                "sentence": 2,
                "sentence_id": None,
                "problem": "head_out_of_range",
                "message": "the head of word 1 is 7, the last word is 1",
                "remedy": "write the number of a word that exists",
            }
        ],
    }


def test_check_is_short_unless_all_is_asked_for(tmp_path: Path) -> None:
    word = "{}\ta\t_\t_\t_\t_\t{}\t_\t_\t_\n".format
    (tmp_path / "shifted.conllu").write_text((word(1, 3) + word(2, 1) + word(3, 3) + "\n") * 10)
    run = crossarc("check", "shifted.conllu", cwd=tmp_path)
    assert run.stdout.startswith("shifted.conllu: all heads look one too high: ")
    assert (run.returncode, len(run.stdout.splitlines()), run.stderr) == (1, 1, "10 problems in 1 files\n")
    assert len(crossarc("check", "--all", "shifted.conllu", cwd=tmp_path).stdout.splitlines()) == 10
    found = json.loads(crossarc("check", "--json", "shifted.conllu", cwd=tmp_path).stdout)
    assert [cause["problem"] for cause in found["causes"]] == ["heads_too_high"]
    assert len(found["problems"]) == found["problem_count"] == 10


def test_check_goes_on_after_a_file_that_cannot_be_read(files: Path) -> None:
    run = crossarc("check", "none.conllu", "bad.conllu", cwd=files)
    assert run.returncode == 2
    assert "none.conllu: cannot be read: No such file or directory" in run.stderr
    assert "bad.conllu:3:" in run.stdout


def test_check_reads_standard_input() -> None:
    run = crossarc("check", "-", stdin=BAD)
    assert run.returncode == 1
    assert run.stdout.startswith("<stdin>:3: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--jsn", "x"], "no such option: --jsn; did you mean --json? (see crossarc check --help)"),
        (["train", "--systm", "x"], "no such option: --systm; did you mean --system? (see crossarc train --help)"),
        (["check", "--jsn=1"], "no such option: --jsn; did you mean --json?"),
        (
            ["check", "--qqq"],
            "no such option: --qqq; the options are --all, --format, --help, --json, --language, --level, --official, ",
        ),
        (["chek"], "no such command: chek; did you mean check? (see crossarc --help)"),
        (["qqq"], f"no such command: qqq; the commands are {', '.join(sorted(COMMANDS))}"),
        (["check"], "Missing argument"),
        (["check", "--format", "xml", "good.conllu"], 'unknown format "xml": use one of conllu, conllx'),
        (["describe", "none.conllu"], "none.conllu: cannot be read: No such file or directory"),
        (["describe", "bad.conllu"], "bad.conllu:3: the head of word 1 is 7"),
        (["convert", "good.conllu", "--to", "penn"], 'unknown format "penn": use one of conllu, conllx'),
        (["convert", "good.conllu", "-o", "no/where.conll"], "no/where.conll: cannot be written: there is no folder"),
        (["sample", "-n", "-3"], "Invalid value for '--sentences' / '-n'"),
    ],
)
def test_bad_use_is_one_line_and_exit_code_2(files: Path, arguments: list[str], message: str) -> None:
    run = crossarc(*arguments, cwd=files)
    assert run.returncode == 2
    assert message in run.stderr
    assert len(run.stderr.splitlines()) == 1
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_without_arguments_it_helps() -> None:
    run = crossarc()
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == crossarc("--help").stdout


ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
CROSSING = "".join(
    f"{word}\tb\x1b[31m\t_\tX\t_\t_\t{head}\tx\x07\t_\t_\n" for word, head in enumerate([3, 4, 0, 3], start=1)
)
HOSTILE = "# sent_id = \x1b[31ma\n1\t\x1b[2Jb\t_\t\x1b]0;c\x07[bold]\t_\t_\t0\t\x9bd[/bold]\t_\t_\n\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe"],
        ["oracle"],
        ["oracle", "--sequences"],
        ["oracle", "--trace"],
        ["oracle", "--lost", "--system", "arc-standard"],
        ["draw"],
        ["check"],
        ["describe", "none\x1b[31m.conllu"],
        ["info"],
    ],
)
def test_no_control_character_of_a_file_reaches_the_terminal(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a\x1b[31m[i]b.conllu").write_text(HOSTILE + CROSSING)
    run = crossarc(*arguments, "a\x1b[31m[i]b.conllu", cwd=tmp_path)
    assert run.stdout + run.stderr
    assert not ESCAPES.search(run.stdout + run.stderr)
    if arguments == ["describe"]:
        assert "[bold]" in run.stdout
        assert "[/bold]" in run.stdout
        assert "[i]b.conllu" in run.stdout


def test_no_control_character_of_a_model_reaches_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "my.crossarc"
    model.touch()
    described = {"trained_on": "\x1b[31ma.conllu", "labels": ["\x9bb"], "scores": {"\x07c": {"\x07d": 1}}}
    monkeypatch.setattr(text, "load", lambda path: SimpleNamespace(info=described.copy))
    info(str(model))
    shown = capsys.readouterr().out
    assert "[31ma.conllu" in shown
    assert not ESCAPES.search(shown)


def test_a_real_model_is_recognised(tmp_path: Path) -> None:
    write_model_file(tmp_path / "my.crossarc", ModelFile({"type": "none"}, {"a": np.zeros(3)}))
    with pytest.raises(TreebankError, match="this is a model, not a treebank"):
        read(tmp_path / "my.crossarc")


def test_model_and_treebank_swapped(files: Path) -> None:
    (files / "my.crossarc").write_bytes((100).to_bytes(8, "little") + b'{"__metadata__":{"crossarc":"{}"}}')
    (files / "good.conllu.gz").write_bytes(gzip.compress(GOOD.encode()))
    for treebank in ("good.conllu", "good.conllu.gz"):
        run = crossarc("parse", treebank, "my.crossarc", cwd=files)
        assert run.returncode == 2
        assert run.stderr.startswith(f"{treebank}: this is a treebank, not a model: are the two swapped? ")
        assert len(run.stderr.splitlines()) == 1
    run = crossarc("describe", "my.crossarc", cwd=files)
    assert run.returncode == 2
    assert run.stderr.startswith("my.crossarc: this is a model, not a treebank: are the two swapped? ")


def test_describe(files: Path) -> None:
    run = crossarc("describe", "--json", "good.conllu", cwd=files)
    total = json.loads(run.stdout)["total"]
    assert (total["sentences"], total["words"], total["upos"]) == (1, 1, {"INTJ": 1})
    assert "sentences" in crossarc("describe", "good.conllu", "good.conllu", cwd=files).stdout


def test_convert_reports_what_is_lost(files: Path) -> None:
    run = crossarc("convert", "good.conllu", "-o", "good.conll.gz", cwd=files)
    assert run.returncode == 0
    assert run.stderr == "lost, because the format cannot hold it: 1 DEPS values, 1 MISC values\n"
    assert gzip.decompress((files / "good.conll.gz").read_bytes()).decode() == (
        "1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    )


def test_convert_writes_what_the_ending_says(files: Path) -> None:
    """Of .conll, which both formats have, the other one."""
    written = {}
    for output in ("new.conllu", "new.conllx", "new.conll", "NEW.CONLLU.gz"):
        assert crossarc("convert", "good.conllu", "-o", output, cwd=files).returncode == 0
        written[output] = (files / output).read_bytes()
    assert written["new.conllu"] == (files / "good.conllu").read_bytes()
    assert gzip.decompress(written["NEW.CONLLU.gz"]) == written["new.conllu"]
    assert written["new.conllx"] == written["new.conll"] != written["new.conllu"]


def test_convert_without_loss_or_not_at_all(files: Path) -> None:
    run = crossarc("convert", "--lossless", "good.conllu", "-o", "out.conll", cwd=files)
    assert run.returncode == 1
    assert "nothing written; this would be lost: 1 DEPS values" in run.stderr
    assert not (files / "out.conll").exists()
    plain = "1\tJa\tja\tINTJ\t_\t_\t0\troot\t_\t_\n\n"
    assert crossarc("convert", "--lossless", stdin=plain).stdout == plain


def test_sample_is_well_formed() -> None:
    sample = crossarc("sample", "-n", "50", "--seed", "3")
    assert sample.stdout.count("# sent_id") == 50
    assert "50 sentences" in crossarc("check", "-", stdin=sample.stdout).stdout


#: The command as it is installed, with what is to run before it.
PROGRAM = """
import atexit, threading
from crossarc.cli.main import program
atexit.register(print, "the end")
{before}
program()
"""
#: A thread that is still there when the command is done.
LATE = "threading.Thread(target=lambda: (threading.main_thread().join(), print('a thread'))).start()"


@pytest.mark.parametrize(("before", "last"), [("", ["the end"]), (LATE, ["a thread", "the end"])])
def test_the_program_ends_when_all_is_done(before: str, last: list[str]) -> None:
    """What is registered for the end runs, threads are waited for, and what was printed comes out."""
    run = [sys.executable, "-c", PROGRAM.format(before=before)]
    sample = subprocess.run([*run, "sample", "-n", "300"], capture_output=True, text=True, check=True).stdout
    *written, behind = sample.split("\n\n")
    assert len(written) == 300 and behind.split("\n")[:-1] == last
    wrong = subprocess.run([*run, "check", "nothing.conllu"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "nothing.conllu" in wrong.stderr and wrong.stdout.split("\n")[:-1] == last


#: The demonstration with less to learn from: a fifth of the sentences. `make demo` has them all.
DEMO = """
from crossarc import samples
from crossarc.cli.main import main

whole = samples.sample
samples.sample = lambda sentences=1000, seed=1: whole(sentences if seed == 1 else sentences // 5, seed)
main()
"""


def test_demo() -> None:
    run = subprocess.run([sys.executable, "-c", DEMO, "demo"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    # The main job comes first: raw text to trees, in both languages.
    english, greek, walk = map(run.stdout.index, ("crossarc parse en", "crossarc parse grc", "crossarc sample"))
    assert english < run.stdout.index("nsubj") < greek < run.stdout.index("PRED") < walk
    assert "0 problems" in run.stdout
    assert "1,000" in run.stdout
    built = dict(re.findall(r"^ (arc-eager|covington)  .* (\d+), \d+ right", run.stdout, re.M))
    assert built["arc-eager"] == "0"
    assert int(built["covington"]) > 50
    assert "write(read(file)) is the file" in run.stdout and "\nyes\n" in run.stdout
    assert "crossarc serve" in run.stdout.rstrip().splitlines()[-3]


@pytest.mark.parametrize(("text", "model"), [("She met him.", "en"), ("ἄνδρα μοι ἔννεπε.", "grc")])
def test_demo_of_a_text(text: str, model: str) -> None:
    """Only that is parsed and drawn, by the model that knows its letters."""
    run = crossarc("demo", "--text", text)
    assert (run.returncode, run.stderr) == (0, f'crossarc parse {model} --text "…"\n')
    assert run.stdout.startswith(text) and "▼" in run.stdout


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"{shlex.join(CROSSARC)} sample -n 20000 | head -1"
    run = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert run.stdout.startswith("#")
    assert run.stderr == ""


def test_help_that_nobody_reads_is_no_answer() -> None:
    """Exit code 1 would mean that the answer is no."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    run = subprocess.run([*CROSSARC, "--help"], stdout=write_end, stderr=subprocess.PIPE, text=True)
    os.close(write_end)
    assert (run.returncode, run.stderr) == (141, "")


def test_interrupted_leaves_no_half_file(tmp_path: Path) -> None:
    command = [*CROSSARC, "sample", "-n", "60000", "-o", "large.conllu.xz"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: list(tmp_path.iterdir()), process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_an_item_with_many_words_is_announced_before_it_is_done() -> None:
    """Without waiting for the silence to end: a long sentence may take minutes."""
    code = (
        "from crossarc.cli import output; output._SILENT_SECONDS = float('inf');"
        "list(output.tracked([30, 5000, 10], 'parsing', words=lambda item: item))"
    )
    leader, follower = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    subprocess.run([sys.executable, "-c", code], stderr=follower, env=environment, check=True)
    shown = os.read(leader, 100_000)
    assert b"parsing, 30 words done, now 5,000" in shown or b"parsing, 5,030 words done, now 10" in shown
    os.close(follower)
    os.close(leader)


def test_progress_bars_are_for_terminals_only(tmp_path: Path) -> None:
    """Work that takes longer than the silence at its beginning draws a bar on a terminal, and nothing into a file."""
    code = "from crossarc.cli import output; output._SILENT_SECONDS = {}; list(output.tracked([1, 2], 'working', 2))"
    long, short = ([sys.executable, "-c", code.format(silence)] for silence in ("-1", "float('inf')"))
    leader, follower = pty.openpty()
    os.set_blocking(leader, False)
    subprocess.run(short, stderr=follower, env={**os.environ, "TERM": "xterm"}, check=True)
    with pytest.raises(BlockingIOError):
        os.read(leader, 100_000)
    subprocess.run(long, stderr=follower, env={**os.environ, "TERM": "xterm"}, check=True)
    assert b"working" in os.read(leader, 100_000)
    os.close(follower)
    os.close(leader)
    assert subprocess.run(long, capture_output=True, check=True).stderr == b""


def test_completion_is_offered() -> None:
    run = crossarc("--help")
    assert "--install-completion" in run.stdout


def test_check_notes_tags_that_are_not_universal(tmp_path: Path) -> None:
    row = "1\ta\t_\tFOO\t_\t_\t0\troot\t_\t_\n\n"
    (tmp_path / "u.conllu").write_text("# text = a\n" + row)
    (tmp_path / "x.conllu").write_text(row)
    run = crossarc("check", "u.conllu", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "note: u.conllu: UPOS has tags that are not universal: FOO\n")
    run = crossarc("check", "x.conllu", cwd=tmp_path)
    told = "note: x.conllu: checked as CoNLL-X, since UPOS has FOO: --format conllu checks it as CoNLL-U\n"
    assert (run.returncode, run.stderr) == (0, told)
    assert crossarc("check", "x.conllu", "--format", "conllx", cwd=tmp_path).stderr == ""
