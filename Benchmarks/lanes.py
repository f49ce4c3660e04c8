#!/usr/bin/env python3
"""How long a small file takes from its rename into the spool until it is registered: alone, beside four large uploads that go on
all the while, and beside a second destination whose server takes two seconds over each answer, with a backlog there.

The end is the ledger's own time of the registration: the server of the small files answers at once.

  Benchmarks/lanes.py BUILD [--files 300] [--size 1073741824] [--backlog 2000] [--result FILE]
"""
import argparse, contextlib, json, os, tempfile, threading, time

import measure
from rig import Sink, rig, until, write_files

LARGE = 4
SLOW = """
[storage.slow]
endpoint = "SLOW"
region = "us-east-1"
bucket = "documents"
access_key = {{ file = "{folder}/access" }}
secret_key = {{ file = "{folder}/secret" }}
[backend.slow]
url = "SLOW/register"
[[spool]]
name = "slow"
path = "{folder}/slow"
storage = "slow"
backend = "slow"
"""


def ends(far):
    """When each small file was registered, by name."""
    answer = far.call("--unix-socket", far.socket, "http://localhost/v1/jobs?state=registered&spool=documents&limit=1000")
    return {job["name"]: measure.instant(job["finished_at"]) for job in json.loads(answer)["jobs"] if job["name"].startswith("small-")}


def times(far, files):
    """Seconds from rename to registered, for each."""
    begins = {}
    for number in range(files):
        name = f"small-{number}"
        with open(f"{far.folder}/drop/{name}", "wb") as file:
            file.write(b"small" * 800)
        begins[name] = time.time()
        os.rename(f"{far.folder}/drop/{name}", f"{far.folder}/spool/{name}")
        time.sleep(0.02)
    until("all small files are registered", lambda: len(ends(far)) == files, 600, 0.5)
    found = ends(far)
    return sorted(found[name] - begins[name] for name in begins)


def transfers(far):
    return len(far.status()["transfers"])


def keep_uploading(far, size, over):
    """Drops large files, so that four are uploaded at any time. They have no blocks on the disk."""
    number = 0
    while not over.is_set():
        for _ in range(LARGE - transfers(far)):
            with open(f"{far.folder}/drop/large", "wb") as file:
                file.truncate(size)
            os.rename(f"{far.folder}/drop/large", f"{far.folder}/spool/large-{number}")
            number += 1
        over.wait(0.2)


def alone(options):
    with rig(options.build) as far:
        return times(far, options.files), {}


def beside_large(options):
    with rig(options.build) as far:
        over = threading.Event()
        uploader = threading.Thread(target=keep_uploading, args=(far, options.size, over))
        uploader.start()
        try:
            until("large uploads are under way", lambda: transfers(far) >= LARGE // 2, 60)
            found = times(far, options.files)
            return found, {"large uploads at the end": transfers(far)}
        finally:
            over.set()
            uploader.join()


def beside_slow(options):
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="waybill-bench-"))
        slow = Sink(folder)
        stack.callback(slow.process.wait, 30)
        stack.callback(slow.process.terminate)
        slow.call("/_latency/2000")
        far = stack.enter_context(rig(options.build, more=SLOW.replace("SLOW", slow.endpoint), starts=False))
        os.mkdir(f"{far.folder}/slow")
        far.start()
        os.mkdir(f"{far.folder}/backlog")
        write_files(f"{far.folder}/backlog", options.backlog, 4096)
        for number in range(options.backlog):
            os.rename(f"{far.folder}/backlog/{number}", f"{far.folder}/slow/{number}")
        until("the backlog is admitted", lambda: far.status()["counts"]["queued"] > options.backlog // 2)
        found = times(far, options.files)
        counts = far.status()["counts"]
        return found, {"backlog at the end": counts["queued"] + counts["active"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--size", type=int, default=1 << 30)
    parser.add_argument("--backlog", type=int, default=2000)
    parser.add_argument("--result")
    options = parser.parse_args()
    figures = {}
    for name, load in (("alone", alone), ("beside large uploads", beside_large), ("beside a slow destination", beside_slow)):
        found, more = load(options)
        p50, p99 = found[len(found) // 2], found[len(found) * 99 // 100]
        figures[name] = {"p50": p50, "p99": p99} | more
        rest = "".join(f"; {words}: {count}" for words, count in more.items())
        print(f"small files {name}: p50 {p50 * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms{rest}", flush=True)
    with tempfile.TemporaryDirectory(prefix="waybill-bench-") as folder:
        figures["fdatasync"] = measure.fdatasync_time(folder)
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)


main()
