"""`crossarc`: the commands in groups, and what happens when something goes wrong.

Exit codes: 0 done; 1 the answer is no (`check` found problems, `convert --lossless` would lose something); 2 bad use or
input; 130 interrupted. No traceback reaches a user unless CROSSARC_DEBUG is set.
"""

from __future__ import annotations

import os
import sys
from inspect import cleandoc
from typing import Annotated, Any

import typer

from . import (
    analyze,
    check,
    compare,
    compress,
    convert,
    decode,
    demo,
    describe,
    draw,
    encode,
    evaluate,
    features,
    info,
    oracle,
    parse,
    sample,
    systems,
    train,
)
from .output import fail

app = typer.Typer(
    name="crossarc",
    help="Dependency parsing and treebank analysis where arcs may cross.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_INTERRUPTED = 130
_TREEBANKS = "Treebanks"
_START = "Start here"
_STRUCTURE = "Structure"
_TRANSITIONS = "Transition systems"
_ENCODINGS = "Encodings"
_EVALUATION = "Evaluation"
_PARSING = "Parsing"


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph of a help text, which the terminal breaks anew; indented examples stay."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(one if one.startswith(" ") else one.replace("\n", " ") for one in paragraphs)


app.command(rich_help_panel=_START)(demo.demo)
app.command(rich_help_panel=_START)(sample.sample)
app.command(rich_help_panel=_PARSING)(train.train)
app.command(rich_help_panel=_PARSING)(parse.parse)
app.command(rich_help_panel=_PARSING)(info.info)
app.command(rich_help_panel=_PARSING)(compress.compress)
app.command(rich_help_panel=_PARSING)(features.features)
app.command(rich_help_panel=_TREEBANKS)(check.check)
app.command(rich_help_panel=_TREEBANKS)(describe.describe)
app.command(rich_help_panel=_TREEBANKS)(convert.convert)
app.command(rich_help_panel=_STRUCTURE)(analyze.analyze)
app.command(rich_help_panel=_STRUCTURE)(draw.draw)
app.command(rich_help_panel=_TRANSITIONS)(systems.systems)
app.command(rich_help_panel=_TRANSITIONS)(oracle.oracle)
app.command(rich_help_panel=_ENCODINGS)(encode.encode)
app.command(rich_help_panel=_ENCODINGS)(decode.decode)
app.command(rich_help_panel=_EVALUATION)(evaluate.evaluate)
app.command(rich_help_panel=_EVALUATION)(compare.compare)

for _command in app.registered_commands:
    _command.help = _paragraphs(_command.callback.__doc__ or "")


def _print_version(asked: bool) -> None:
    if asked:
        from .. import __version__

        print(f"crossarc {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    try:
        code = _run()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (`head`, say) has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    sys.exit(code)


def _run() -> int:
    from ..errors import CrossarcError

    try:
        result = app(standalone_mode=False)
        code = result if isinstance(result, int) else 0
        return fail("interrupted", code) if code == _INTERRUPTED else code
    except (KeyboardInterrupt, typer.Abort):
        return fail("interrupted", _INTERRUPTED)
    except CrossarcError as error:
        return fail(str(error))
    except BrokenPipeError:
        raise
    except Exception as error:
        if hasattr(error, "format_message"):
            return fail(_usage_message(error))
        if os.environ.get("CROSSARC_DEBUG"):
            raise
        return fail(f"internal error: {type(error).__name__}: {error} (CROSSARC_DEBUG=1 shows where; please report it)")


def _usage_message(error: Any) -> str:
    """One line: what is wrong with the call and what would be right."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "crossarc"
    message = str(error.format_message()).rstrip(".")
    if getattr(error, "option_name", None) and "No such option" in message and context:
        options = sorted(
            name for parameter in context.command.params for name in parameter.opts if name.startswith("--")
        )
        message = f"no such option: {error.option_name}; the options are {', '.join([*options, '--help'])}"
    elif "No such command" in message and context:
        message += f"; the commands are {', '.join(sorted(context.command.commands))}"
    return f"{command}: {message} (see {command} --help)"
