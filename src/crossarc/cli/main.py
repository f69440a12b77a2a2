"""`crossarc`: the commands in groups, and what happens when something goes wrong.

Exit codes: 0 done; 1 the answer is no (`check` found problems, `convert --lossless` would lose something); 2 bad use or
input, or output that cannot be written; 128 + n ended by signal n: 129 hung up, 130 interrupted, 141 nobody reads on,
143 terminated. Temporary files are removed then, too. No traceback reaches a user unless CROSSARC_DEBUG is set.
"""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from inspect import cleandoc
from typing import Annotated, Any, NoReturn, TextIO, cast

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
    models,
    oracle,
    package,
    parse,
    sample,
    serve,
    systems,
    train,
)
from .output import fail, silence, speak

app = typer.Typer(
    name="crossarc",
    help="Dependency parsing and treebank analysis where arcs may cross.",
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_INTERRUPTED = 130
_NOT_READ_ON = 141
#: Signals that end a run, and what is said then.
_SIGNALS = {"SIGTERM": "terminated", "SIGHUP": "hung up"}
_TREEBANKS = "Treebanks"
_START = "Start here"
_STRUCTURE = "Structure"
_TRANSITIONS = "Transition systems"
_ENCODINGS = "Encodings"
_EVALUATION = "Evaluation"
_PARSING = "Parsing"


_VERBOSE = Annotated[
    int,
    typer.Option("--verbose", "-v", count=True, help="Say more on standard error; -vv also which files are read."),
]
_QUIET = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on standard error but errors.")]


def _spoken(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options -v and -q, which all have."""

    own = inspect.signature(command, eval_str=True)

    @functools.wraps(command)
    def run(*arguments: Any, **options: Any) -> Any:
        speak(options.get("verbose", 0), options.get("quiet", False))
        return command(*arguments, **{name: value for name, value in options.items() if name in own.parameters})

    kind = inspect.Parameter.KEYWORD_ONLY
    both = [
        inspect.Parameter("verbose", kind, default=0, annotation=_VERBOSE),
        inspect.Parameter("quiet", kind, default=False, annotation=_QUIET),
    ]
    parameters = [*own.parameters.values(), *(one for one in both if one.name not in own.parameters)]
    # Types, not their texts, which typer would evaluate again and again.
    run.__annotations__ = {one.name: one.annotation for one in parameters}
    vars(run)["__signature__"] = own.replace(parameters=parameters)
    return run


def _paragraphs(text: str) -> str:
    """Join the lines of each paragraph of a help text, which the terminal breaks anew; indented examples stay."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(one if one.startswith(" ") else one.replace("\n", " ") for one in paragraphs)


app.command(rich_help_panel=_START)(_spoken(demo.demo))
app.command(rich_help_panel=_START)(_spoken(sample.sample))
app.command(rich_help_panel=_PARSING)(_spoken(train.train))
app.command(rich_help_panel=_PARSING)(_spoken(parse.parse))
app.command(rich_help_panel=_PARSING)(_spoken(models.models))
app.command(rich_help_panel=_PARSING)(_spoken(serve.serve))
app.command(rich_help_panel=_PARSING)(_spoken(info.info))
app.command(rich_help_panel=_PARSING)(_spoken(compress.compress))
app.command(rich_help_panel=_PARSING)(_spoken(package.package))
app.command(rich_help_panel=_PARSING)(_spoken(features.features))
app.command(rich_help_panel=_TREEBANKS)(_spoken(check.check))
app.command(rich_help_panel=_TREEBANKS)(_spoken(describe.describe))
app.command(rich_help_panel=_TREEBANKS)(_spoken(convert.convert))
app.command(rich_help_panel=_STRUCTURE)(_spoken(analyze.analyze))
app.command(rich_help_panel=_STRUCTURE)(_spoken(draw.draw))
app.command(rich_help_panel=_TRANSITIONS)(_spoken(systems.systems))
app.command(rich_help_panel=_TRANSITIONS)(_spoken(oracle.oracle))
app.command(rich_help_panel=_ENCODINGS)(_spoken(encode.encode))
app.command(rich_help_panel=_ENCODINGS)(_spoken(decode.decode))
app.command(rich_help_panel=_EVALUATION)(_spoken(evaluate.evaluate))
app.command(rich_help_panel=_EVALUATION)(_spoken(compare.compare))

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
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a letter is no reason to stop
    code = _run()
    try:
        sys.stdout.flush()
    except OSError:  # said already; Python would complain once more when it closes the stream
        silence(sys.stdout)
    sys.exit(code)


class _ClosedOutput:
    """Stands for a standard output that was closed: whoever prints is refused, other commands run."""

    encoding = "utf-8"

    @property
    def buffer(self) -> NoReturn:
        self.write("")

    def write(self, text: str) -> NoReturn:
        from ..errors import FileError

        raise FileError("standard output is closed: open it, or give a file for the output")

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def _open_closed_streams() -> None:
    """Open standard streams that were closed (`>&-`), lest the next file that is opened takes their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    if sys.stdout is None:
        sys.stdout = cast(TextIO, _ClosedOutput())


class _Ended(BaseException):
    """A signal asked the program to end: it does so by way of everything that has to be tidied up."""


@contextlib.contextmanager
def _signals_tidy_up() -> Iterator[None]:
    """Let the signals that ask a program to end raise `_Ended`; what is ignored (`nohup`) stays so."""
    numbers = [getattr(signal, name) for name in _SIGNALS if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}

    def end(number: int, frame: object) -> None:
        for other in numbers:
            signal.signal(other, signal.SIG_IGN)  # a second one must not disturb the tidying up
        raise _Ended(number)

    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _run() -> int:
    """Run a command and print what it has to say; return the exit code."""
    from ..errors import CrossarcError

    try:
        with _signals_tidy_up():
            result = app(sys.argv[1:] or ["--help"], standalone_mode=False)
            sys.stdout.flush()
        code = result if isinstance(result, int) else 0
        return fail("interrupted", code) if code == _INTERRUPTED else code
    except _Ended as ended:
        number = signal.Signals(ended.args[0])
        return fail(_SIGNALS[number.name], 128 + number)
    except (KeyboardInterrupt, typer.Abort):
        return fail("interrupted", _INTERRUPTED)
    except CrossarcError as error:
        return fail(str(error))
    except BrokenPipeError:  # the reader (`head`, say) has seen enough
        return _NOT_READ_ON
    except SystemExit as ended:  # typer's way with a broken pipe, while it prints help; 1 would mean "the answer is no"
        if isinstance(ended.__context__, BrokenPipeError):
            return _NOT_READ_ON
        raise
    except Exception as error:
        if hasattr(error, "format_message"):
            return fail(_usage_message(error))
        if os.environ.get("CROSSARC_DEBUG"):
            raise
        if isinstance(error, OSError):  # files are named; what has no name is standard output
            return fail(f"{error.filename or 'standard output: cannot be written'}: {error.strerror or error}")
        return fail(f"internal error: {type(error).__name__}: {error} (CROSSARC_DEBUG=1 shows where; please report it)")


def _usage_message(error: Any) -> str:
    """One line: what is wrong with the call and what would be right."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "crossarc"
    message = str(error.format_message()).rstrip(".")
    if getattr(error, "option_name", None) and "No such option" in message and context:
        options = [name for parameter in context.command.params for name in parameter.opts if name.startswith("--")]
        message = f"no such option: {error.option_name}; {_instead(error.option_name, 'options', [*options, '--help'])}"
    elif "No such command" in message and context:
        commands = context.command.commands
        given = next((word for word in sys.argv[1:] if f"'{word}'" in message), "")
        message = f"no such command: {given}; {_instead(given, 'commands', commands)}"
    return f"{command}: {message} (see {command} --help)"


def _instead(given: str, what: str, names: Iterable[str]) -> str:
    """What was meant, as far as that can be guessed, or else all there are."""
    near = difflib.get_close_matches(given.partition("=")[0], names, n=2)
    return f"did you mean {' or '.join(near)}?" if near else f"the {what} are {', '.join(sorted(names))}"
