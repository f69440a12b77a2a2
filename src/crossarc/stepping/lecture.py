"""Derivations as one HTML file that stands alone: the stepping of the page, for lectures, without a server.

Styles, script and data are in the file; it loads nothing, and its content policy lets no other script run. The size is
that of the derivations.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from ..drawing.colours import DARK, LIGHT
from ..drawing.page import DRAWING_RULES, colours, html_frame, html_text

#: More would make the file too large for a browser.
MOST_SENTENCES = 20
#: What the page of the service has, too.
SHARED_FILES = ("steps.js", "style.css")

_START = """
const data = JSON.parse(document.getElementById("derivations").textContent);
const chooser = document.getElementById("sentence");
const panel = document.getElementById("steps");
let stepper = null;
const show = () => {
  if (stepper) stepper.pause();
  stepper = CrossarcSteps.mount(panel, data[Number(chooser.value)]);
  stepper.root.focus();
};
data.forEach(({ words }, number) => {
  chooser.append(new Option(`${number + 1}: ${words.join(" ").slice(0, 80)}`, number));
});
chooser.parentElement.hidden = data.length < 2;
chooser.addEventListener("change", show);
show();
"""


def shared_file(name: str) -> str:
    """Return one of the files that pages with steps share."""
    return (files("crossarc.stepping") / "page" / name).read_text(encoding="utf-8")


def colour_rules() -> str:
    """Return the colours of the page, light and dark, and the rules for drawings."""
    light, dark = colours(LIGHT), colours(DARK)
    return (
        f":root {{ color-scheme: light; {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ color-scheme: dark; {dark} }} }}\n"
        f":root[data-theme=dark] {{ color-scheme: dark; {dark} }}\n"
        f"@media print {{ :root, :root[data-theme] {{ color-scheme: light; {light} }} }}\n"
        f"{DRAWING_RULES}\n"
    )


def lecture_page(title: str, derivations: Sequence[dict[str, Any]]) -> str:
    """Return a page that steps through derivations, as `SteppedDerivation.to_dict` gives them."""
    script = shared_file("steps.js") + _START
    # In a script element nothing is escaped; "<" could end it, or begin a comment in it.
    data = json.dumps(list(derivations), ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    name = html_text(title)
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; base-uri 'none'"
    body = (
        f"<header><h1>{name}</h1></header>\n<main>\n"
        '<p><label>Sentence <select id="sentence"></select></label></p>\n<div id="steps"></div>\n</main>\n'
        f'<script type="application/json" id="derivations">{data}</script>\n<script>{script}</script>\n'
    )
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}"/>\n'
    return html_frame(name, f"\n{colour_rules()}{shared_file('style.css')}", body, head)
