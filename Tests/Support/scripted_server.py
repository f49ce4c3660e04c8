"""A server for the tests of HTTPTransfer: a small HTTP/1.1 server on loopback that misbehaves on request.

Usage: scripted_server.py [--tls CERT KEY [--client-ca CERT]] [--unix PATH | --at ADDRESS PORT]
With --client-ca a client has to show a certificate of that authority.
Prints its port as the first line, then serves until its standard input ends. What a connection does is chosen by the
path of the request. GET /stats answers how many connections and requests came beside its own, and which events were noted.
"""

import hashlib
import json
import os
import socket
import ssl
import sys
import threading

lock = threading.Condition()
stats = {"connections": 0, "resumed": 0, "requests": 0, "open": 0, "most": 0, "events": []}


def note(event):
    with lock:
        stats["events"].append(event)
        lock.notify_all()


class Connection:
    def __init__(self, sock):
        self.sock = sock
        self.pending = b""
        self.is_counted = False

    def more(self):
        data = self.sock.recv(1 << 18)
        if not data:
            raise EOFError
        self.pending += data

    def read_head(self):
        while b"\r\n\r\n" not in self.pending:
            self.more()
            if self.pending.startswith(b"\x16\x03"):
                # TLS spoken to a server without it.
                self.sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                raise EOFError
        head, self.pending = self.pending.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        return method, path, [line.split(": ", 1) if ": " in line else [line.rstrip(":"), ""] for line in lines[1:]]

    def read_body(self, length):
        digest = hashlib.sha256()
        left = length
        self.body = b""
        while left > 0:
            if not self.pending:
                self.more()
            part, self.pending = self.pending[:left], self.pending[left:]
            if length <= 4096:
                self.body += part
            digest.update(part)
            left -= len(part)
        return digest.hexdigest()

    def answer(self, status, body=b"", headers=(), head_only=False):
        lines = ["HTTP/1.1 %s" % status, "Content-Length: %d" % len(body)] + list(headers)
        self.sock.sendall("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (b"" if head_only else body))

    def wait_for_close(self):
        try:
            while self.sock.recv(65536):
                pass
        except OSError:
            pass


def endless(connection, head, piece, path):
    sent = 0
    try:
        connection.sock.sendall(head)
        while True:
            connection.sock.sendall(piece)
            sent += len(piece)
            with lock:
                stats["sent"] = sent
    except OSError:
        note("cut " + path)


def serve(connection, number):
    method, path, headers = connection.read_head()
    route = path.split("?")[0].split("/")[1]
    if route != "stats":
        with lock:
            stats["requests"] += 1
            if not connection.is_counted:
                stats["connections"] += 1
                # Of a TLS session that the client brought from an earlier connection.
                stats["resumed"] += getattr(connection.sock, "session_reused", None) is True
            connection.is_counted = True
    sock = connection.sock
    length = int(next((value for name, value in headers if name.lower() == "content-length"), "0"))
    if route == "early":
        connection.answer("503 Service Unavailable", b"later", ["Retry-After: 7"])
        # A half-closed connection lets the answer through before what was not read resets it.
        sock.shutdown(socket.SHUT_WR)
        connection.wait_for_close()
        return False
    if route == "hasty":
        # A success that comes before any of the body was read, as of a server that does not care for it.
        connection.answer("200 OK", b"", ["ETag: \"abc\""])
        note("answered")
        sock.shutdown(socket.SHUT_WR)
        with lock:
            lock.wait_for(lambda: "enough" in stats["events"], 180)
        return False
    digest = connection.read_body(length)
    if route == "stats":
        connection.answer("200 OK", json.dumps(stats).encode())
    elif route == "echo":
        about = {"method": method, "path": path, "headers": headers, "length": length, "sha256": digest,
                 "connection": number}
        connection.answer("200 OK", json.dumps(about).encode(), ["ETag: \"abc\"", "X-Folded: one\r\n  two"],
                          head_only=method == "HEAD")
    elif route == "status":
        # The status, and how often the body is repeated.
        status, *times = path.split("/")[2:]
        connection.answer(status + " Whatever", b"body" * int(*times or "1"), ["Location: http://127.0.0.1:1/elsewhere"])
    elif route == "token":
        # A token that names the client's certificate, and what was asked for.
        name = dict(pair[0] for pair in sock.getpeercert()["subject"])["commonName"]
        answer = {"access_token": name + "/" + connection.body.decode(), "expires_in": 60}
        connection.answer("200 OK", json.dumps(answer).encode(), ["Content-Type: application/json"])
    elif route == "interim":
        sock.sendall(b"HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
        connection.answer("201 Created")
    elif route == "trailers":
        sock.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Trailer: 1\r\n\r\n")
    elif route == "gather":
        # Answers when as many requests as the path says are here at once.
        with lock:
            stats["open"] += 1
            stats["most"] = max(stats["most"], stats["open"])
            lock.notify_all()
            lock.wait_for(lambda: stats["most"] >= int(path.split("/")[2]), 180)
            stats["open"] -= 1
        connection.answer("200 OK")
    elif route == "stall":
        note("stalling")
        connection.wait_for_close()
        note("closed")
        return False
    elif route == "stall-body":
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
        connection.wait_for_close()
        return False
    elif route == "cut":
        status = path.split("/")[2]
        sock.sendall(("HTTP/1.1 %s X\r\nContent-Length: 10\r\n\r\nabc" % status).encode())
        return False
    elif route == "cut-head":
        sock.sendall(b"HTTP/1.1 200 OK\r\nServer: portal\r\nContent-Ty")
        return False
    elif route == "late":
        connection.answer("200 OK")
        threading.Event().wait(0.1)
        connection.answer("299 Late")
        note("late")
    elif route == "hang-up":
        return False
    elif route == "stale":
        # Keeps the connection as far as the client knows, and drops it.
        connection.answer("200 OK")
        return False
    elif route == "garbage":
        sock.sendall(b"220 mail.example.com ESMTP\r\n")
        return False
    elif route == "endless-headers":
        endless(connection, b"HTTP/1.1 200 OK\r\n", b"X-Filler: 0123456789\r\n" * 50, path)
        return False
    elif route == "endless-header":
        endless(connection, b"HTTP/1.1 200 OK\r\nX-Long: ", b"0" * 8192, path)
        return False
    elif route == "endless-interim":
        endless(connection, b"", b"HTTP/1.1 103 Early Hints\r\nX-Filler: 1\r\n\r\n" * 50, path)
        return False
    elif route == "endless-body":
        endless(connection, b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 8192, path)
        return False
    elif route == "drip":
        # A byte a second for ever: of one header line, or of the body of an answer with the status that is named.
        what = path.split("/")[2]
        sock.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: " if what == "head" else b"HTTP/1.1 %s X\r\n\r\n" % what.encode())
        sock.settimeout(1)
        while True:
            try:
                sock.sendall(b"x")
                if not sock.recv(1):
                    break
            except socket.timeout:
                pass
            except OSError:  # reset, where a byte was still under way
                break
        note("closed " + path)
        return False
    elif route == "bytes":
        connection.answer("200 OK", b"y" * int(path.split("/")[2]))
    else:
        connection.answer("404 Not Found")
    return True


def handle(sock, number, context):
    try:
        if context:
            sock = context.wrap_socket(sock, server_side=True)
        connection = Connection(sock)
        while serve(connection, number):
            pass
    except (EOFError, OSError):
        pass
    finally:
        sock.close()


def main(arguments):
    context = None
    if "--tls" in arguments:
        at = arguments.index("--tls")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(arguments[at + 1], arguments[at + 2])
        if "--client-ca" in arguments:
            context.load_verify_locations(arguments[arguments.index("--client-ca") + 1])
            context.verify_mode = ssl.CERT_REQUIRED
            # With TLS 1.3 a refusal comes after the handshake, and may be lost with the connection.
            context.maximum_version = ssl.TLSVersion.TLSv1_2
    if "--unix" in arguments:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(arguments[arguments.index("--unix") + 1])
        listener.listen(300)
        print(0, flush=True)
    else:
        place = ("127.0.0.1", 0)
        if "--at" in arguments:
            at = arguments.index("--at")
            place = (arguments[at + 1], int(arguments[at + 2]))
        listener = socket.create_server(place, backlog=300)
        print(listener.getsockname()[1], flush=True)

    def accept():
        number = 0
        while True:
            sock, _ = listener.accept()
            number += 1
            threading.Thread(target=handle, args=(sock, number, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main(sys.argv[1:])
