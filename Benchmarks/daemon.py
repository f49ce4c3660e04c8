#!/usr/bin/env python3
"""What a small job costs the daemon, and what the daemon costs at rest.

Starts the sink beside this script and waybilld from a build folder, measures the daemon at rest, drops files by rename and reads the
daemon's CPU time (user and system, from /proc) until all are registered.

  Benchmarks/daemon.py BUILD [--files 5000] [--size 4096] [--rest 10]
"""
import argparse, glob, os, re, sys, time

from rig import rig, until

BUDGET = {"cpu per job, us": 300, "resident at rest, MiB": 48, "anonymous at rest, MiB": 10, "cpu at rest, ms per 10 s": 10}


def cpu(pid):
    """Seconds of CPU so far, threads that have ended included: utime and stime of /proc/PID/stat, in ticks of 10 ms."""
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def switches(pid):
    """How often its threads have gone to sleep and been woken."""
    return sum(
        int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", open(path).read(), re.M).group(1))
        for path in glob.glob(f"/proc/{pid}/task/*/status"))


def memory(pid):
    status = open(f"/proc/{pid}/status").read()
    value = lambda name: int(re.search(rf"^{name}:\s+(\d+)", status, re.M).group(1)) / 1024
    return value("VmRSS"), value("RssAnon")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rest", type=float, default=10)
    options = parser.parse_args()
    with rig(options.build) as far:
        measure(options, far)


def measure(options, far):
    pid = far.daemon.pid
    time.sleep(2)
    before = cpu(pid)
    time.sleep(options.rest)
    at_rest = (cpu(pid) - before) * 1000 / options.rest * 10
    resident, anonymous = memory(pid)

    far.prepare(options.files, options.size)
    before, sleeps, begin = cpu(pid), switches(pid), time.monotonic()
    far.drop(options.files)
    until("all are registered", lambda: far.status()["counts"]["registered"] == options.files)
    wall = time.monotonic() - begin
    until("all are disposed of", lambda: len(os.listdir(f"{far.folder}/spool/.waybill")) <= 1)
    per_job = (cpu(pid) - before) * 1e6 / options.files
    sleeps = (switches(pid) - sleeps) / options.files
    peak, anonymous_after = memory(pid)

    figures = {"cpu per job, us": per_job, "resident at rest, MiB": resident, "anonymous at rest, MiB": anonymous,
               "cpu at rest, ms per 10 s": at_rest}
    print(f"{options.files} files of {options.size} bytes, 32 in flight: {options.files / wall:,.0f} jobs/s, "
          f"{sleeps:.1f} wake-ups a job, {peak:.1f} MiB resident and {anonymous_after:.1f} MiB anonymous afterwards")
    worst = 0
    for name, value in figures.items():
        verdict = "ok" if value <= BUDGET[name] else "OVER"
        worst |= verdict != "ok"
        print(f"{name:28} {value:10.1f}   budget {BUDGET[name]:6}   {verdict}")
    sys.exit(1 if worst else 0)


main()
