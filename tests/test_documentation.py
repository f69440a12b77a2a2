"""What the documentation says works: its blocks of code run, and its reference names everything public."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import importlib.util
import inspect
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import crossarc as xa
from crossarc.cli.main import app

from .support.commands import crossarc
from .support.outputs import with_mistakes
from .support.warned import bare_words

REPOSITORY = Path(__file__).resolve().parent.parent
README = REPOSITORY / "README.md"
DOCS = REPOSITORY / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
COMPARING = "is-my-parser-better.md"
# Packages that blocks of a page need and that make test does without.
NEEDED = {"encoders.md": ("torch", "tokenizers")}
REFERENCE = sorted((DOCS / "reference").glob("*.md"))
# Folders whose names in __all__ are public.
FOLDERS = [
    *(
        "annotation",
        "cluster",
        "decoders",
        "drawing",
        "encodings",
        "evaluation",
        "features",
        "models",
        "parsers",
        "samples",
        "structure",
    ),
    *("text", "transitions", "treebank"),
    *(["spacy"] if importlib.util.find_spec("spacy") else []),
]


def code_blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(), re.S)


def numbered_blocks(language: str) -> list[Any]:
    blocks = code_blocks(README, language)
    return [pytest.param(block, id=f"{language}-{number}") for number, block in enumerate(blocks, 1)]


def run_python(block: str, names: dict[str, object], page: Path) -> None:
    """Run a block; what it says it prints (`# …` after a `print`, or the lines under `>>>`) it prints."""
    if block.startswith(">>> "):
        example = doctest.DocTestParser().get_doctest(block, names, page.name, str(page), 0)
        assert doctest.DocTestRunner().run(example, clear_globs=False).failed == 0
        names.update(example.globs)
        return
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(block, page.name, "exec"), names)
    promised = re.findall(r"^ *print\(.*\)  # (.*)$", block, re.M)
    if promised:
        assert output.getvalue().splitlines() == promised


def run_console(block: str, folder: Path, alone: bool = False) -> None:
    """Run each `$ command`; the lines under it, if any, are its output. What has pipes and the like runs in a shell."""
    for command, promised in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
        plain = re.fullmatch(r"crossarc ([^|&;<>*?$`\\]+)", command)
        run = crossarc(*shlex.split(plain[1]), cwd=folder) if plain and not alone else run_in_shell(command, folder)
        assert run.returncode in (0, 1), run.stderr
        if promised:
            assert [line.rstrip() for line in (run.stdout + run.stderr).splitlines()] == promised.splitlines()


def run_in_shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command as typed, with this interpreter as `python` and the `crossarc` that is installed beside it."""
    own = str(Path(sys.executable).parent)
    assert shutil.which("crossarc", path=own) and shutil.which("python", path=own)
    return subprocess.run(
        command,
        shell=True,
        capture_output=True,
        text=True,
        cwd=folder,
        env={"COLUMNS": "80", "PATH": f"{own}:/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
    )


@pytest.mark.slow
@pytest.mark.parametrize("block", numbered_blocks("python"))
@pytest.mark.examples
def test_python_of_the_readme_runs_from_an_empty_folder(
    block: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block alone, as somebody who copies it would."""
    monkeypatch.chdir(tmp_path)
    run_python(block, {}, README)


@pytest.mark.slow
@pytest.mark.parametrize("block", numbered_blocks("console"))
@pytest.mark.examples
def test_commands_of_the_readme_run_from_an_empty_folder(block: str, tmp_path: Path) -> None:
    run_console(block, tmp_path, alone=True)


def test_the_readme_makes_what_the_makefile_can_make() -> None:
    """The blocks for a checkout install and test everything, as CI does; here, that they name what there is."""
    lines = [line.split("  #")[0] for block in code_blocks(README, "sh") for line in block.splitlines()]
    targets = set(re.findall(r"^([a-z-]+):", (REPOSITORY / "Makefile").read_text(), re.M))
    assert lines.pop(0).strip() == "pip install ."
    assert {line.split()[0] for line in lines} == {"make"} and {line.split()[1] for line in lines} <= targets


def test_the_readme_lists_every_command() -> None:
    listed = re.findall(r"^crossarc (\w+)  ", README.read_text(), re.M)
    assert sorted(listed) == sorted(
        one.name or one.callback.__name__ for one in app.registered_commands if one.callback
    )


def test_the_readme_leads_to_every_guide_and_notebook() -> None:
    for page in [*(DOCS / "guide").glob("*.md"), *(DOCS / "notebooks").glob("*.ipynb")]:
        name = page.relative_to(REPOSITORY).as_posix()
        assert page.name == "index.md" or f"]({name})" in README.read_text(), f"{name} is not linked in README.md"


def test_the_first_pages_show_a_tree_that_the_embedded_model_finds() -> None:
    nlp = xa.load("en")
    assert isinstance(nlp, xa.Pipeline)
    drawn = nlp("Which book did you say she wanted to read?")[0].tree.draw()
    assert drawn == (DOCS / "guide" / "drawing" / "which.svg").read_text()
    for page, name in ((README, "docs/guide/drawing/which.svg"), (DOCS / "index.md", "guide/drawing/which.svg")):
        assert re.findall(r"!\[.*\]\((.*?)\)", page.read_text())[0] == name


def put_outputs_of_two_parsers(folder: Path) -> None:
    """Write what the figures of a page come from, over the outputs that its commands made."""
    assert all(xa.read(folder / name).has_heads for name in ("old.conllu", "new.conllu"))
    test = xa.read(folder / "test.conllu")
    xa.write(with_mistakes(test, 0.12, seed=1), folder / "old.conllu")
    xa.write(with_mistakes(test, 0.09, seed=2), folder / "new.conllu")


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
@pytest.mark.examples
@bare_words
def test_blocks_of_the_documentation_run_from_an_empty_folder(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other. Python under `# mine.py` is in that file, too."""
    for package in NEEDED.get(page.name, ()):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'crossarc[torch,encoders]'")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    if page.name == COMPARING:
        for command in code_blocks(page, "sh")[0].splitlines():
            run_console(f"$ {command}\n", tmp_path)
        put_outputs_of_two_parsers(tmp_path)
    for language, block in re.findall(r"```(python|console)\n(.*?)```", page.read_text(), re.S):
        if language == "console":
            run_console(block, tmp_path)
            continue
        if named := re.match(r"# (\w+\.py)\n", block):
            (tmp_path / named[1]).write_text(block)
        run_python(block, names, page)


def test_every_page_has_its_place_in_the_site() -> None:
    navigation = (REPOSITORY / "mkdocs.yml").read_text()
    for page in [*PAGES, *DOCS.rglob("*.ipynb")]:
        assert re.search(rf"[ ]{re.escape(page.relative_to(DOCS).as_posix())}$", navigation, re.M), page


def test_links_lead_somewhere() -> None:
    """Within docs/, which becomes a site: what is elsewhere in the repository is linked by its address."""
    for page in [README, *PAGES]:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
        for target in re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)[^)]*\)", text):
            path = (page.parent / target).resolve()
            assert path.exists(), f"{page}: {target}"
            assert page == README or path.is_relative_to(DOCS), f"{page}: {target} is outside docs/"


