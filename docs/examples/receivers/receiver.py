#!/usr/bin/env python3
"""Receives Waybill's registrations: Python, standard library alone, SQLite.

Run it:    RECEIVER_TOKEN_FILE=token RECEIVER_DATABASE=documents.sqlite RECEIVER_PORT=8080 python3 receiver.py
Waybill:   [backend.main]
           url   = "http://127.0.0.1:8080/documents"
           token = { file = "/etc/waybill/keys/backend-token" }   # the same text as in the file "token"
The document and its Idempotency-Key are one transaction, so a repeated request finds both or neither.
"""

import hashlib
import hmac
import json
import os
import sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DATABASE = os.environ.get("RECEIVER_DATABASE", "documents.sqlite")
TOKEN = open(os.environ["RECEIVER_TOKEN_FILE"], "rb").read().strip()
LIMIT = 32 << 20  # Waybill sends no larger body
SCHEMA = """CREATE TABLE IF NOT EXISTS document (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE,
    fingerprint BLOB NOT NULL, link TEXT NOT NULL, name TEXT NOT NULL)"""


def register(key, body, document):
    """Returns the document's number, or None if the key came with another body before."""
    fingerprint = hashlib.sha256(body).digest()
    database = sqlite3.connect(DATABASE, timeout=20, isolation_level=None)
    try:
        database.execute("PRAGMA synchronous = EXTRA")  # FULL may lose the last commit in a power cut
        database.execute("BEGIN IMMEDIATE")  # a second request with this key waits here
        database.execute(SCHEMA)
        done = database.execute("SELECT number, fingerprint FROM document WHERE key = ?", (key,)).fetchone()
        if done is None:
            row = (key, fingerprint, document["link"], document["name"])
            number = database.execute("INSERT INTO document (key, fingerprint, link, name) VALUES (?, ?, ?, ?)", row).lastrowid
        database.execute("COMMIT")
    finally:
        database.close()  # rolls back what was not committed
    return number if done is None else done[0] if done[1] == fingerprint else None


class Receiver(BaseHTTPRequestHandler):
    protocol_version, timeout = "HTTP/1.1", 60

    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit() or int(length) > LIMIT:
            self.close_connection = True
            return self.answer(413 if length.isdigit() else 411, {"error": f"a body of at most {LIMIT} bytes is needed"})
        body = self.rfile.read(int(length))
        key = self.headers.get("Idempotency-Key", "").strip('"')
        if not hmac.compare_digest(self.headers.get("Authorization", "").encode(), b"Bearer " + TOKEN):
            return self.answer(401, {"error": "the token is wrong"})
        if not key:
            return self.answer(400, {"error": "Idempotency-Key is missing"})
        self.answer(*self.take(key, body))

    def take(self, key, body):
        """Returns the status and the content of the answer."""
        if self.path != "/documents":
            return 404, {"error": "registrations go to /documents"}
        try:
            document = json.loads(body)
            number = register(key, body, {name: document[name] + "" for name in ("link", "name")})
        except (ValueError, KeyError, TypeError):
            return 400, {"error": "this is no registration: link and name are needed"}
        except sqlite3.Error as error:  # a full disk, a locked file: Waybill tries again
            return 500, {"error": str(error)}
        if number is None:
            return 422, {"error": "this Idempotency-Key came with another body before"}
        return 201, {"number": number}

    def answer(self, status, content):
        text = json.dumps(content).encode()
        self.send_response(status)
        for name, value in (("Content-Type", "application/json"), ("Content-Length", str(len(text)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)


def serve(handler):
    ThreadingHTTPServer.request_queue_size = 128  # connections that wait; with the default, 5, some are reset when many come at once
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("RECEIVER_PORT", 8080))), handler).serve_forever()


if __name__ == "__main__":
    serve(Receiver)
