#!/usr/bin/env python3
"""windows-copy.py PORT USER PASSWORD [--pause] [--rename FOLDER] FILE…: copies files into the share "scans" as CopyFileEx does, and with it
Explorer, copy and robocopy: the full size is set first, then come the bytes in pieces, the times and the close; another open sets
attributes. With --pause it prints "paused" behind the first piece of each file, and goes on when it reads a line. With --rename it
writes into FOLDER of the share, and renames into the share when the file is complete, as the page's script does.
"""

import argparse
import os

import smbclient

PIECE = 64 << 10

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("user")
parser.add_argument("password")
parser.add_argument("--pause", action="store_true")
parser.add_argument("--rename")
parser.add_argument("files", nargs="+")
options = parser.parse_args()

smbclient.register_session("127.0.0.1", username=options.user, password=options.password, port=options.port)
where = {"port": options.port}
share = r"\\127.0.0.1\scans"
folder = share
if options.rename:
    folder += "\\" + options.rename
    smbclient.makedirs(folder, exist_ok=True, **where)

for path in options.files:
    data = open(path, "rb").read()
    target = folder + "\\" + os.path.basename(path)
    with smbclient.open_file(target, mode="xb", buffering=0, share_access="r", **where) as file:
        file.truncate(len(data))
        for start in range(0, len(data), PIECE):
            file.seek(start)
            file.write(data[start:start + PIECE])
            if options.pause and start == 0:
                print("paused", flush=True)
                input()
        file.flush()
    smbclient.utime(target, (1_700_000_000, 1_700_000_000), **where)
    if options.rename:
        smbclient.rename(target, share + "\\" + os.path.basename(path), **where)
