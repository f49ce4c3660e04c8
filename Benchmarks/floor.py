#!/usr/bin/env python3
"""About what the whole job of a small file costs at the least: in C, on the same libraries, without all that makes it a service (floor.c).

In turns with Waybill, s5cmd and obstore, so that ratios hold on a machine whose pace changes. Medians.

  Benchmarks/floor.py BUILD [--files 10000] [--rounds 5] [--result FILE]
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


def floor(files):
    program = compiled("floor", "-lcurl", "-lsqlite3", "-lcrypto")
    with far_side() as (folder, sink):
        for name in ("spool", "claimed"):
            os.mkdir(f"{folder}/{name}")
        write_files(f"{folder}/spool", files, 4096)
        told = subprocess.run([program, sink.endpoint, folder, str(files)], check=True, capture_output=True, text=True).stdout
        return json.loads(told)["cpu"] * 1e6 / files


def waybill(build, files):
    with rig(build) as far:
        return far.cost(files)


def other(client, files):
    with far_side() as (folder, sink):
        os.mkdir(f"{folder}/files")
        write_files(f"{folder}/files", files, 4096)
        return measure.run(*client.command(f"{folder}/files", sink, folder))[1] * 1e6 / files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--result")
    options = parser.parse_args()
    runs = {"the floor in C": lambda: floor(options.files), "waybill": lambda: waybill(options.build, options.files)}
    for client in clients.installed():
        if client.name in ("s5cmd", "obstore"):
            runs[client.name] = lambda client=client: other(client, options.files)
    found = {name: [] for name in runs}
    for _ in range(options.rounds):
        for name, run in runs.items():
            try:
                found[name].append(run())
            except RuntimeError as error:
                print(f"{name}: {error}")
    figures = {name: statistics.median(values) for name, values in found.items() if values}
    for name, value in figures.items():
        ratios = ", ".join(f"{value / figures[peer]:.2f} of {peer}" for peer in ("s5cmd", "obstore") if peer in figures)
        print(f"{name:16} {value:6.0f} us of CPU a file of 4 KiB: {ratios}")
    if options.result:
        with open(options.result, "w") as file:
            json.dump(figures, file, indent=1)


main()
