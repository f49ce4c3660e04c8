#!/usr/bin/env python3
"""Drops files into a spool as programs do, and says what it dropped: {"PATH/NAME": "SHA-256", ...}.

dropper.py burst DIR COUNT     makes so many files in place, as fast as it can
dropper.py nest DIR DEPTH [N]  makes directories in one another, and in each Nth of them a file in place and one by a rename
dropper.py trees DIR N DEPTH   the same for so many trees beside one another, all at once
dropper.py noise DIR COUNT     opens and closes a hidden file so often
dropper.py swap DIR TARGET N   puts a file, a link to TARGET, a FIFO and a directory under one name after the other, N times,
                               and leaves a file; its names are those that it gave to files
dropper.py swap-folder DIR TARGET N   the same with a directory DIR/d, whose files have the names of those in the directory TARGET,
                               and links to TARGET
dropper.py map FILE            makes a file by writing to memory, and prints a dot and reads a line before it goes on
dropper.py truncate FILE SIZE  sets its length, by its path
dropper.py write FILE          appends each line of standard input to a file that it keeps open
"""
import ctypes
import hashlib
import json
import mmap
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


def take_away(path):
    """A claim may take the name, or put a directory back there, between any two steps."""
    for remove in (os.remove, os.rmdir):
        try:
            remove(path)
        except (IsADirectoryError, NotADirectoryError, FileNotFoundError):
            pass


def put_over(own, path):
    """In one step, whatever stands there; a directory that a claim has just put back has to go first."""
    while True:
        try:
            return os.rename(own, path)
        except IsADirectoryError:
            take_away(path)


def swap(folder, target, count):
    """What is renamed over a name is there at once; a directory can only take a free one."""
    manifest = {}
    for index in range(int(count) + 1):
        name = f"swapped{index % 8}"
        own, path = f"{folder}/.own", f"{folder}/{name}"
        put(own, b"swapped %d\n" % index, str(index), manifest)
        put_over(own, path)
        if index == int(count):
            break
        for make in (lambda: os.symlink(target, own), lambda: os.mkfifo(own), lambda: os.symlink("/dev/zero", own)):
            make()
            put_over(own, path)
        take_away(path)
        try:
            os.mkdir(path)
            os.rmdir(path)
        except OSError:
            pass  # claimed and being put back
        os.symlink(f"{folder}/.waybill", own)
        put_over(own, path)
        take_away(path)
    return manifest


def swap_folder(folder, target, count):
    manifest = {}
    path, link, real = f"{folder}/d", f"{folder}/.link", f"{folder}/.real"
    for index in range(int(count) + 1):
        os.makedirs(real, exist_ok=True)
        for name in ("secret.pdf", "other.pdf"):
            put(f"{real}/{name}", b"%s %d\n" % (name.encode(), index), f"{index} {name}", manifest)
        os.symlink(target, link)
        os.rename(real, path)
        if index == int(count):
            os.remove(link)
            break
        # In one step, so that no look and no opening can tell the two apart by a gap.
        if exchange(link, path):
            os.rename(link, real)
            os.remove(path)
        else:
            os.remove(link)  # the directory was empty and is removed
    return manifest


def exchange(one, other):
    """renameat2(2) with RENAME_EXCHANGE; False where one of the names is gone."""
    return LIBC.renameat2(-100, one.encode(), -100, other.encode(), 2) == 0


def write(path):
    whole = b""
    with open(path, "ab", buffering=0) as out:
        for line in sys.stdin.buffer:
            out.write(line)
            whole += line
    return {os.path.basename(path): hashlib.sha256(whole).hexdigest()}


def pause():
    print(".", end="", flush=True)
    sys.stdin.readline()


def map_(path):
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o660)
    os.ftruncate(descriptor, 8)
    memory = mmap.mmap(descriptor, 8)
    os.close(descriptor)
    for index, line in enumerate((b"one\n", b"two\n")):
        pause()
        memory[4 * index : 4 * index + 4] = line
    pause()
    memory.close()


# Like programs that share what they make with a group.
os.umask(0o007)
LIBC = ctypes.CDLL(None)
WAYS = {"burst": burst, "nest": nest, "trees": trees, "noise": noise, "swap": swap, "swap-folder": swap_folder, "write": write}
WAYS |= {"map": map_, "truncate": lambda path, size: os.truncate(path, int(size))}
print(json.dumps(WAYS[sys.argv[1]](*sys.argv[2:])))
