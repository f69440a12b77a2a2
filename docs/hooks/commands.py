"""The commands of `crossarc` and their options, from the program itself, where a page says so.

A hook of mkdocs: `<!-- commands -->` in a page is replaced by a section for each command.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

from typer.main import get_command

MARK = "<!-- commands -->"


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put the commands into the page that asks for them."""
    return markdown.replace(MARK, command_sections()) if MARK in markdown else markdown


def command_sections() -> str:
    """A section for each command, in the order of the program."""
    from crossarc.cli.main import app

    group: Any = get_command(app)
    return "\n\n".join(section(name, command) for name, command in group.commands.items())


def section(name: str, command: Any) -> str:
    """What a command does, as it says itself, and its arguments and options."""
    rows = [row(parameter) for parameter in command.params if parameter.name != "help"]
    table = "\n".join(["| | |", "|---|---|", *rows])
    return f"## crossarc {name}\n\n{description(command.help or '')}\n\n{table}"


def description(text: str) -> str:
    """The help of a command as Markdown: examples are code."""
    text = inspect.cleandoc(text.replace("\b\n", "").partition("\f")[0])
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        is_example = block.lstrip().startswith(("crossarc ", "cat ", "$ "))
        blocks.append("```sh\n" + inspect.cleandoc(block) + "\n```" if is_example else block)
    return "\n\n".join(blocks)


def row(parameter: Any) -> str:
    """A row of the table: the names of a parameter and what it says of itself."""
    if parameter.param_type_name == "argument":
        names = f"`{(parameter.metavar or parameter.name).upper()}`"
    else:
        names = ", ".join(f"`{name}`" for name in [*parameter.opts, *parameter.secondary_opts])
    text = " ".join((parameter.help or "").split()).replace("|", "\\|")
    shown = parameter.show_default is not False and parameter.default not in (None, "", (), [], False)
    default = f" Default: `{parameter.default}`." if shown and not callable(parameter.default) else ""
    return f"| {names} | {text}{default} |"
