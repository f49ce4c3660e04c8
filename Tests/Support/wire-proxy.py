#!/usr/bin/env python3
"""wire-proxy.py HOST:PORT [CHAIN KEY]: a TCP proxy on 127.0.0.1 that spoils what passes through it, over TLS where a
certificate is given.

Prints "listening on PORT". Lines on standard input say what is to happen from then on, to requests whose first line
holds MATCH; COUNT of them, then it stops by itself:

    flip MATCH COUNT      one bit in the middle of the request's body is turned round
    cut MATCH COUNT       the answer is thrown away and the connection is closed, once the server has answered
    busy MATCH COUNT      the request is read, and answered with 503 SlowDown in place of the server
    hold MATCH COUNT      the second half of the request's body waits; "holding MATCH" is printed then
    release MATCH         what is held by MATCH goes on
    clear                 nothing is to happen any more, and nothing is held

Each is acknowledged by a line "ok". The end of standard input ends the proxy. It understands as much of HTTP/1.1 as a client
needs that sends Content-Length and no pipelined requests.
"""

import socket
import ssl
import sys
import threading

CHUNK = 64 * 1024
BUSY = b"<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>"
faults = []
lock = threading.Lock()


def fault_for(line):
    """What is to happen to a request, by its first line; it counts as used. None for nothing."""
    with lock:
        for fault in faults:
            if fault["match"] in line and fault["left"] > 0:
                fault["left"] -= 1
                return fault
    return None


def hold(fault):
    """Waits until the request is let go."""
    print("holding", fault["match"], flush=True)
    fault["released"].wait()


def release(match=None):
    """Lets go of what is held by this, or of all."""
    for fault in faults:
        if match in (None, fault["match"]):
            fault["released"].set()


def read_head(connection, data):
    """The head of a message and what came behind it; None at the end of the connection."""
    while b"\r\n\r\n" not in data:
        more = connection.recv(CHUNK)
        if not more:
            return None, b""
        data += more
    head, _, rest = data.partition(b"\r\n\r\n")
    return head + b"\r\n\r\n", rest


def body_length(head):
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            return int(value)
    return 0


def pass_body(source, target, length, rest, fault):
    """Passes a request's body on, spoiling it where that is wanted; what came behind it is given back."""
    kind = fault["kind"] if fault else None
    middle = length // 2 if kind in ("flip", "hold") else -1
    passed = 0
    while passed < length:
        data = rest if rest else source.recv(min(CHUNK, length - passed))
        if not data:
            raise ConnectionError("the client went away")
        data, rest = data[: length - passed], data[length - passed :]
        if passed <= middle < passed + len(data) and kind == "hold":
            hold(fault)
        elif passed <= middle < passed + len(data):
            spoiled = bytearray(data)
            spoiled[middle - passed] ^= 1
            data = bytes(spoiled)
        if target:
            target.sendall(data)
        passed += len(data)
    return rest


def pump_answers(server, client, withheld):
    """Passes answers on until the end; what is withheld is read and thrown away."""
    try:
        while data := server.recv(CHUNK):
            if withheld["kind"] == "cut":
                client.shutdown(socket.SHUT_RDWR)
                return
            client.sendall(data)
        client.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def serve(client, address):
    withheld = {"kind": None}
    try:
        server = socket.create_connection(address)
    except OSError:
        client.close()
        return
    threading.Thread(target=pump_answers, args=(server, client, withheld), daemon=True).start()
    rest = b""
    try:
        while True:
            head, rest = read_head(client, rest)
            if head is None:
                break
            fault = fault_for(head.split(b"\r\n", 1)[0].decode("latin-1"))
            kind = fault["kind"] if fault else None
            if kind == "cut":
                withheld["kind"] = kind
            if kind == "busy":
                rest = pass_body(client, None, body_length(head), rest, fault)
                client.sendall(
                    b"HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n%s" % (len(BUSY), BUSY))
                continue
            server.sendall(head)
            rest = pass_body(client, server, body_length(head), rest, fault)
    except (OSError, ValueError):
        pass
    finally:
        for end in (server, client):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()


def welcome(client, address, tls):
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls:
        try:
            client = tls.wrap_socket(client, server_side=True)
        except OSError:
            return
    serve(client, address)


def accept(listener, address, tls):
    while True:
        client, _ = listener.accept()
        threading.Thread(target=welcome, args=(client, address, tls), daemon=True).start()


def main():
    host, _, port = sys.argv[1].rpartition(":")
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    tls = None
    if len(sys.argv) > 2:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(sys.argv[2], sys.argv[3])
    threading.Thread(target=accept, args=(listener, (host, int(port)), tls), daemon=True).start()
    print(f"listening on {listener.getsockname()[1]}", flush=True)
    for line in sys.stdin:
        words = line.split()
        with lock:
            if words == ["clear"]:
                release()
                faults.clear()
            elif words[:1] == ["release"]:
                release(words[1])
            elif len(words) == 3:
                faults.append({"kind": words[0], "match": words[1], "left": int(words[2]), "released": threading.Event()})
        print("ok", flush=True)


if __name__ == "__main__":
    main()
