#!/usr/bin/python3
"""A file system in memory that treats its clients as a file server does that gives them up: for tests of shared spools.

usage: fickle-fs.py MOUNTPOINT [MOST_MILLISECONDS] [FAULTS]

SIGUSR2 ends the lock of whoever has locked a file "lock": its name leads to a new file from then on, and whatever is done by a
descriptor of the old one is answered EIO, as NFS and CephFS answer a client whose lock was lost. "lost" is written on standard
output. Renames, links and fsyncs take up to MOST_MILLISECONDS, each another time, so that steps of several hosts mix.

SIGHUP reads the file FAULTS: "ERRNO COUNT". From then on each kind of operation in .waybill fails so often with that error, and
works later; COUNT 0 ends it. Operations are of one kind if they are the same call for the same sort of name: a claimed file, a
record, the lock. "faults" is written on standard output, and a line "failed OPERATION SORT" for each failure.

The rest is as in forgetful-fs.py.
"""

import errno
import importlib.util
import os
import random
import signal
import sys

import pyfuse3
import trio
from pyfuse3 import FUSEError

spec = importlib.util.spec_from_file_location(
    "forgetful", os.path.join(os.path.dirname(os.path.abspath(__file__)), "forgetful-fs.py"))
forgetful = importlib.util.module_from_spec(spec)
spec.loader.exec_module(forgetful)


def sort(name):
    """The sort of a name in .waybill."""
    if b".new-" in name:
        return sort(name.split(b".new-")[0]) + "-unfinished"
    for known in (b"lock", b"holder", b".stored", b".stopped"):
        if name.endswith(known):
            return known.decode().lstrip(".")
    if name.startswith(b".waybill-trial"):
        return "trial"
    return "claim" if b"~" in name else "other"


class FickleFileSystem(forgetful.ForgetfulFileSystem):
    def __init__(self, most, faults=None):
        super().__init__()
        self.most = most
        self.lost = set()
        self.faults = faults
        self.errno, self.count, self.failures = 0, 0, {}

    def read_faults(self):
        with open(self.faults) as file:
            name, count = file.read().split()
        self.errno, self.count, self.failures = getattr(errno, name), int(count), {}

    def fail(self, operation, what):
        if what is None or self.failures.get((operation, what), 0) >= self.count:
            return
        self.failures[operation, what] = self.failures.get((operation, what), 0) + 1
        print("failed", operation, what, flush=True)
        raise FUSEError(self.errno)

    def claims(self):
        return self.nodes[pyfuse3.ROOT_INODE].names and next(
            (node.names.get(b".waybill") for node in self.nodes.values() if b".waybill" in node.names), None)

    def sort_in(self, parent, name):
        """The sort of a name; None if it is not in .waybill."""
        if not self.count:
            return None
        return sort(name) if parent == self.claims() else None

    def sort_of(self, inode):
        if not self.count:
            return None
        claims = self.claims()
        if inode == claims:
            return "directory"
        names = self.nodes[claims].names if claims else {}
        return next((sort(name) for name, other in names.items() if other == inode), None)

    def lose(self):
        for node in self.nodes.values():
            if b"lock" in node.names:
                self.lost.add(node.names.pop(b"lock"))

    def check(self, inode):
        if inode in self.lost:
            raise FUSEError(errno.EIO)

    async def wait(self):
        if self.most:
            await trio.sleep(random.uniform(0, self.most) / 1000)

    async def lookup(self, parent, name, ctx=None):
        self.fail("lookup", self.sort_in(parent, name))
        return await super().lookup(parent, name, ctx)

    async def create(self, parent, name, mode, flags, ctx):
        self.fail("create", self.sort_in(parent, name))
        return await super().create(parent, name, mode, flags, ctx)

    async def open(self, inode, flags, ctx):
        self.fail("open", self.sort_of(inode))
        return await super().open(inode, flags, ctx)

    async def unlink(self, parent, name, ctx):
        self.fail("unlink", self.sort_in(parent, name))
        await super().unlink(parent, name, ctx)

    async def opendir(self, inode, ctx):
        self.fail("opendir", self.sort_of(inode))
        return await super().opendir(inode, ctx)

    async def readdir(self, fh, start, token):
        self.fail("readdir", self.sort_of(self.listings[fh][0]))
        await super().readdir(fh, start, token)

    async def read(self, fh, offset, size):
        self.check(fh)
        self.fail("read", self.sort_of(fh))
        return await super().read(fh, offset, size)

    async def write(self, fh, offset, data):
        self.check(fh)
        self.fail("write", self.sort_of(fh))
        return await super().write(fh, offset, data)

    async def setattr(self, inode, attr, fields, fh, ctx):
        self.check(inode)
        self.fail("setattr", self.sort_of(inode))
        return await super().setattr(inode, attr, fields, fh, ctx)

    async def fsync(self, fh, datasync):
        self.check(fh)
        await self.wait()
        self.fail("fsync", self.sort_of(fh))
        await super().fsync(fh, datasync)

    async def fsyncdir(self, fh, datasync):
        await self.wait()
        self.fail("fsyncdir", self.sort_of(self.listings[fh][0]))
        await super().fsyncdir(fh, datasync)

    async def rename(self, parent, name, new_parent, new_name, flags, ctx):
        # as NFS and CephFS: a name that is taken is not refused by a rename
        if flags:
            raise FUSEError(errno.EINVAL)
        await self.wait()
        self.fail("rename", self.sort_in(new_parent, new_name))
        await super().rename(parent, name, new_parent, new_name, flags, ctx)

    async def link(self, inode, parent, name, ctx):
        await self.wait()
        self.fail("link", self.sort_in(parent, name))
        return await super().link(inode, parent, name, ctx)


async def main(mountpoint, most, faults):
    system = FickleFileSystem(most, faults)
    options = set(pyfuse3.default_options) | {"fsname=fickle", "allow_other"}
    pyfuse3.init(system, mountpoint, options)
    with trio.open_signal_receiver(signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pyfuse3.main)
            print("mounted", flush=True)
            async for number in signals:
                if number == signal.SIGTERM:
                    break
                if number == signal.SIGUSR1:
                    system.cut()
                    print("cut", flush=True)
                elif number == signal.SIGHUP:
                    system.read_faults()
                    print("faults", flush=True)
                else:
                    system.lose()
                    print("lost", flush=True)
            pyfuse3.terminate()
            nursery.cancel_scope.cancel()
    pyfuse3.close(unmount=True)


if __name__ == "__main__":
    trio.run(main, sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0, (sys.argv[3:] or [None])[0])
