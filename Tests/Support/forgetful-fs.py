#!/usr/bin/python3
"""A file system in memory that keeps no more than it was asked to keep: for tests of the power cut.

usage: forgetful-fs.py MOUNTPOINT

What a file holds outlasts a cut as it was at the file's last fsync; which names a directory has, as they were at the
directory's last fsync. A rename is two changes, in two directories, each of which is kept or lost alone. No real file system
forgets so much at once: ext4's fsync of anything keeps every change of names before it, so a missing fsync of a directory
shows here and not there. Owner, mode, times and attributes are kept always, and so are the numbers of inodes, as a real one
does not give a file other ones in a reboot.

SIGUSR1 cuts the power: the tree drops back to what was kept, under the same mount, and "cut" is written on standard
output. Whoever used it has to be dead by then. SIGTERM unmounts and ends.
"""

import errno
import os
import signal
import stat
import sys
import time

import pyfuse3
import trio
from pyfuse3 import FUSEError, ROOT_INODE


class Node:
    def __init__(self, inode, mode, uid, gid):
        self.inode, self.mode, self.uid, self.gid = inode, mode, uid, gid
        self.modified = self.changed = time.time_ns()
        self.attributes = {}
        self.data, self.kept_data = bytearray(), b""
        self.names, self.kept_names = {}, {}

    @property
    def is_directory(self):
        return stat.S_ISDIR(self.mode)

    def touch(self, modified=False):
        self.changed = time.time_ns()
        if modified:
            self.modified = self.changed


