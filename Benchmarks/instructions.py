#!/usr/bin/env python3
"""The instructions that a small job takes outside the kernel, by library, beside those of the floor: counted by callgrind, so that they are
nearly the same on every machine. Half of Waybill's are Swift's.

What is counted is the difference between two runs, divided by the difference of their files; so starts and ends cost nothing. Under
callgrind one thread runs at a time, and OpenSSL hashes without the processor's own instructions for that.

  Benchmarks/instructions.py BUILD [--files 1000] [--functions 0] [--result FILE]
"""
import argparse, collections, json, os, re, shutil, subprocess, tempfile

import rig


def counted(words, folder):
    """How the words begin with callgrind, and the file that it writes."""
    return ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={folder}/counts", *words], f"{folder}/counts"


def of_waybill(build, files):
    with rig.rig(build, starts=False) as far:
        # valgrind cannot read what Swift tells debuggers
        far.build = far.folder
        subprocess.run(["objcopy", "--strip-debug", f"{build}/waybilld", f"{far.folder}/waybilld"], check=True)
        words, counts = counted([], far.folder)
        far.start(words)
        far.prepare(files, 4096)
        far.run(files)
        far.stop()
        return functions(counts)


def of_floor(files):
    program = rig.compiled("floor", "-lcurl", "-lsqlite3", "-lcrypto")
    folder = tempfile.mkdtemp(prefix="waybill-bench-")
    sink = rig.Sink(folder)
    try:
        for name in ("spool", "claimed"):
            os.mkdir(f"{folder}/{name}")
        rig.write_files(f"{folder}/spool", files, 4096)
        words, counts = counted([program, sink.endpoint, folder, str(files), "sha256"], folder)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return functions(counts)
    finally:
        sink.process.terminate()
        sink.process.wait(30)
        shutil.rmtree(folder)


def functions(counts):
    """Instructions by (library, function)."""
    told = subprocess.run(["callgrind_annotate", "--threshold=100", counts], check=True, capture_output=True, text=True).stdout
    table = collections.Counter()
    for number, function, library in re.findall(r"^\s*([\d,]+) \(\s*[\d.]+%\)\s+[^:]*:(.*) \[(?:.*/)?([^/]*)\]\s*$", told, re.M):
        table[library.split(".so")[0], function] += int(number.replace(",", ""))
    return table


def a_job(count, files):
    """Thousand instructions a job, by (library, function)."""
    few = files // 5
    many, before = count(files + few), count(few)
    return {key: (number - before[key]) / files / 1000 for key, number in many.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--functions", type=int, default=0, help="also tell so many of Waybill's functions")
    parser.add_argument("--result")
    options = parser.parse_args()
    tables = {"waybill": a_job(lambda files: of_waybill(options.build, files), options.files),
              "the floor in C": a_job(of_floor, options.files)}
    sums = {}
    for name, table in tables.items():
        sums[name] = collections.Counter()
        for (library, _), number in table.items():
            sums[name][library] += number
    print("thousand instructions a job".ljust(30) + "".join(f"{name:>16}" for name in tables))
    for library in [name for name, number in sums["waybill"].most_common() if number >= 1] + ["floor"]:
        print(library.ljust(30) + "".join(f"{table[library]:16.0f}" for table in sums.values()))
    print("together".ljust(30) + "".join(f"{sum(table.values()):16.0f}" for table in sums.values()))
    first = sorted(tables["waybill"].items(), key=lambda item: -item[1])[:options.functions]
    for (library, function), number in first:
        print(f"{number:8.1f}  {library:12} {function}")
    if options.result:
        with open(options.result, "w") as file:
            json.dump(sums, file, indent=1)


main()
