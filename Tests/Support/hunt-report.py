#!/usr/bin/env python3
"""What `make test-hunt` found, from the files that it keeps of each part of a round: SEED-PART.status, .log and .xml.

round FOLDER SEED: what one round came to; exit 1 where something failed or nothing ran.
all FOLDER: each test that failed, how often, with which seeds, and how to run such a round again.
"""
import collections
import glob
import os
import re
import sys
import xml.etree.ElementTree as xml

# "✘ Test name() recorded an issue at File.swift:1:2: words", of which the words are the most useful.
ISSUE = re.compile(r"✘ Test (\S+?)(?:\(.*?\))? recorded an issue.*")


class Part:
    """One run of `swift test`."""

    def __init__(self, status_file):
        stem = status_file.removesuffix(".status")
        self.seed = int(os.path.basename(stem).split("-")[0])
        self.log = stem + ".log"
        with open(status_file, encoding="utf-8") as file:
            status, self.filter = file.read().rstrip("\n").split(" ", 1)
        self.status = int(status)
        self.passed = self.skipped = 0
        self.failed = set()
        # With Swift Testing's own name before the ending.
        for path in glob.glob(stem + "*.xml"):
            self.count(path)
        # A crash leaves no list.
        self.broke = not self.failed and (self.status != 0 or self.passed == 0)

    def count(self, path):
        try:
            cases = list(xml.parse(path).iter("testcase"))
        except xml.ParseError:
            return  # the list of a run that ended in its midst: what it recorded is in its log
        for case in cases:
            name = case.get("classname", "").split(".", 1)[-1] + "/" + case.get("name", "")
            if case.find("failure") is not None:
                self.failed.add(name)
            elif case.find("skipped") is not None:
                self.skipped += 1
            else:
                self.passed += 1

    def words(self, most=400):
        """What was recorded, each once; where nothing was, the end of the log."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        issues = {}
        for number, line in enumerate(lines):
            if ISSUE.search(line):
                issues[line.strip()[:most]] = None
                # What a test says of it stands in the line below.
                if lines[number + 1 : number + 2] and lines[number + 1].lstrip().startswith("↳"):
                    issues["  " + lines[number + 1].strip()[:most]] = None
        return list(issues) or [line[:most] for line in lines[-5:]]


def parts(folder):
    return [Part(path) for path in sorted(glob.glob(os.path.join(folder, "*.status")))]


def tell_round(folder, seed):
    mine = [part for part in parts(folder) if part.seed == seed]
    passed, skipped = (sum(getattr(part, name) for part in mine) for name in ("passed", "skipped"))
    failed = sorted(set().union(*(part.failed for part in mine)))
    print(f"SEED={seed}: {passed} passed, {len(failed)} failed, {skipped} not run")
    for part in mine:
        for line in part.words() if part.failed or part.broke else []:
            print("  " + line)
        if part.broke:
            print(f"  the run itself failed or had no tests ({part.filter}); see {part.log}")
    return 1 if any(part.failed or part.broke for part in mine) else 0


def tell_all(folder):
    rounds, seeds = set(), collections.defaultdict(list)
    for part in parts(folder):
        rounds.add(part.seed)
        for name in sorted(part.failed) + ([f"(all of {part.filter})"] if part.broke else []):
            seeds[name].append(part.seed)
    print(f"{len(rounds)} rounds: " + ("nothing failed" if not seeds else f"{len(seeds)} tests failed"))
    for name, those in sorted(seeds.items(), key=lambda item: (-len(item[1]), item[0])):
        print(f"{len(those)} of {len(rounds)}: {name}, with the seeds {', '.join(map(str, those))}")
        only = name[len("(all of ") : -1] if name.startswith("(") else re.sub("[(].*", "", name)
        print(f"    make test-hunt SEED={those[0]} FILTER='{only}'")


if __name__ == "__main__":
    if sys.argv[1] == "round":
        sys.exit(tell_round(sys.argv[2], int(sys.argv[3])))
    tell_all(sys.argv[2])
