#!/usr/bin/python3
"""A file system in memory that treats its clients as a file server does that gives them up: for tests of shared spools.

usage: fickle-fs.py MOUNTPOINT [MOST_MILLISECONDS]

SIGUSR2 ends the lock of whoever has locked a file "lock": its name leads to a new file from then on, and whatever is done by a
descriptor of the old one is answered EIO, as NFS and CephFS answer a client whose lock was lost. "lost" is written on standard
output. Renames, links and fsyncs take up to MOST_MILLISECONDS, each another time, so that steps of several hosts mix.

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


class FickleFileSystem(forgetful.ForgetfulFileSystem):
    def __init__(self, most):
        super().__init__()
        self.most = most
        self.lost = set()

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

    async def read(self, fh, offset, size):
        self.check(fh)
        return await super().read(fh, offset, size)

    async def write(self, fh, offset, data):
        self.check(fh)
        return await super().write(fh, offset, data)

    async def setattr(self, inode, attr, fields, fh, ctx):
        self.check(inode)
        return await super().setattr(inode, attr, fields, fh, ctx)

    async def fsync(self, fh, datasync):
        self.check(fh)
        await self.wait()
        await super().fsync(fh, datasync)

    async def fsyncdir(self, fh, datasync):
        await self.wait()
        await super().fsyncdir(fh, datasync)

    async def rename(self, parent, name, new_parent, new_name, flags, ctx):
        # as NFS and CephFS: a name that is taken is not refused by a rename
        if flags:
            raise FUSEError(errno.EINVAL)
        await self.wait()
        await super().rename(parent, name, new_parent, new_name, flags, ctx)

    async def link(self, inode, parent, name, ctx):
        await self.wait()
        return await super().link(inode, parent, name, ctx)


async def main(mountpoint, most):
    system = FickleFileSystem(most)
    options = set(pyfuse3.default_options) | {"fsname=fickle", "allow_other"}
    pyfuse3.init(system, mountpoint, options)
    with trio.open_signal_receiver(signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pyfuse3.main)
            print("mounted", flush=True)
            async for number in signals:
                if number == signal.SIGTERM:
                    break
                if number == signal.SIGUSR1:
                    system.cut()
                    print("cut", flush=True)
                else:
                    system.lose()
                    print("lost", flush=True)
            pyfuse3.terminate()
            nursery.cancel_scope.cancel()
    pyfuse3.close(unmount=True)


if __name__ == "__main__":
    trio.run(main, sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 0)