def documented() -> set[str]:
    """The names that the reference has an entry for: `::: crossarc.name`, or a member of a folder."""
    names: set[str] = set()
    for page in REFERENCE:
        for target, options in re.findall(r"^::: ([\w.]+)\n((?:    .*\n)*)", page.read_text(), re.M):
            names.add(target)
            # Members of a folder; those of a class are chosen among many.
            members = re.search(r"members:((?: \[.*\]|\n(?: +- .*\n)+))", options)
            if members and target.rpartition(".")[2].islower():
                names.update(f"{target}.{member}" for member in re.findall(r"\w+", members[1]))
    return names


def test_the_reference_names_everything_public() -> None:
    named = documented()
    for name in xa.__all__:
        assert f"crossarc.{name}" in named, f"{name} is not in docs/reference"
    for folder in FOLDERS:
        for name in importlib.import_module(f"crossarc.{folder}").__all__:
            assert {f"crossarc.{folder}.{name}", f"crossarc.{name}"} & named, (
                f"{folder}.{name} is not in docs/reference"
            )


def test_the_reference_shows_everything_of_the_first_rank_at_work() -> None:
    """Every name of `crossarc` itself, but for errors and what functions return, is in an example."""
    examples = "".join(block for page in REFERENCE for block in code_blocks(page, "python"))
    for name in xa.__all__:
        value = getattr(xa, name)
        if inspect.isfunction(value) or name in ("TransitionSystem", "TransitionParser", "Tree", "Graph", "NO_HEAD"):
            assert re.search(rf"\bxa\.{name}\b", examples), f"no example of {name} in docs/reference"


def test_the_reference_names_nothing_that_does_not_exist() -> None:
    for name in documented():
        home, _, last = name.rpartition(".")
        if home == "crossarc.spacy" and "spacy" not in FOLDERS:  # there is no spaCy for every Python
            continue
        module = importlib.import_module(home)
        assert hasattr(module, last) or importlib.util.find_spec(name), name
