#!/usr/bin/env python3
"""What a small job asks of the kernel and of malloc, by part. Counts depend little on the machine: on how many jobs share a commit, a
scan or a buffer.

Counts calls of the C library with Tests/Support/call-counter.c preloaded into the daemon, and all system calls with perf
where that is there. Frames of SQLite's log depend on how many jobs share a commit, and so on the pace.

  Benchmarks/budget.py BUILD [--files 10000] [--result FILE]
"""
import argparse, collections, json, os, shutil, signal, struct, subprocess, sys, time

import measure
from rig import rig, until

NAMES = ("allocations", "stats", "polls", "syncs", "other writes", "WAL frames")
# The counts a job that a release build may have; a tenth more is too much.
BUDGET = {"allocations": 245, "stats": 5.1, "polls": 4.4, "WAL frames": 1.5, "system calls": 32}
PARTS = (("transfer", "transfer"), ("spool", "spool "), ("files", "files"), ("journal", "journal"))


def part(thread):
    return next((name for name, beginning in PARTS if thread.startswith(beginning)), "ledger and others")


def counts(path):
    """The counts so far, by part and name."""
    table = collections.Counter()
    with open(path, "rb") as file:
        data = file.read()
    size = 16 + 8 * len(NAMES)
    for place in range(0, len(data), size):
        thread = data[place:place + 16].split(b"\0")[0].decode(errors="replace")
        if thread:
            for name, number in zip(NAMES, struct.unpack_from(f"{len(NAMES)}Q", data, place + 16)):
                table[part(thread), name] += number
    return table


def counted(options, far, path):
    """Counts a job by part and name, and the system calls a job where perf can count them."""
    far.prepare(options.files, 4096)
    time.sleep(3)  # a key that was written just now is read for each request
    perf = None
    if shutil.which("perf"):
        perf = subprocess.Popen(["perf", "stat", "-x", ",", "-e", "raw_syscalls:sys_enter", "-p", str(far.daemon.pid)],
                                stderr=subprocess.PIPE, text=True)
        time.sleep(1)
    before = counts(path)
    far.run(options.files)
    spent = counts(path)
    spent.subtract(before)
    calls = None
    if perf:
        perf.send_signal(signal.SIGINT)
        line = next((line for line in perf.communicate(timeout=30)[1].splitlines() if "sys_enter" in line), "")
        if line.split(",")[0].isdigit():
            calls = int(line.split(",")[0]) / options.files
    return {key: number / options.files for key, number in spent.items()}, calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--result")
    options = parser.parse_args()
    figures = {}
    isOver = told(options, figures)
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)
    sys.exit(isOver)


def told(options, figures):
    """Counts, adds to the figures, and tells whether one is over its budget."""
    with rig(options.build, starts=False) as far:
        path = f"{far.folder}/counts"
        far.start(preloaded=("call-counter", {"CALL_COUNTER": path}))
        table, calls = counted(options, far, path)
    parts = [name for name, _ in PARTS] + ["ledger and others"]
    print(f"{options.files:,} files of 4 KiB, counts a job:")
    print(f"{'':16}" + "".join(f"{name:>20}" for name in [*parts, "together", "budget"]))
    isOver = False
    for name in NAMES:
        row = [table.get((part, name), 0) for part in parts]
        figures[name] = sum(row)
        budget = BUDGET.get(name)
        isOver |= budget is not None and sum(row) > budget * 1.1
        print(f"{name:16}" + "".join(f"{value:20.2f}" for value in [*row, sum(row)]) + (f"{budget:20}" if budget else ""))
    if calls is not None:
        figures["system calls"] = calls
        budget = BUDGET.get("system calls")
        isOver |= budget is not None and calls > budget * 1.1
        print(f"{'system calls':16}" + " " * 100 + f"{calls:20.2f}" + (f"{budget:20}" if budget else ""))
    return isOver


main()
