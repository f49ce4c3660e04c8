#!/usr/bin/env python3
"""Drops files into a spool as programs do, and says what it dropped: {"PATH/NAME": "SHA-256", ...}.

dropper.py burst DIR COUNT     makes so many files in place, as fast as it can
dropper.py nest DIR DEPTH [N]  makes directories in one another, and in each Nth of them a file in place and one by a rename
dropper.py trees DIR N DEPTH   the same for so many trees beside one another, all at once
dropper.py noise DIR COUNT     opens and closes a hidden file so often
dropper.py write FILE          appends each line of standard input to a file that it keeps open
"""
import hashlib
import json
import os
import sys


def put(path, data, shown, manifest):
    with open(path, "wb") as out:
        out.write(data)
    manifest[shown] = hashlib.sha256(data).hexdigest()


def burst(folder, count):
    manifest = {}
    for index in range(int(count)):
        put(f"{folder}/f{index}", b"file %d\n" % index, f"f{index}", manifest)
    return manifest


def nest(folder, depth, every=1):
    manifest = {}
    path = ""
    for index in range(int(depth)):
        path = f"{path}d/"
        os.mkdir(f"{folder}/{path}")
        if (index + 1) % int(every):
            continue
        put(f"{folder}/{path}in-place", b"in place %d\n" % index, f"{path}in-place", manifest)
        put(f"{folder}/{path}.hidden", b"renamed %d\n" % index, f"{path}renamed", manifest)
        os.rename(f"{folder}/{path}.hidden", f"{folder}/{path}renamed")
    return manifest


def trees(folder, count, depth):
    manifest = {}
    paths = [f"t{index}/" for index in range(int(count))]
    for level in range(int(depth)):
        for index, path in enumerate(paths):
            os.mkdir(f"{folder}/{path}")
            put(f"{folder}/{path}in-place", b"in place %d %d\n" % (index, level), f"{path}in-place", manifest)
            put(f"{folder}/{path}.hidden", b"renamed %d %d\n" % (index, level), f"{path}renamed", manifest)
            os.rename(f"{folder}/{path}.hidden", f"{folder}/{path}renamed")
            paths[index] = f"{path}d/"
    return manifest


def noise(folder, count):
    put(f"{folder}/.noise", b"", ".noise", {})
    for _ in range(int(count)):
        os.close(os.open(f"{folder}/.noise", os.O_RDONLY))
    os.remove(f"{folder}/.noise")
    return {}


def write(path):
    whole = b""
    with open(path, "ab", buffering=0) as out:
        for line in sys.stdin.buffer:
            out.write(line)
            whole += line
    return {os.path.basename(path): hashlib.sha256(whole).hexdigest()}


# Like programs that share what they make with a group.
os.umask(0o007)
print(json.dumps({"burst": burst, "nest": nest, "trees": trees, "noise": noise, "write": write}[sys.argv[1]](*sys.argv[2:])))