class ForgetfulFileSystem(pyfuse3.Operations):
    enable_writeback_cache = False
    supports_dot_lookup = False

    def __init__(self):
        super().__init__()
        self.last = ROOT_INODE
        self.nodes = {ROOT_INODE: Node(ROOT_INODE, stat.S_IFDIR | 0o755, os.getuid(), os.getgid())}
        self.listings = {}

    def cut(self):
        for node in self.nodes.values():
            node.data, node.names = bytearray(node.kept_data), dict(node.kept_names)
            for name in [name for name, inode in node.names.items() if inode not in self.nodes]:
                del node.names[name]

    def node(self, inode):
        if inode not in self.nodes:
            raise FUSEError(errno.ESTALE)
        return self.nodes[inode]

    def child(self, parent, name):
        inode = self.node(parent).names.get(name)
        if inode is None:
            raise FUSEError(errno.ENOENT)
        return self.nodes[inode]

    def make(self, parent, name, mode, ctx):
        directory = self.node(parent)
        if name in directory.names:
            raise FUSEError(errno.EEXIST)
        self.last += 1
        gid = directory.gid if directory.mode & stat.S_ISGID else ctx.gid
        node = Node(self.last, mode, ctx.uid, gid)
        self.nodes[node.inode] = node
        directory.names[name] = node.inode
        directory.touch(modified=True)
        return node

    def facts(self, node):
        facts = pyfuse3.EntryAttributes()
        facts.st_ino, facts.st_mode = node.inode, node.mode
        facts.st_nlink = 2 if node.is_directory else max(1, sum(
            inode == node.inode for other in self.nodes.values() for inode in other.names.values()))
        facts.st_uid, facts.st_gid = node.uid, node.gid
        facts.st_size = 0 if node.is_directory else len(node.data)
        facts.st_atime_ns = facts.st_mtime_ns = node.modified
        facts.st_ctime_ns = node.changed
        facts.st_blksize, facts.st_blocks = 4096, (facts.st_size + 511) // 512
        # the kernel has to ask each time: a cut changes what it knows
        facts.entry_timeout = facts.attr_timeout = 0
        return facts

    async def getattr(self, inode, ctx=None):
        return self.facts(self.node(inode))

    async def lookup(self, parent, name, ctx=None):
        return self.facts(self.child(parent, name))

    async def setattr(self, inode, attr, fields, fh, ctx):
        node = self.node(inode)
        if fields.update_size:
            del node.data[attr.st_size:]
            node.data.extend(bytes(attr.st_size - len(node.data)))
            node.touch(modified=True)
        if fields.update_mode:
            node.mode = stat.S_IFMT(node.mode) | stat.S_IMODE(attr.st_mode)
        if fields.update_uid:
            node.uid = attr.st_uid
        if fields.update_gid:
            node.gid = attr.st_gid
        node.touch()
        if fields.update_mtime:
            node.modified = attr.st_mtime_ns
        return self.facts(node)

    async def mkdir(self, parent, name, mode, ctx):
        return self.facts(self.make(parent, name, stat.S_IFDIR | stat.S_IMODE(mode) & ~ctx.umask, ctx))

    async def create(self, parent, name, mode, flags, ctx):
        node = self.make(parent, name, stat.S_IFREG | stat.S_IMODE(mode) & ~ctx.umask, ctx)
        return pyfuse3.FileInfo(fh=node.inode), self.facts(node)

    async def open(self, inode, flags, ctx):
        if flags & os.O_TRUNC:
            del self.node(inode).data[:]
        return pyfuse3.FileInfo(fh=inode)

    async def read(self, fh, offset, size):
        return bytes(self.node(fh).data[offset:offset + size])

    async def write(self, fh, offset, data):
        node = self.node(fh)
        node.data.extend(bytes(max(0, offset - len(node.data))))
        node.data[offset:offset + len(data)] = data
        node.touch(modified=True)
        return len(data)

    async def link(self, inode, parent, name, ctx):
        node, directory = self.node(inode), self.node(parent)
        if name in directory.names:
            raise FUSEError(errno.EEXIST)
        directory.names[name] = inode
        directory.touch(modified=True)
        node.touch()
        return self.facts(node)

    async def unlink(self, parent, name, ctx):
        self.child(parent, name).touch()
        del self.node(parent).names[name]
        self.node(parent).touch(modified=True)

    async def rmdir(self, parent, name, ctx):
        if self.child(parent, name).names:
            raise FUSEError(errno.ENOTEMPTY)
        del self.node(parent).names[name]
        self.node(parent).touch(modified=True)

    async def rename(self, parent, name, new_parent, new_name, flags, ctx):
        if flags & ~pyfuse3.RENAME_NOREPLACE:
            raise FUSEError(errno.EINVAL)
        node, target = self.child(parent, name), self.node(new_parent)
        if flags & pyfuse3.RENAME_NOREPLACE and new_name in target.names:
            raise FUSEError(errno.EEXIST)
        del self.node(parent).names[name]
        target.names[new_name] = node.inode
        for changed in (self.node(parent), target):
            changed.touch(modified=True)
        node.touch()

    async def fsync(self, fh, datasync):
        node = self.node(fh)
        node.kept_data = bytes(node.data)

    async def fsyncdir(self, fh, datasync):
        node = self.node(self.listings[fh][0])
        node.kept_names = dict(node.names)

    async def opendir(self, inode, ctx):
        fh = max(self.listings, default=0) + 1
        self.listings[fh] = (inode, sorted(self.node(inode).names.items()))
        return fh

    async def readdir(self, fh, start, token):
        inode, names = self.listings[fh]
        if start == 0:
            names = sorted(self.node(inode).names.items())
            self.listings[fh] = (inode, names)
        for index, (name, child) in list(enumerate(names))[start:]:
            if child in self.nodes and not pyfuse3.readdir_reply(
                    token, name, self.facts(self.nodes[child]), index + 1):
                break

    async def releasedir(self, fh):
        del self.listings[fh]

    async def setxattr(self, inode, name, value, ctx):
        self.node(inode).attributes[name] = value
        self.node(inode).touch()

    async def getxattr(self, inode, name, ctx):
        try:
            return self.node(inode).attributes[name]
        except KeyError:
            raise FUSEError(pyfuse3.ENOATTR)

    async def listxattr(self, inode, ctx):
        return list(self.node(inode).attributes)

    async def removexattr(self, inode, name, ctx):
        if self.node(inode).attributes.pop(name, None) is None:
            raise FUSEError(pyfuse3.ENOATTR)

    async def access(self, inode, mode, ctx):
        return True

    async def flush(self, fh):
        pass

    async def release(self, fh):
        pass

    async def statfs(self, ctx):
        facts = pyfuse3.StatvfsData()
        facts.f_bsize = facts.f_frsize = 4096
        facts.f_blocks = facts.f_bfree = facts.f_bavail = 1 << 24
        facts.f_files = facts.f_ffree = facts.f_favail = 1 << 20
        facts.f_namemax = 255
        return facts


async def main(mountpoint):
    system = ForgetfulFileSystem()
    options = set(pyfuse3.default_options) | {"fsname=forgetful", "allow_other"}
    pyfuse3.init(system, mountpoint, options)
    with trio.open_signal_receiver(signal.SIGUSR1, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(pyfuse3.main)
            print("mounted", flush=True)
            async for number in signals:
                if number == signal.SIGTERM:
                    break
                system.cut()
                print("cut", flush=True)
            pyfuse3.terminate()
            nursery.cancel_scope.cancel()
    pyfuse3.close(unmount=True)


if __name__ == "__main__":
    trio.run(main, sys.argv[1])
