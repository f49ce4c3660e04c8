#!/usr/bin/env python3
"""without-netlink.py COMMAND…: runs it where sockets of the kernel are forbidden, as RestrictAddressFamilies= without
AF_NETLINK does (seccomp(2))."""

import ctypes
import errno
import os
import socket
import struct
import sys

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NUMBER, FIRST_ARGUMENT = 0, 16  # offsets in struct seccomp_data
SOCKET = {"x86_64": 41, "aarch64": 198}[os.uname().machine]

program = b"".join(
    struct.pack("=HBBI", *instruction)
    for instruction in [
        (LOAD, 0, 0, NUMBER),
        (JUMP_IF_EQUAL, 0, 3, SOCKET),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_IF_EQUAL, 0, 1, socket.AF_NETLINK),
        (RETURN, 0, 0, ERRNO | errno.EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ]
)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


libc = ctypes.CDLL(None, use_errno=True)
for words in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, Filter(len(program) // 8, program))]:
    arguments = [ctypes.byref(word) if isinstance(word, Filter) else ctypes.c_ulong(word) for word in words]
    if libc.prctl(*arguments) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[1], sys.argv[1:])
