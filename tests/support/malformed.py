"""Requests that are wrong on purpose, for tests and for `benchmarks/service.py`, which sends many of them."""

from __future__ import annotations

import json
import random

_FORM, _JSON = "application/x-www-form-urlencoded", "application/json"
_WORDS = [
    *("<script>alert(1)</script>", "../../etc/passwd", "\u202eevil", "\x00", "a" * 5000, "\ufeff", "e\u0301" * 9),
    "🙂",
]


def bodies(chance: random.Random) -> dict[str, tuple[str, bytes]]:
    """Return a body of each kind, with its type."""
    noise = chance.randbytes(chance.randrange(200))
    word = chance.choice(_WORDS)
    conllu = f"1\t{word}\t_\tX\t_\t_\t{chance.choice(['0', '1', '99', '-1', '_', 'x'])}\t{word}\t_\t_\n\n"
    whole = json.dumps({"data": conllu, "given": True, "svg": True}).encode()
    deep = chance.randrange(1, 3000)
    return {
        "noise as JSON": (_JSON, noise),
        "noise as a form": (_FORM, b"data=" + noise),
        "noise as multipart": ("multipart/form-data; boundary=x", b"--x\r\n" + noise + b"\r\n--x--\r\n"),
        "multipart without a border": ("multipart/form-data", noise),
        "multipart cut off": (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="data"\r\n\r\nabc'[: chance.randrange(5, 60)],
        ),
        "not UTF-8": (_FORM, b"data=%ff%fe&parser="),
        "a broken escape": (_FORM, b"data=%e&data=%zz&parser="),
        "UTF-16": (_JSON, json.dumps({"data": word}).encode("utf-16")),
        "Latin-1": (_JSON, '{"data": "é"}'.encode("latin-1")),
        "JSON cut off": (_JSON, whole[: chance.randrange(len(whole))]),
        "deep JSON": (_JSON, b"[" * deep + b"]" * chance.randrange(deep)),
        "numbers without end": (_JSON, b'{"data": "a", "nbest": ' + b"9" * chance.randrange(1, 5000) + b"}"),
        "not a number": (_JSON, b'{"data": "a", "width": NaN}'),
        "half a pair": (_JSON, b'{"data": "\\ud83d", "model": "\\udc00"}'),
        "CoNLL-U of sorts": (_JSON, whole),
        "CoNLL-U cut off": (_JSON, json.dumps({"data": conllu[: chance.randrange(9)], "given": True}).encode()),
        "many fields": (_FORM, b"&".join(b"data=a" for _ in range(chance.randrange(300)))),
        "another type": (chance.choice(["text/html", "application/xml", "", "x", "a/b;c=\xff"]), noise),
    }


def raw_requests(chance: random.Random) -> bytes:
    """Return bytes that are nearly a request over HTTP."""
    body = b"data=Go+on&parser="
    request = (
        b"POST /process HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
        + str(chance.choice([len(body), 0, 5, 10**12, -1, "x"])).encode()
        + b"\r\nConnection: close\r\n\r\n"
        + body
    )
    changed = bytearray(request)
    for _ in range(chance.randrange(4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed[: chance.randrange(1, len(changed) + 1)]) if chance.random() < 0.3 else bytes(changed)
