#!/usr/bin/env python3
"""How long an operator waits for many open questions: listed, filtered, confirmed in bulk.

Has the backend refuse as many registrations, then measures the operator's command from its start to its end.

  Benchmarks/questions.py BUILD [--jobs 10000]
"""
import argparse, json, subprocess, sys, time

from rig import rig, until

BUDGET = 10  # seconds for all of it


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build")
    parser.add_argument("--jobs", type=int, default=10000)
    options = parser.parse_args()
    with rig(options.build, retry="delays = []") as far:
        sys.exit(measure(options.jobs, far))


def measure(jobs, far):
    def waybill(*words):
        begin = time.monotonic()
        done = subprocess.run([f"{far.build}/waybill", words[0], "--socket", far.socket, *words[1:]],
                              capture_output=True, text=True)
        took = time.monotonic() - begin
        if done.returncode != 0:
            sys.exit(f"waybill {' '.join(words)}: {done.stderr}")
        return done.stdout, took

    far.far_side("refuse")
    far.prepare(jobs, 64)
    far.drop(jobs)
    until("the questions", lambda: far.status()["counts"]["awaiting-confirmation"] == jobs, 300)
    far.far_side("accept")

    listed, list_time = waybill("list", "--state", "awaiting-confirmation", "--json")
    assert len(json.loads(listed)["jobs"]) == jobs
    named, name_time = waybill("list", "--state", "awaiting-confirmation", "--name", "*7", "--json")
    assert len(json.loads(named)["jobs"]) == jobs // 10
    failed, error_time = waybill("list", "--state", "awaiting-confirmation", "--error", "invoice number is taken", "--json")
    assert len(json.loads(failed)["jobs"]) == jobs
    _, table_time = waybill("list", "--state", "awaiting-confirmation")
    begin = time.monotonic()
    _, confirm_time = waybill("confirm", "--all", "--yes")
    until("all are registered", lambda: far.status()["counts"]["registered"] == jobs, 300)
    registered = time.monotonic() - begin

    figures = {"list, all pages": list_time, "list by name": name_time, "list by error": error_time,
               "list as a table": table_time, "confirm --all": confirm_time}
    print(f"{jobs} open questions; all registered {registered:.2f} s after confirm --all began")
    for name, value in figures.items():
        print(f"{name:28} {value:8.2f} s")
    total = sum(figures.values())
    verdict = "ok" if total <= BUDGET else "OVER"
    print(f"{'together':28} {total:8.2f} s  budget {BUDGET:4}   {verdict}")
    return verdict != "ok"


main()
