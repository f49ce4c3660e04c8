#!/usr/bin/env python3
"""Where the CPU of a small job goes: shares by thread, and by who the code is of, sampled by perf.

Waybill's own code can make the shares of the kernel, libcurl, SQLite and libc smaller only by asking less of them.

  Benchmarks/profile.py BUILD [--files 20000] [--result FILE]
"""
import argparse, collections, json, os, re, shutil, signal, subprocess, sys, time

from rig import rig

OWNERS = (("kernel", r"\[kernel|\[vdso"), ("libcurl", "libcurl"), ("SQLite", "libsqlite"), ("libc", r"^libc\b|^libm\b|^ld-"),
          ("waybilld: Swift's runtime and libraries, and its own code", "waybilld"))
THREADS = (("transfer", "^transfer"), ("ledger", "^ledger"), ("spool", "^spool"), ("files", "^files"))


def named(table, text):
    return next((name for name, pattern in table if re.search(pattern, text)), "others")


def sampled(options, folder, far):
    """Shares of (thread, owner), and microseconds of CPU a job."""
    pid, data = far.daemon.pid, f"{folder}/perf.data"
    perf = subprocess.Popen(["perf", "record", "-q", "-F", "2000", "-o", data, "-p", str(pid)], stderr=subprocess.DEVNULL)
    time.sleep(1)
    cost = far.cost(options.files)
    perf.send_signal(signal.SIGINT)
    perf.wait(60)
    report = subprocess.run(["perf", "report", "-i", data, "--stdio", "--sort", "comm,dso", "-t", "|"], check=True,
                            capture_output=True, text=True).stdout
    shares = collections.Counter()
    for line in report.splitlines():
        if line.startswith("#") or line.count("|") < 2:
            continue
        share, thread, owner = (word.strip() for word in line.split("|")[:3])
        shares[named(THREADS, thread), named(OWNERS, owner)] += float(share.rstrip("%")) / 100
    return shares, cost


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--result")
    options = parser.parse_args()
    if not shutil.which("perf"):
        sys.exit("perf is not installed (Debian: linux-perf)")
    with rig(options.build) as far:
        shares, cost = sampled(options, far.folder, far)
    threads = [name for name, _ in THREADS] + ["others"]
    print(f"{options.files:,} files of 4 KiB, {cost:.0f} us of CPU a job (with perf beside it), of which in us:")
    print(f"{'':60}" + "".join(f"{name:>16}" for name in [*threads, "together"]))
    for owner in [name for name, _ in OWNERS] + ["others"]:
        row = [shares[thread, owner] * cost for thread in threads]
        print(f"{owner:60}" + "".join(f"{value:16.0f}" for value in [*row, sum(row)]))
    print(f"{'together':60}" + "".join(
        f"{sum(share for (other, _), share in shares.items() if other == thread) * cost:16.0f}" for thread in threads))
    if options.result:
        with open(options.result, "w") as file:
            json.dump({"cost": cost, "shares": {" / ".join(key): share for key, share in shares.items()}}, file, indent=1)


main()
