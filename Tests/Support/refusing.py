#!/usr/bin/env python3
"""refusing.py CALL COMMAND…: runs a command where the kernel refuses something, as sandboxes have it (seccomp(2)).

CALL is `netlink`: no sockets of the kernel, as RestrictAddressFamilies= without AF_NETLINK has it."""

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

instructions = {
    "netlink": [
        (LOAD, 0, 0, NUMBER),
        (JUMP_IF_EQUAL, 0, 3, SOCKET),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_IF_EQUAL, 0, 1, socket.AF_NETLINK),
        (RETURN, 0, 0, ERRNO | errno.EAFNOSUPPORT),
        (RETURN, 0, 0, ALLOW),
    ],
}[sys.argv[1]]
program = b"".join(struct.pack("=HBBI", *instruction) for instruction in instructions)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_char_p)]


libc = ctypes.CDLL(None, use_errno=True)
for words in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, Filter(len(program) // 8, program))]:
    arguments = [ctypes.byref(word) if isinstance(word, Filter) else ctypes.c_ulong(word) for word in words]
    if libc.prctl(*arguments) != 0:
        sys.exit(os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
