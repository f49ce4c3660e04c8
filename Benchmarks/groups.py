#!/usr/bin/env python3
"""What the files of a group cost in memory: the most that the daemon's heap has while all of them are stored.

A group of few files comes before one of many, and what the second needs more is told by file. The heap is counted by
Tests/Support/heap-counter.c, preloaded into the daemon; pages of SQLite's caches are left out.

  Benchmarks/groups.py BUILD [--files 10000] [--result FILE]
"""
import argparse, json, os, struct, sys

from rig import rig, until

# Bytes of the heap by which the most may grow with each file. One name for each file would show.
BUDGET = 150
FEW = 300


def make(far, name, files):
    """Makes a group and drops it. The path of its last file has no room in a key: so the attempt ends with a question when all others
    are stored, before the list for the backend is made."""
    folder = f"{far.folder}/drop/{name}"
    os.makedirs(f"{folder}/data")
    for number in range(files):
        with open(f"{folder}/data/file {number}.bin", "w") as file:
            file.write(str(number))
    last = folder + "/" + "/".join(["z" * 198] * 5)
    os.makedirs(last)
    open(f"{last}/z", "w").close()
    open(f"{folder}/run.done", "w").close()
    os.rename(folder, f"{far.folder}/spool/{name}")


def most(far, path, name, files, asked):
    """The most bytes that the heap has with a group of so many files; so many questions are there afterwards."""
    with open(path, "r+b") as file:
        file.seek(8)
        file.write(bytes(8))
    make(far, name, files)
    until("all but the last are stored", lambda: far.status()["counts"]["awaiting-confirmation"] == asked, 1800, 0.5)
    with open(path, "rb") as file:
        return struct.unpack("2Q", file.read(16))[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--result")
    options = parser.parse_args()
    with rig(options.build, more='marker = "*.done"', starts=False) as far:
        path = f"{far.folder}/heap"
        far.start(preloaded=("heap-counter", {"HEAP_COUNTER": path}))
        most(far, path, "first", FEW, 1)  # makes what later ones find: connections, statements, buffers
        few, many = most(far, path, "few", FEW, 2), most(far, path, "many", options.files, 3)
    each = (many - few) / (options.files - FEW) if options.files > FEW else 0
    print(f"the heap has {few:,} bytes with a group of {FEW} files, and {many:,} with one of {options.files:,}: "
          f"{each:.0f} a file more   budget {BUDGET}   {'ok' if each <= BUDGET else 'OVER'}")
    if options.result:
        with open(options.result, "w") as file:
            json.dump({"few": few, "many": many, "a file": each}, file, indent=1)
    sys.exit(each > BUDGET)


main()
