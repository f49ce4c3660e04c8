#!/usr/bin/env python3
"""How long one file takes from its rename into the spool until the backend has answered, at rest and under load.

The end is the ledger's own time of the registration: the server answers at once. Under load another hundred files a second
drop in at the same time. Beside it stands what an fdatasync takes on this disk: a job waits for three of them.

Files do not rest after their rename (`settle_renamed`), unless --spool says otherwise.

  Benchmarks/latency.py BUILD [--files 500] [--spool LINES] [--result FILE]
"""
import argparse, json, os, subprocess, threading, time

import measure
from rig import rig, until


def events(far):
    """The stream of events, one JSON document a line, from now on."""
    return subprocess.Popen(["curl", "-q", "-s", "-N", "--unix-socket", far.socket, "http://localhost/v1/events"],
                            stdout=subprocess.PIPE, text=True)


def drop_one(far, number):
    """Drops a file; when that was, in seconds since 1970."""
    path = f"{far.folder}/drop/probe"
    with open(path, "wb") as file:
        file.write(b"probe" * 800)
    begin = time.time()
    os.rename(path, f"{far.folder}/spool/probe-{number}")
    return begin


def times(far, files):
    """Seconds from rename to registered, for each."""
    begins, ends = {}, {}
    with events(far) as stream:
        def follow():
            for line in stream.stdout:
                if not line.startswith("data:"):
                    continue
                event = json.loads(line[5:])
                name = (event.get("job") or {}).get("name", "")
                if event.get("event") == "registered" and name.startswith("probe-"):
                    ends[int(name[6:])] = event["at"]
                    if len(ends) == files:
                        return
        follower = threading.Thread(target=follow)
        follower.start()
        time.sleep(0.3)
        for number in range(files):
            begins[number] = drop_one(far, number)
            time.sleep(0.02)
        until("all are registered", lambda: len(ends) == files, 60, 0.02)
        stream.terminate()
    return sorted(measure.instant(ends[number]) - begins[number] for number in range(files))


def load(far, over):
    number = 0
    content = os.urandom(4096)
    while not over.wait(0.01):
        path = f"{far.folder}/drop/load"
        with open(path, "wb") as file:
            file.write(content)
        os.rename(path, f"{far.folder}/spool/load-{number}")
        number += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--spool", default='settle_renamed = "0"', help="lines of the spool; none for builds before this setting")
    parser.add_argument("--result")
    options = parser.parse_args()
    figures = {}
    for name, is_loaded in (("at rest", False), ("under load", True)):
        with rig(options.build, more=options.spool) as far:
            over = threading.Event()
            loader = threading.Thread(target=load, args=(far, over))
            if is_loaded:
                loader.start()
            sync = measure.fdatasync_time(far.folder)
            found = times(far, options.files)
            over.set()
            if is_loaded:
                loader.join()
        p50, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
        figures[name] = {"p50": p50, "p99": p99, "fdatasync": sync}
        print(f"rename to registered, {name}: p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms; fdatasync {sync * 1e3:.2f} ms")
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)


main()
