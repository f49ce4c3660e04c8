#!/usr/bin/env python3
"""json-members.py TEXTS MEANINGS: reads texts, one in base64 on each line, with Python's json. Writes a JSON array with an entry
for each: the top-level members of the object that are texts, numbers, true or false, as pairs of texts in the order of their
names' bytes; null for a text that is to be refused.

Refused is what json refuses, and what it takes although RFC 8259 (sections 4, 6, 8) does not have it or leaves it open: NaN and
Infinity, bytes that are no UTF-8, half a surrogate pair, a name that is there twice (also composed in another way), and what is
nested more than 64 deep."""
import base64
import json
import sys
import unicodedata

DEEPEST = 64


class Number(str):
    pass


def members(pairs):
    names = [unicodedata.normalize("NFC", name) for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError("twice")
    return dict(pairs)


def constant(word):
    raise ValueError(word)


def depth(value):
    if isinstance(value, dict):
        return 1 + max([depth(each) for each in value.values()], default=0)
    return 1 + max([depth(each) for each in value], default=0) if isinstance(value, list) else 0


def texts(value):
    if isinstance(value, dict):
        yield from value
        for each in value.values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value


def meaning(data):
    try:
        text = data.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant)
        for each in texts(value):
            each.encode("utf-8")  # half a pair cannot be
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or depth(value) > DEEPEST:
        return None
    found = []
    for name, each in value.items():
        if isinstance(each, bool):
            found.append([name, "true" if each else "false"])
        elif isinstance(each, str):
            found.append([name, str(each)])
    return sorted(found, key=lambda pair: pair[0].encode())


with open(sys.argv[1]) as lines, open(sys.argv[2], "w") as output:
    json.dump([meaning(base64.b64decode(line)) for line in lines.read().split("\n")], output)
