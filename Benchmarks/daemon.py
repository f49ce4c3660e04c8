#!/usr/bin/env python3
"""What the daemon costs at rest, and what a small job costs it.

Starts the server and waybilld from a build folder, measures the daemon at rest, drops files by rename and reads the daemon's
CPU time (user and system, from /proc) until all are registered and removed.

  Benchmarks/daemon.py BUILD [--files 10000] [--size 4096] [--rest 60] [--result FILE]
"""
import argparse, json, sys, time

import measure
from rig import rig

# libdispatch, which runs the tasks of Swift, has a thread that wakes once a second.
BUDGET = {"cpu per job, us": 220, "peak resident, MiB": 44, "peak anonymous, MiB": 20, "resident at rest, MiB": 26,
          "anonymous at rest, MiB": 6, "cpu at rest, ms a minute": 40, "wake-ups at rest a minute": 62}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rest", type=float, default=60)
    parser.add_argument("--result")
    options = parser.parse_args()
    with rig(options.build) as far:
        figures = measured(options, far)
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)
    for name, value in figures.items():
        print(f"{name:28} {value:10.1f}   budget {BUDGET[name]:6}   {'ok' if value <= BUDGET[name] else 'OVER'}")
    sys.exit(any(value > BUDGET[name] for name, value in figures.items()))


def measured(options, far):
    pid, minutes = far.daemon.pid, options.rest / 60
    time.sleep(3)
    before, wakes = measure.cpu(pid), measure.switches(pid)
    time.sleep(options.rest)
    figures = {"cpu at rest, ms a minute": (measure.cpu(pid) - before) * 1000 / minutes,
               "wake-ups at rest a minute": measure.woken(wakes, measure.switches(pid)) / minutes,
               "resident at rest, MiB": measure.resident(pid), "anonymous at rest, MiB": measure.anonymous(pid)}

    far.prepare(options.files, options.size)
    with measure.Peak(pid) as peak:
        sleeps = measure.switches(pid)
        wall, seconds = far.run(options.files)
        figures["cpu per job, us"] = seconds * 1e6 / options.files
    sleeps = measure.woken(sleeps, measure.switches(pid)) / options.files
    figures |= {"peak resident, MiB": peak.resident, "peak anonymous, MiB": peak.anonymous}
    print(f"{options.files} files of {options.size} bytes: {options.files / wall:,.0f} jobs/s, "
          f"{sleeps:.1f} wake-ups a job")
    return figures


main()
