#!/usr/bin/env python3
"""draw-mutants.py COUNT SEED: draws mistakes by rule and prints them as a list for mutate.py: a condition that is negated, a bound that is
moved, a call that is left out. The words of each begin with the suite of its target.

draw-mutants.py --without LOG LIST COPY: takes out of a list what the errors of a build of its copy are about, and prints the names. It fails
if they are about nothing of the list.
"""

import pathlib
import random
import re
import sys

TARGETS = ("Sources/Core/Jobs", "Sources/Daemon/Ledger", "Sources/Daemon/Delivery", "Sources/Stages/Spool",
           "Sources/Stages/ObjectStorage")
# Two mistakes must not stand in each other's context, and an error is of the nearest one.
DISTANCE, CONTEXT, NEAR = 12, 5, 3
CONDITION = re.compile(r"^(?P<head>\s*(?:\} else )?(?:if|guard|while) )(?P<condition>\S.*?)(?P<tail> (?:else )?\{.*)$")
CALL = re.compile(r"^\s+(?:try )?(?:await )?[a-z][\w.]*[!?]?(?:\.\w+)*\(.*\)$")
NO_CALL = re.compile(r"^\s+(?:return|case|throw|if|guard|assert\w*|precondition\w*|super|self\.init|init|switch|for|while|yield|fatalError)\b")
NO_CONDITION = re.compile(r"\b(?:let|var|case|try|await)\b|#|\{|^(?:true|false)$")
BOUND = re.compile(r" (<=|>=|<|>) ")
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
# A line after which the next one is a statement of its own, and one that goes on with the line before.
ENDS = re.compile(r"(?:[\w)\]}\"]|\{|\bin)$")
GOES_ON = re.compile(r"^\s*(?:\.|\?|:|\+|-|\*|/|&&|\|\||==|!=|\)|\]|,|else\b)")


def elements(text):
    """The parts of a condition between its commas."""
    parts, depth, quoted, start = [], 0, False, 0
    for place, letter in enumerate(text):
        if letter == '"' and text[place - 1] != "\\": quoted = not quoted
        if quoted: continue
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return parts + [text[start:]] if depth == 0 and not quoted else []


def changes(lines, number):
    """The mistakes that a line can have: what it is, and the line with it."""
    line = lines[number]
    if match := CONDITION.match(line):
        parts = elements(match["condition"])
        for index, part in enumerate(parts):
            bare = part.strip()
            if not bare or NO_CONDITION.search(bare): continue
            made = [("is negated", f"mutant != ({bare})")]
            bounds = BOUND.findall(bare)
            if len(bounds) == 1 and not re.search(r"&&|\|\||\?|[(\[].* [<>]=? .*[)\]]", bare):
                made.append(("has another bound", f"(mutant ? {BOUND.sub(f' {MOVED[bounds[0]]} ', bare)} : {bare})"))
            for words, new in made:
                condition = ",".join(parts[:index] + [part.replace(bare, new)] + parts[index + 1:])
                yield f"{bare} {words}", match["head"] + condition + match["tail"]
    elif CALL.match(line) and not NO_CALL.match(line) and line.count("(") == line.count(")") and "{" not in line:
        before, after = lines[number - 1], lines[number + 1] if number + 1 < len(lines) else ""
        alone = before.endswith("{") and after.strip().startswith("}")
        if ENDS.search(before) and not before.strip().startswith("@") and not GOES_ON.match(after) and not alone:
            yield f"{line.strip()} is left out", f"{re.match(' *', line)[0]}if !mutant {{ {line.strip()} }}"


def block(lines, number, new):
    """The lines from one that makes them unique up to the changed one, before and after; nil if there is none near."""
    text = "\n".join(lines) + "\n"
    for first in range(number, max(number - CONTEXT, 0), -1):
        old = lines[first:number + 1]
        if text.count("\n".join(old) + "\n") == 1: return old, old[:-1] + [new]
    return None


def draw(count, seed):
    chance, found = random.Random(seed), []
    for target in TARGETS:
        for path in sorted(pathlib.Path(target).rglob("*.swift")):
            lines = path.read_text().splitlines()
            if target != TARGETS[0] and not any(re.match(r"(?:public |package )?import Jobs$", line) for line in lines): continue
            comment = re.compile(r"^\s*//")
            found += [(target, path, lines, number, words, new) for number, line in enumerate(lines)
                      if not comment.match(line) for words, new in changes(lines, number)]
    chance.shuffle(found)
    taken = []
    for target, path, lines, number, words, new in found:
        if len(taken) == count: break
        if any(path == other and abs(number - line) < DISTANCE for other, line in taken): continue
        if (made := block(lines, number, new)) is None: continue
        taken.append((path, number))
        print(f"\n## rule-{seed}-{len(taken)}: {target.split('/')[-1]}Tests {path.name}:{number + 1}: {words}\nin {path}")
        for sign, part in zip("-+", made):
            for line in part: print(f"{sign} {line}")


def leave_out(log, listed, copy):
    wrong, root = set(), pathlib.Path(copy).resolve()
    for path, line in set(re.findall(r"^(/\S+\.swift):(\d+):\d+: error:", pathlib.Path(log).read_text(errors="replace"), re.M)):
        if not pathlib.Path(path).resolve().is_relative_to(root): continue
        lines = pathlib.Path(path).read_text().splitlines()
        near = sorted((abs(number + 1 - int(line)), name) for number, text in enumerate(lines)
                      for name in re.findall(r'mutant\("([^"]+)"\)', text) if abs(number + 1 - int(line)) <= NEAR)
        wrong |= {name for _, name in near[:1]}
    blocks = re.split(r"^(?=## )", pathlib.Path(listed).read_text(), flags=re.M)
    kept = [text for text in blocks if text[3:].split(":", 1)[0] not in wrong]
    pathlib.Path(listed).write_text("".join(kept))
    print("".join(f"{name}: does not compile\n" for name in sorted(wrong)), end="")
    return 0 if len(kept) < len(blocks) else 1


if sys.argv[1] == "--without":
    sys.exit(leave_out(*sys.argv[2:]))
draw(int(sys.argv[1]), int(sys.argv[2]))
