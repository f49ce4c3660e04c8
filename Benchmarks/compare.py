#!/usr/bin/env python3
"""What files cost Waybill, and what they cost other clients, on the same files against the same sink, in turns.

Waybill uploads, registers, removes the file and keeps three durable facts of each; the others only upload. Medians of all
rounds: files a second, CPU of the client (user and system), its peak memory, requests a file; and what part of the processors
the host took for others meanwhile, by which a virtual machine's figures go up and down.

  Benchmarks/compare.py BUILD [--rounds 3] [--only WORKLOAD …] [--result FILE]
"""
import argparse, json, os, re, shutil, statistics, subprocess, sys, tempfile, time

import clients
import measure
from rig import Sink, rig, write_files

MIB, GIB = 1 << 20, 1 << 30


class Settings:
    """Waybill with these lines of the configuration: for the storage, the daemon, and the spool."""

    def __init__(self, name="waybill", storage="", daemon="", spool=""):
        self.name, self.lines = name, dict(storage=storage, daemon=daemon, more=spool)


class Workload:
    def __init__(self, name, files, size, latency=0, tls=False, settings=(Settings(),)):
        self.name, self.files, self.size, self.latency, self.tls, self.settings = name, files, size, latency, tls, settings

    @property
    def is_small(self):
        return self.size < MIB


SUMS = tuple((name, f'checksum = "{name}"') for name in ("sha256", "crc64nvme", "crc32c"))
MEDIUM = tuple(Settings(f"waybill {name}", text) for name, text in SUMS)
LARGE = tuple(Settings(f"waybill {name}", f'{text}\npart_size = "64MiB"') for name, text in SUMS)
# The limit that is found, beside fixed ones: the best of these is what it is measured by.
LIMITS = (Settings(),) + tuple(Settings(f"waybill {limit}", daemon=f"concurrency = {limit}") for limit in (128, 256, 512))
SPREAD = Settings("waybill spread", spool='key = "{{spread}}/{{spool}}/{{yyyy}}/{{mm}}/{{dd}}/{{id}}/{{name}}"')
WORKLOADS = [
    Workload("small", 10_000, 4096, settings=(Settings(), SPREAD, Settings("waybill 256", daemon="concurrency = 256"))),
    Workload("small, 20 ms", 10_000, 4096, latency=20, settings=LIMITS),
    Workload("small, 50 ms", 10_000, 4096, latency=50, settings=LIMITS),
    Workload("small, TLS", 10_000, 4096, tls=True),
    # The workloads of these names that AWS publishes (https://github.com/awslabs/aws-crt-s3-benchmarks).
    Workload("upload-64KiB-1_000x", 1000, 64 << 10),
    Workload("upload-256KiB-10_000x", 10_000, 256 << 10),
    Workload("medium", 1000, MIB, settings=MEDIUM),
    Workload("large", 1, 4 * GIB, settings=LARGE),
    Workload("large, TLS", 1, 4 * GIB, tls=True, settings=LARGE),
]


def waybill(build, workload, lines):
    """One round of Waybill: a daemon that is at rest, and the files by rename."""
    with rig(build, tls=workload.tls, **lines) as far:
        far.prepare(workload.files, workload.size)
        far.sink.call(f"/_latency/{workload.latency}")
        pid = far.daemon.pid
        time.sleep(1)
        far.sink.count()
        with measure.Peak(pid) as peak, measure.Steal() as steal:
            wall, seconds = far.run(workload.files)
        counted = far.sink.count()
        return dict(wall=wall, cpu=seconds, resident=peak.resident, anonymous=peak.anonymous, steal=steal.part, **counted)


def syncs(build, workload):
    """fsync(2) and fdatasync(2) a file, in a round of its own: strace costs time."""
    with rig(build, starts=False) as far:
        far.start(["strace", "-f", "-qq", "-c", "-e", "trace=fsync,fdatasync", "-o", f"{far.folder}/syncs"])
        far.prepare(workload.files, workload.size)
        tracer = far.daemon
        far.drop(workload.files)
        far.await_registered(workload.files)
        with open(f"/proc/{tracer.pid}/task/{tracer.pid}/children") as file:
            os.kill(int(file.read().split()[0]), 15)
        tracer.wait(60)
        far.daemon = None
        with open(f"{far.folder}/syncs") as file:
            lines = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+).*\b(?:fsync|fdatasync)$", file.read(), re.M)
        return sum(map(int, lines)) / workload.files


def other(client, workload, files, scratch):
    sink = Sink(scratch, workload.tls)
    try:
        sink.call(f"/_latency/{workload.latency}")
        sink.count()
        with measure.Steal() as steal:
            wall, seconds, resident = measure.run(*client.command(files, sink, scratch))
        return dict(wall=wall, cpu=seconds, resident=resident, steal=steal.part, **sink.count())
    finally:
        sink.process.terminate()
        sink.process.wait(30)


def rounds(build, workload, count):
    """The figures of each participant, round by round, in turns."""
    scratch = tempfile.mkdtemp(prefix="waybill-bench-")
    files = f"{scratch}/files"
    os.mkdir(files)
    results = {}
    try:
        write_files(files, workload.files, workload.size)
        for _ in range(count):
            for settings in workload.settings:
                results.setdefault(settings.name, []).append(waybill(build, workload, settings.lines))
            for client in clients.installed(workload.size):
                try:
                    results.setdefault(client.name, []).append(other(client, workload, files, scratch))
                except RuntimeError as error:
                    print(f"{client.name}: {error}", file=sys.stderr)
    finally:
        shutil.rmtree(scratch)
    return {name: {key: statistics.median(run[key] for run in runs if key in run) for key in runs[0]}
            for name, runs in results.items() if runs}


def tell(workload, results):
    amount = workload.files * workload.size
    print(f"\n{workload.name}: {workload.files:,} x {workload.size:,} bytes")
    unit, rate = ("us/file", "files/s") if workload.is_small else ("s/GiB", "MiB/s")
    print(f"{'':20} {rate:>9} {'CPU ' + unit:>12} {'peak MiB':>9} {'anon MiB':>9} {'requests':>9} {'conns':>6} {'steal':>6}")
    for name, figures in results.items():
        cost = figures["cpu"] * 1e6 / workload.files if workload.is_small else figures["cpu"] * GIB / amount
        speed = workload.files / figures["wall"] if workload.is_small else amount / MIB / figures["wall"]
        anonymous = f"{figures['anonymous']:9.1f}" if "anonymous" in figures else f"{'':9}"
        print(f"{name:20} {speed:9,.0f} {cost:12.2f} {figures['resident']:9.1f} {anonymous} "
              f"{figures['requests'] / workload.files:9.2f} {figures['connections']:6.0f} {figures['steal']:6.0%}")
    own = min((figures["cpu"] for name, figures in results.items() if name.startswith("waybill")))
    ratios = [f"{own / figures['cpu']:.2f} of {name}" for name, figures in results.items() if not name.startswith("waybill")]
    print(f"waybill's CPU is {', '.join(ratios)}" if ratios else "no other client is installed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--result")
    options = parser.parse_args()
    told = {}
    for workload in WORKLOADS:
        if options.only and workload.name not in options.only:
            continue
        results = rounds(options.build, workload, options.rounds)
        tell(workload, results)
        if workload.name == "small" and shutil.which("strace"):
            results["waybill"]["syncs"] = syncs(options.build, workload)
            print(f"waybill syncs {results['waybill']['syncs']:.3f} times a file")
        told[workload.name] = results
    if options.result:
        with open(options.result, "w") as file:
            json.dump(told, file, indent=1)


main()
