#!/usr/bin/env python3
"""What a job costs as the ledger grows, and what a start costs when it is full.

Files go through batch after batch; at each step of the ledger's size a batch's CPU a job is told. On the way, at 100,000 jobs,
the daemon is started anew, after a stop and after a kill.

  Benchmarks/ledger.py BUILD [--jobs 1000000] [--batch 5000] [--result FILE]
"""
import argparse, json, os

import measure
from rig import rig

STEPS = [100, 1000, 10_000, 30_000, 100_000, 300_000, 1_000_000]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--batch", type=int, default=5000)
    parser.add_argument("--result")
    options = parser.parse_args()
    curve, start = [], None
    with rig(options.build, daemon='history = "100d"') as far:
        done = 0
        for step in (step for step in STEPS if step <= options.jobs):
            while done < step:
                files = min(step - done, 20_000)
                far.cost(files, done)
                done += files
            if step == 100_000:
                far.stop()
                start = far.start()
                far.daemon.kill()
                far.daemon.wait()
                killed = far.start()
                memory = measure.resident(far.daemon.pid), measure.anonymous(far.daemon.pid)
                print(f"start with {done:,} jobs in the ledger: {start * 1e3:.0f} ms, after a kill {killed * 1e3:.0f} ms; {memory[0]:.1f} MiB resident, "
                      f"{memory[1]:.1f} MiB anonymous")
            cost = sorted(far.cost(options.batch, done + options.batch * round) for round in range(3))[1]
            done += 3 * options.batch
            curve.append((step, cost))
            print(f"{step:>9,} jobs in the ledger: {cost:.0f} us of CPU a job", flush=True)
        size = os.path.getsize(f"{far.folder}/state/ledger.sqlite")
        print(f"the ledger takes {size / done:.0f} bytes a job")
    if options.result:
        with open(options.result, "w") as file:
            json.dump({"curve": curve, "start": start, "bytes": size / done}, file, indent=1)


main()
