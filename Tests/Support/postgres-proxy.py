#!/usr/bin/env python3
"""postgres-proxy.py SOCKET SERVER TEXT OTHER: a Unix socket that leads to another one. TEXT in what clients send becomes OTHER, which has
the same length. Prints "listening", and "changed" for each time."""

import os
import socket
import sys
import threading


def pump(source, target, replace):
    try:
        while data := source.recv(65536):
            for text, other in replace:
                for _ in range(data.count(text)):
                    print("changed", flush=True)
                data = data.replace(text, other)
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    place, server, text, other = sys.argv[1:]
    assert len(text) == len(other)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(place)
    os.chmod(place, 0o666)
    listener.listen(64)
    print("listening", flush=True)
    while True:
        client, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(server)
        except OSError:
            client.close()
            continue
        threading.Thread(target=pump, args=(client, far, [(text.encode(), other.encode())]), daemon=True).start()
        threading.Thread(target=pump, args=(far, client, []), daemon=True).start()


if __name__ == "__main__":
    main()
