#!/usr/bin/env python3
"""mutate.py LIST COPY: makes all mistakes of a list in a copy of this tree, each behind a switch, and prints their names.

The form of the list is told at its top. Each mistake is on in a process whose SIMULATED_FLAW is its name. A file of the copy is written
only if it changes, so that little is built again.
"""

import pathlib
import re
import shutil
import subprocess
import sys

SWITCH = """import Glibc

/// The mistake that is switched on in this process; empty if none is.
private let chosen = unsafe getenv("SIMULATED_FLAW").map { unsafe String(cString: $0) } ?? ""

/// Returns true if a mistake is switched on.
public func mutant(_ name: String) -> Bool { name == chosen }
"""


def mutants(text):
    """The mutants of a list: the name, and for each change the file, what stands there and what is to."""
    for block in re.split(r"^## ", text, flags=re.M)[1:]:
        name, changes = block.split(":", 1)[0].removeprefix("? "), []
        for line in block.splitlines()[1:]:
            if line.startswith("in "):
                changes.append((line[3:], [], []))
            elif line[:1] in ("-", "+"):
                changes[-1][1 if line[0] == "-" else 2].append(line[2:])
        yield name, [(file, "\n".join(old) + "\n", "\n".join(new) + "\n") for file, old, new in changes]


def main(path, copy):
    # Plugins of the build read files of other folders.
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True, capture_output=True, text=True).stdout.split("\0")
    files = {name: pathlib.Path(name).read_bytes() for name in names if name and pathlib.Path(name).is_file()}
    for name, changes in mutants(pathlib.Path(path).read_text()):
        for file, old, new in changes:
            text = files[file].decode()
            if text.count(old) != 1:
                sys.exit(f"{name}: this stands {text.count(old)} times in {file}:\n{old}")
            files[file] = text.replace(old, re.sub(r"\bmutant\b", f'mutant("{name}")', new)).encode()
        print(name)
    files["Sources/Core/Jobs/Mutant.swift"] = SWITCH.encode()
    copy = pathlib.Path(copy)
    for old in [path for path in copy.rglob("*") if path.is_file() and str(path.relative_to(copy)) not in files]:
        old.unlink()
    for name, content in files.items():
        target = copy / name
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            if pathlib.Path(name).is_file(): shutil.copymode(name, target)


main(*sys.argv[1:])
