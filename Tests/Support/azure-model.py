"""A model of Azure's Blob Storage ("Put Blob", "Get Blob Properties", "Error response format" in its REST reference), with a backend that
grants uploads to it by shared access signatures.

Usage: azure-model.py PORT [--without-type] LIFE…
The grants' URLs are good for so many seconds, one after the other; the last LIFE is that of all further ones. With --without-type they do
not name the header x-ms-blob-type. GET /facts tells what came.
"""

import base64
import datetime
import hashlib
import hmac
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

port, *words = sys.argv[1:]
lives = [int(word) for word in words if word != "--without-type"]
headers = {} if "--without-type" in words else {"x-ms-blob-type": "BlockBlob"}
lock = threading.Lock()
facts = {"grants": 0, "puts": [], "blobs": {}, "registered": []}
FORM = "%Y-%m-%dT%H:%M:%SZ"


def now():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def signature(path, expiry):
    return base64.b64encode(hmac.digest(b"account key", f"cw\n{expiry}\n{path}".encode(), "sha256")).decode()


class Model(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def send(self, status, body=b"", **more):
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(body)), "x-ms-version": "2025-11-05", "x-ms-request-id": "1"} | more).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, status, value):
        self.send(status, json.dumps(value).encode(), Content_Type="application/json")

    def refuse(self, status, code, message, name, detail):
        text = f'\ufeff<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{message}\nRequestId:1\nTime:{now()}Z'
        text += f"</Message><{name}>{detail}</{name}></Error>"
        self.send(status, text.encode(), x_ms_error_code=code, Content_Type="application/xml")
        return status

    def put(self, body):
        path, _, query = self.path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        expiry = given.get("se", "")
        message = "Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly."
        if given.get("sig") != signature(path, expiry):
            return self.refuse(403, "AuthenticationFailed", message, "AuthenticationErrorDetail", "Signature did not match.")
        if datetime.datetime.strptime(expiry, FORM) < now():
            detail = f"Signature not valid in the specified time frame: Start [] - Expiry [{expiry}] - Current [{now()}]"
            return self.refuse(403, "AuthenticationFailed", message, "AuthenticationErrorDetail", detail)
        if self.headers.get("x-ms-blob-type") != "BlockBlob":
            message = "An HTTP header that's mandatory for this request is not specified."
            return self.refuse(400, "MissingRequiredHeader", message, "HeaderName", "x-ms-blob-type")
        facts["blobs"][urllib.parse.unquote(path)] = hashlib.sha256(body).hexdigest()
        digest = base64.b64encode(hashlib.md5(body).digest()).decode()
        self.send(201, ETag='"0x8DE2F3B1C2A4D5E"', Content_MD5=digest, x_ms_request_server_encrypted="true")
        return 201

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with lock:
            facts["puts"].append(self.put(body))

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            if self.path == "/documents":
                facts["registered"].append(asked)
                return self.send_json(201, {})
            life = lives[min(facts["grants"], len(lives) - 1)]
            facts["grants"] += 1
        expiry = (now() + datetime.timedelta(seconds=life)).strftime(FORM)
        path = "/container/" + urllib.parse.quote(asked["key"], safe="/~")
        query = urllib.parse.urlencode({"sv": "2025-11-05", "sr": "b", "sp": "cw", "se": expiry, "sig": signature(path, expiry)})
        place = f"http://127.0.0.1:{port}{path}"
        self.send_json(200, {"url": f"{place}?{query}", "headers": headers, "locator": place})

    def do_GET(self):
        self.send_json(200, facts)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(port)), Model).serve_forever()
