#!/usr/bin/env python3
"""Unix sockets for the tests.

unix-socket.py make PATH                 leaves a socket file there
unix-socket.py half-request PATH         connects, sends half a request, prints "sent", and stays until it is killed
unix-socket.py crowd PLACE COUNT WAY [REQUEST] [ADDRESSES]
                                         connects so often to the path or HOST:PORT, there from so many addresses of the
                                         loopback, each as WAY says (silent, half, headers, body, pipelined, deaf, busy), with
                                         requests for REQUEST; prints "here" when 300 or all are there, and stays until its input
                                         ends; who is cut comes again at once
unix-socket.py notify-log PATH CONTROL   listens as a service manager does; prints each message as a line of JSON,
                                         with whether CONTROL took a connection at that moment
"""

import json
import resource
import selectors
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


def crowd(path, count, way, asked, addresses):
    """One loop for all: each connection sends what it may whenever it may, and is made anew when it is cut."""
    status = f"GET {asked} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    first = {
        "silent": b"",
        "half": b"POST /v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{\"rea",
        "headers": status[:-2],
        "body": b"POST /v1/jobs/1/cancel HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        "pipelined": status * 1000,
        "busy": status * 100,
        "deaf": status.replace(b"/v1/status", b"/v1/events"),
    }[way]
    more = {"headers": b"X-Filler: 0123456789\r\n" * 40, "body": b"400\r\n" + b" " * 1024 + b"\r\n", "pipelined": status * 50,
            "busy": status * 50}
    chosen = selectors.DefaultSelector()
    # Those that are deaf never read, so that what is said to them piles up.
    wanted = (0 if way in ("deaf", "pipelined") else selectors.EVENT_READ) | (selectors.EVENT_WRITE if way in more else 0)

    came = 0

    def come():
        nonlocal came
        came += 1
        stream = socket.socket(socket.AF_UNIX if path.startswith("/") else socket.AF_INET, socket.SOCK_STREAM)
        try:
            if path.startswith("/"):
                stream.connect(path)
            else:
                stream.bind((f"127.0.{came % addresses}.1", 0))
                host, port = path.rsplit(":", 1)
                stream.connect((host, int(port)))
            stream.setblocking(False)
            stream.send(first)
        except BlockingIOError:
            pass  # what was sent is enough
        except OSError:
            stream.close()
            return
        if wanted:
            chosen.register(stream, wanted)
        else:
            kept.append(stream)

    kept = []
    for number in range(count):
        come()
        if number == min(count, 300) - 1:
            print("here", flush=True)
    chosen.register(sys.stdin, selectors.EVENT_READ)
    while True:
        for key, events in chosen.select():
            if key.fileobj is sys.stdin:
                return
            try:
                if events & selectors.EVENT_READ and not key.fileobj.recv(65536):
                    raise EOFError
                if events & selectors.EVENT_WRITE:
                    key.fileobj.send(more[way])
            except BlockingIOError:
                pass
            except (OSError, EOFError):
                chosen.unregister(key.fileobj)
                key.fileobj.close()
                come()


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
    elif what == "crowd":
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
        crowd(path, int(sys.argv[3]), sys.argv[4], *(sys.argv[5:6] or ["/v1/status"]), int((sys.argv[6:] or [1])[0]))
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
