#!/usr/bin/env python3
"""Grants uploads to a bucket as presigned URLs, and receives the registrations as receiver.py does: the host that uploads has no key of it.

Run it:    as receiver.py, with GRANT_ENDPOINT=https://s3.eu-central-1.amazonaws.com GRANT_REGION=eu-central-1 GRANT_BUCKET=documents
           GRANT_KEY_FILE=key (two lines: its id, its secret), and python3 granting.py
Waybill:   [backend.main]   as for receiver.py
           [storage.main]
           from       = "backend.main"
           upload_url = "http://127.0.0.1:8080/uploads"
A file over 64 MiB (GRANT_PART, in bytes) goes in parts. An upload in parts that was not completed stays until the bucket's lifecycle
rule ends it (AbortIncompleteMultipartUpload).
"""

import base64
import datetime
import hashlib
import hmac
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

import receiver

ENDPOINT = os.environ["GRANT_ENDPOINT"]  # scheme, host and port
REGION = os.environ.get("GRANT_REGION", "us-east-1")
BUCKET = os.environ["GRANT_BUCKET"]
KEY_ID, SECRET = open(os.environ["GRANT_KEY_FILE"], encoding="ascii").read().split()
PART = int(os.environ.get("GRANT_PART", 64 << 20))
LIFE = int(os.environ.get("GRANT_SECONDS", 3600))  # a URL has to be good for the time that its upload takes


def presigned(method, key, query=(), headers=None):
    """A URL that may be used once or more, with these headers, for LIFE seconds: AWS Signature Version 4 in the query."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{now[:8]}/{REGION}/s3/aws4_request"
    host = urllib.parse.urlsplit(ENDPOINT).netloc
    signed = {"host": host} | {name.lower(): value for name, value in (headers or {}).items()}
    names = ";".join(sorted(signed))
    pairs = dict(query) | {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": f"{KEY_ID}/{scope}", "X-Amz-Date": now,
        "X-Amz-Expires": str(LIFE), "X-Amz-SignedHeaders": names}
    text = "&".join(f"{name}={urllib.parse.quote(value, safe='~')}" for name, value in sorted(pairs.items()))
    path = urllib.parse.quote(f"/{BUCKET}/{key}", safe="/~")
    lines = [method, path, text, *(f"{name}:{signed[name]}" for name in sorted(signed)), "", names, "UNSIGNED-PAYLOAD"]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    secret = ("AWS4" + SECRET).encode()
    for part in scope.split("/"):
        secret = hmac.digest(secret, part.encode(), "sha256")
    signature = hmac.digest(secret, f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{digest}".encode(), "sha256").hex()
    return f"{ENDPOINT}{path}?{text}&X-Amz-Signature={signature}"


def locator(key):
    return f"{ENDPOINT}/{BUCKET}/{urllib.parse.quote(key, safe='/~')}"


def key_of(document):
    """The object's key. The backend decides it: with the job's id in front, none replaces another's object."""
    name = document["name"]
    if not re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["id"]) or "/" in name or name in ("", ".", ".."):
        raise ValueError("id or name is none of a file")
    return f"{document['id']}/{name}"


def grant(document):
    """The answer to a request for an upload."""
    key, size = key_of(document), int(document["size"])
    answer = {"locator": locator(key), "expires_in": LIFE}
    # With x-amz-meta-waybill-id, people find the job of an object.
    headers = {"Content-Type": document["content_type"], "x-amz-meta-waybill-id": document["id"]}
    if size <= PART:
        if document.get("sha256"):  # the storage compares the bytes with it
            headers["x-amz-checksum-sha256"] = base64.b64encode(bytes.fromhex(document["sha256"])).decode()
        return answer | {"url": presigned("PUT", key, headers=headers), "headers": headers}
    part = max(PART, -(-size // 10_000))
    request = urllib.request.Request(presigned("POST", key, {"uploads": ""}, headers), b"", headers, method="POST")
    with urllib.request.urlopen(request, timeout=20) as response:
        upload = re.search(r"<UploadId>([^<]+)</UploadId>", response.read(1 << 16).decode())[1]
    urls = [presigned("PUT", key, {"partNumber": str(n + 1), "uploadId": upload}) for n in range(-(-size // part))]
    complete = {"url": presigned("POST", key, {"uploadId": upload}), "method": "POST"}
    return answer | {"parts": {"size": part, "urls": urls}, "complete": complete}


def is_stored(document):
    """Whether the storage has what is registered."""
    key = urllib.parse.unquote(document["link"].removeprefix(locator("")))
    try:
        request = urllib.request.Request(presigned("HEAD", key), method="HEAD")
        with urllib.request.urlopen(request, timeout=20) as response:
            return response.headers["Content-Length"] == str(document["size"])
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise


class GrantingReceiver(receiver.Receiver):
    def take(self, key, body):
        if self.path not in ("/uploads", "/documents"):
            return super().take(key, body)
        try:
            document = json.loads(body)
            if self.path == "/uploads":
                return 200, grant(document)
            asks = document.get("verify")  # whether the upload is there, as no answer of the storage has shown it
            if asks and not is_stored(document):
                return 422, {"error": "the storage does not have the upload"}
            status, answer = super().take(key, body)
            return status, answer | {"verified": True} if asks and status == 201 else answer
        except OSError as error:  # of the storage: Waybill tries again
            return 502, {"error": f"the storage: {error}"}
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return 400, {"error": f"this is nothing of Waybill's: {error}"}


if __name__ == "__main__":
    receiver.serve(GrantingReceiver)
