#!/usr/bin/env python3
"""Draws what `make bench` has measured, for docs/performance.md: chart.py RESULTS OUT.svg"""
import json, sys

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "waybill", "font.size": 9})
import matplotlib.pyplot as plot

results, out = sys.argv[1:]
ledger = json.load(open(f"{results}/ledger.json"))["curve"]
compare = json.load(open(f"{results}/compare.json"))

figure, (left, right) = plot.subplots(1, 2, figsize=(10, 3.6))
left.plot([jobs for jobs, _ in ledger], [cost for _, cost in ledger], marker="o", color="#2a6f97")
left.set_xscale("log")
left.set_ylim(bottom=0)
left.set_xlabel("jobs in the ledger")
left.set_ylabel("CPU a job, µs")
left.set_title("A job costs the same however full the ledger is")
left.grid(alpha=0.3)

names = [name for name in compare["small"] if name == "waybill" or not name.startswith("waybill ")]
costs = [compare["small"][name]["cpu"] * 1e6 / 10_000 for name in names]
right.barh(names[::-1], costs[::-1], color=["#2a6f97" if name == "waybill" else "#bbbbbb" for name in names[::-1]])
right.set_xlabel("CPU a file of 4 KiB, µs (Waybill: both steps, durable)")
right.set_title("10,000 files of 4 KiB, 32 at once")
figure.tight_layout()
figure.savefig(out, metadata={"Date": None})
