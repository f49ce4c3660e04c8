#!/usr/bin/env python3
"""About what the whole job of a file costs at the least: in C, on the same libraries, without all that makes it a service
(floor.c). Of 4 KiB, and of 1 MiB with SHA-256 and with a CRC, whose bound has no checksum at all.

In turns with Waybill and other clients, so that ratios hold on a machine whose pace changes. Medians.

  Benchmarks/floor.py BUILD [--rounds 5] [--result FILE]
"""
import argparse, contextlib, json, os, shutil, statistics, subprocess, tempfile

import clients
import measure
from rig import Sink, compiled, rig, write_files


@contextlib.contextmanager
def far_side():
    """A folder, and a sink of its own."""
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    sink = Sink(folder)
    try:
        yield folder, sink
    finally:
        sink.process.terminate()
        sink.process.wait(30)
        shutil.rmtree(folder)


class Workload:
    """So many files of a size. What runs them gives the seconds that passed, and those of CPU."""

    def __init__(self, name, files, size, storage, sums, peers):
        self.name, self.files, self.size, self.storage, self.sums, self.peers = name, files, size, storage, sums, peers
        self.is_small = size < 1 << 20

    def cost(self, seconds):
        """Microseconds a file of the small ones, seconds a GiB of the others."""
        return seconds * 1e6 / self.files if self.is_small else seconds * (1 << 30) / (self.files * self.size)

    def floor(self):
        program = compiled("floor", "-lcurl", "-lsqlite3", "-lcrypto")
        with far_side() as (folder, sink):
            for name in ("spool", "claimed"):
                os.mkdir(f"{folder}/{name}")
            write_files(f"{folder}/spool", self.files, self.size)
            words = [program, sink.endpoint, folder, str(self.files), self.sums]
            told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
            return told["wall"], told["cpu"]

    def waybill(self, build):
        with rig(build, storage=self.storage) as far:
            far.prepare(self.files, self.size)
            return far.run(self.files)

    def other(self, client):
        with far_side() as (folder, sink):
            os.mkdir(f"{folder}/files")
            write_files(f"{folder}/files", self.files, self.size)
            return measure.run(*client.command(f"{folder}/files", sink, folder))[:2]


WORKLOADS = [
    Workload("4 KiB", 10_000, 4096, 'checksum = "sha256"', "sha256", ("s5cmd", "obstore", "pair")),
    Workload("1 MiB", 1000, 1 << 20, 'checksum = "sha256"', "sha256", ("s5cmd", "obstore")),
    Workload("1 MiB, CRC", 1000, 1 << 20, 'checksum = "crc64nvme"', "none",
             ("obstore unsigned", "curl -Z")),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--result")
    options = parser.parse_args()
    told = {}
    for work in WORKLOADS:
        runs = {"the floor in C": work.floor, "waybill": lambda: work.waybill(options.build)}
        peers = [client for client in clients.installed(work.size) if client.name in work.peers]
        runs |= {client.name: lambda client=client: work.other(client) for client in peers}
        found = {name: [] for name in runs}
        for _ in range(options.rounds):
            for name, run in runs.items():
                try:
                    found[name].append(run())
                except RuntimeError as error:
                    print(f"{name}: {error}")
        told[work.name] = figures = {
            name: dict(cpu=work.cost(statistics.median(cpu for _, cpu in values)),
                       rate=work.files / statistics.median(wall for wall, _ in values))
            for name, values in found.items() if values}
        print(f"\n{work.files:,} files of {work.name}: CPU, {'us a file' if work.is_small else 's a GiB'}; files a second")
        for name, value in figures.items():
            ratios = ", ".join(f"{value['cpu'] / figures[peer]['cpu']:.2f} of {peer}" for peer in work.peers if peer in figures)
            print(f"{name:18} {value['cpu']:8.{0 if work.is_small else 2}f} {value['rate']:8,.0f}   {ratios}", flush=True)
    if options.result:
        with open(options.result, "w") as file:
            json.dump(told, file, indent=1)


main()
