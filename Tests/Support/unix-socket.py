#!/usr/bin/env python3
"""Unix sockets for the tests.

unix-socket.py make PATH                 leaves a socket file there
unix-socket.py half-request PATH         connects, sends half a request, prints "sent", and stays until it is killed
unix-socket.py notify-log PATH CONTROL   listens as a service manager does; prints each message as a line of JSON,
                                         with whether CONTROL took a connection at that moment
"""

import json
import socket
import sys
import time


def connects(path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        try:
            stream.connect(path)
            return True
        except OSError:
            return False


def main():
    what, path = sys.argv[1:3]
    if what == "make":
        socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).bind(path)
    elif what == "half-request":
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.connect(path)
        stream.sendall(b"POST /v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"rea")
        print("sent", flush=True)
        time.sleep(600)
    elif what == "notify-log":
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        listener.bind(path)
        while True:
            data, ancillary, _, _ = listener.recvmsg(65536, socket.CMSG_SPACE(256))
            for _, _, descriptors in ancillary:
                # BARRIER=1: closing the descriptor is the answer that is waited for.
                for index in range(0, len(descriptors) - 3, 4):
                    socket.close(int.from_bytes(descriptors[index : index + 4], sys.byteorder))
            lines = data.decode().splitlines()
            print(json.dumps({"lines": lines, "answers": connects(sys.argv[3])}), flush=True)
    else:
        sys.exit(__doc__)


main()
