#!/usr/bin/env python3
"""What very many waiting files cost: a spool that is full when the daemon starts.

Tells when the first is registered after the start, and the memory and CPU a job while they go through.

  Benchmarks/waiting.py BUILD [--files 1000000] [--size 0] [--until FILES] [--result FILE]
"""
import argparse, json, os, time

import measure
from rig import rig, until, write_files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=1_000_000)
    parser.add_argument("--size", type=int, default=0)
    parser.add_argument("--until", type=int, help="stop once so many are registered; all of them unless told")
    parser.add_argument("--result")
    options = parser.parse_args()
    with rig(options.build, starts=False) as far:
        write_files(f"{far.folder}/spool", options.files, options.size)
        time.sleep(12)  # longer than `settle` of files that nobody was seen writing, so that all are still
        begin = time.monotonic()
        far.start()
        pid = far.daemon.pid
        with measure.Peak(pid) as peak:
            until("the first is registered", lambda: far.registered() > 0, 120, 0.005)
            first = time.monotonic() - begin
            done = options.until or options.files
            until("so many are registered", lambda: far.registered() >= done, 3600, 1)
            wall, seconds, done = time.monotonic() - begin, measure.cpu(pid), far.registered()
        figures = {"first": first, "wall": wall, "cpu": seconds, "resident": peak.resident, "anonymous": peak.anonymous}
    print(f"{options.files:,} waiting files: the first registered {first:.2f} s after the start, {done:,} after {wall:,.0f} s "
          f"({done / wall:,.0f}/s, {seconds * 1e6 / done:.0f} us of CPU each); peak {peak.resident:.1f} MiB "
          f"resident, {peak.anonymous:.1f} MiB anonymous")
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)


main()
