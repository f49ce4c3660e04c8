#!/usr/bin/env python3
"""A receiver of Waybill's registrations. It checks the signature and handles each document once.

It stores its work by Idempotency-Key, in the same transaction as the work. It gives a repeated request the first answer again.
It uses only the standard library. Use it as a start for your own receiver.
"""

import argparse
import base64
import hashlib
import hmac
import json
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 300  # seconds between a signature's time and now, at most
LIMIT = 32 << 20  # bytes of a body, as Waybill sends at most


class Documents:
    """The documents and the request keys, in one SQLite file."""

    def __init__(self, path):
        self.lock = threading.Lock()
        self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        # FULL may lose the last commit in a power cut, because it leaves out a sync of the directory.
        self.database.execute("PRAGMA synchronous = EXTRA")
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS document (number INTEGER PRIMARY KEY, link TEXT NOT NULL, name TEXT NOT NULL)"
        )
        self.database.execute(
            "CREATE TABLE IF NOT EXISTS request (key TEXT PRIMARY KEY, fingerprint BLOB NOT NULL, number INTEGER NOT NULL)"
        )

    def register(self, key, body, document):
        """Returns the document's number, and whether the request is repeated. Raises ValueError for a key with another body."""
        fingerprint = hashlib.sha256(body).digest()
        with self.lock:
            self.database.execute("BEGIN IMMEDIATE")
            try:
                done = self.database.execute("SELECT fingerprint, number FROM request WHERE key = ?", (key,)).fetchone()
                if done and done[0] != fingerprint:
                    raise ValueError("this Idempotency-Key came with another body before")
                if done:
                    number = done[1]
                else:
                    row = (document["link"], document["name"])
                    number = self.database.execute("INSERT INTO document (link, name) VALUES (?, ?)", row).lastrowid
                    self.database.execute("INSERT INTO request VALUES (?, ?, ?)", (key, fingerprint, number))
                self.database.execute("COMMIT")
            except BaseException:
                self.database.execute("ROLLBACK")
                raise
            return number, bool(done)


def is_signed(headers, body, secret):
    """Returns whether the request has a recent signature with our secret."""
    identity, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    expected = hmac.new(secret, f"{identity}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    for signature in headers.get("webhook-signature", "").split():
        version, _, value = signature.partition(",")
        if version == "v1" and hmac.compare_digest(value, base64.b64encode(expected).decode()):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > LIMIT:
            self.close_connection = True
            return self.answer(413, {"detail": f"a body may have {LIMIT} bytes"})
        body = self.rfile.read(length)
        if self.server.secret and not is_signed(self.headers, body, self.server.secret):
            return self.answer(401, {"detail": "the signature is missing, wrong or too old"})
        key = self.headers.get("Idempotency-Key", "").strip('"')
        if not key:
            return self.answer(400, {"detail": "Idempotency-Key is missing"})
        try:
            document = json.loads(body)
            number, is_repeated = self.server.documents.register(key, body, document)
        except (ValueError, KeyError, TypeError) as error:
            return self.answer(422, {"detail": str(error)})
        answer = {"number": number}
        self.answer(200 if is_repeated else 201, answer, {"Location": f"/documents/{number}"})

    def answer(self, status, content, headers=None):
        text = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status < 400 else "application/problem+json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--port", type=int, default=8080, help="0 for any that is free")
    arguments.add_argument("--database", default="documents.sqlite")
    arguments.add_argument("--secret-file", help="the secret of Standard Webhooks signatures, whsec_…")
    options = arguments.parse_args()
    ThreadingHTTPServer.request_queue_size = 128  # connections that wait; with the default, 5, some are reset when many come at once
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Receiver)
    server.documents = Documents(options.database)
    server.secret = None
    if options.secret_file:
        with open(options.secret_file, encoding="ascii") as file:
            server.secret = base64.b64decode(file.read().strip().removeprefix("whsec_"))
    print(f"listening on http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
