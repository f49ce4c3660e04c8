#!/usr/bin/env python3
"""Whether jobs wait while a month of history leaves the ledger.

Registers very many files, then has the configuration read again with a history of a second, so that all of it is too old at
once, and drops a file every 50 ms all the while: none may take longer than the limit from its drop until it is gone.

  Benchmarks/history.py BUILD [--jobs 300000] [--limit 1.0]
"""
import argparse, os, signal, sys, time

from rig import rig, until


def registered(far):
    status = far.status()
    return status["counts"]["registered"] if status else 0


def probe(far, number):
    """Seconds from the drop of a file until it was registered and removed."""
    begin = time.monotonic()
    with open(f"{far.folder}/drop/probe", "wb") as file:
        file.write(b"probe")
    os.rename(f"{far.folder}/drop/probe", f"{far.folder}/spool/probe-{number}")
    while any("probe" in name for place in ("spool", "spool/.waybill") for name in os.listdir(f"{far.folder}/{place}")):
        time.sleep(0.001)
    return time.monotonic() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=300_000, help="10,000 a day for a month")
    parser.add_argument("--limit", type=float, default=1.0, help="seconds")
    options = parser.parse_args()
    with rig(options.build, daemon='history = "10min"') as far:
        done = 0
        while done < options.jobs:
            batch = min(10_000, options.jobs - done)
            far.prepare(batch, 16)
            for number in range(batch):
                os.rename(f"{far.folder}/drop/{number}", f"{far.folder}/spool/{done + number}")
            done += batch
            until(f"{done} are registered", lambda: registered(far) >= done, 600)
        quiet = sorted(probe(far, number) for number in range(50))
        size = os.path.getsize(f"{far.folder}/state/ledger.sqlite") / 1e6
        config = f"{far.folder}/waybill.toml"
        text = open(config).read()
        with open(config, "w") as file:
            file.write(text.replace('history = "10min"', 'history = "1s"'))
        far.daemon.send_signal(signal.SIGHUP)
        begin, probes = time.monotonic(), []
        # It looks again after a quarter of what history was.
        while not probes or (registered(far) > 1000 and time.monotonic() - begin < 600):
            probes.append(probe(far, 100 + len(probes)))
            time.sleep(0.05)
        took, left = time.monotonic() - begin, registered(far)
    worst = max(probes)
    print(f"{options.jobs} jobs, {size:.0f} MB: all but {left} left in {took:.1f} s; a file took {quiet[25] * 1000:.0f} ms before, "
          f"{sorted(probes)[len(probes) // 2] * 1000:.0f} ms meanwhile, {worst * 1000:.0f} ms at the worst of {len(probes)}")
    sys.exit(0 if worst <= options.limit and left <= 1000 else 1)


main()
